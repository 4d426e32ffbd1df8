import type { Message } from "@aws-sdk/client-sqs";
import SQLite from "better-sqlite3";
import { randomUUID } from "node:crypto";
import { Consumer } from "sqs-consumer";
import { sendToStatistics, type PageView } from "../statistics.ts";

const db = new SQLite(process.env["DATABASE_FILE"]);

const count = db.transaction((eventId: string, { page, day }: PageView): void => {
  const { changes } = db
    .prepare("INSERT INTO processed_view_events (event_id) VALUES (?) ON CONFLICT DO NOTHING")
    .run(eventId);
  if (changes === 0) return;
  db.prepare(
    "INSERT INTO daily_views (page, day, views) VALUES (?, ?, 1) ON CONFLICT (page, day) DO UPDATE SET views = views + 1",
  ).run(page, day);
});

const consumer = Consumer.create({
  queueUrl: process.env["QUEUE_URL"] ?? "",
  // The handler may take a minute; after half of one the queue hands the message to the next worker.
  handleMessageTimeout: 60_000,
  visibilityTimeout: 30,
  handleMessage: async (message: Message): Promise<Message> => {
    const view = JSON.parse(message.Body ?? "") as PageView;

    // A redelivery is found, but the same view sent again is another message, with another id: it counts twice.
    count(message.MessageId ?? "", view);

    // A new event at each retry, under a key that is new for each message: the service counts them all.
    const event = { eventId: randomUUID(), page: view.page, day: view.day };
    await sendToStatistics(event, { "Idempotency-Key": message.MessageId ?? "" }, AbortSignal.timeout(40_000));
    return message;
  },
});

consumer.start();
