import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import SQLite from "better-sqlite3";
import type { PageView } from "../statistics.ts";

const sqs = new SQSClient();
const db = new SQLite(process.env["DATABASE_FILE"]);

export async function acceptPageView(view: PageView): Promise<void> {
  const { eventId, page, day } = view;
  db.exec("BEGIN IMMEDIATE");
  try {
    db.prepare("INSERT INTO page_views (event_id, page, day) VALUES (?, ?, ?) ON CONFLICT DO NOTHING").run(
      eventId,
      page,
      day,
    );
    // Sent, whatever becomes of the transaction.
    await sqs.send(new SendMessageCommand({ QueueUrl: process.env["QUEUE_URL"], MessageBody: JSON.stringify(view) }));

    const { changes } = db.prepare("UPDATE pages SET last_viewed = ? WHERE page = ?").run(day, page);
    if (changes === 0) throw new Error(`there is no page ${page}`);
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}
