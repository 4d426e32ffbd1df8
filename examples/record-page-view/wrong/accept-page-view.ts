import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { pool, type PageView } from "../database.js";

const sqs = new SQSClient();

export async function acceptPageView(view: PageView): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("INSERT INTO page_views (event_id, page, day) VALUES ($1, $2, $3)", [
      view.eventId,
      view.page,
      view.day,
    ]);
    // Sent, whatever becomes of the transaction.
    await sqs.send(new SendMessageCommand({ QueueUrl: process.env["QUEUE_URL"], MessageBody: JSON.stringify(view) }));
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}
