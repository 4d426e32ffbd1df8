import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { pool, type PageView } from "../database.js";

const sqs = new SQSClient();

export async function relayViewRequests(): Promise<void> {
  const { rows } = await pool.query<PageView>(
    `SELECT event_id AS "eventId", page, day FROM view_requests WHERE dispatched_at IS NULL LIMIT 100`,
  );
  for (const view of rows) {
    await sqs.send(new SendMessageCommand({ QueueUrl: process.env["QUEUE_URL"], MessageBody: JSON.stringify(view) }));
    await pool.query("UPDATE view_requests SET dispatched_at = now() WHERE event_id = $1", [view.eventId]);
  }
}
