import type { Message } from "@aws-sdk/client-sqs";
import { randomUUID } from "node:crypto";
import { Consumer } from "sqs-consumer";
import { pool, type PageView } from "../database.js";
import { sendToStatistics } from "../statistics.js";

const consumer = Consumer.create({
  queueUrl: process.env["QUEUE_URL"] ?? "",
  // The handler may take a minute; after half of one the queue hands the message to the next worker.
  handleMessageTimeout: 60_000,
  visibilityTimeout: 30,
  handleMessage: async (message: Message): Promise<Message> => {
    const view = JSON.parse(message.Body ?? "") as PageView;

    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      // The same view sent again is another message, with another id: it counts twice.
      const { rowCount } = await client.query(
        "INSERT INTO processed_view_events (event_id) VALUES ($1) ON CONFLICT DO NOTHING",
        [message.MessageId],
      );
      if (rowCount === 1) {
        await client.query(
          "INSERT INTO daily_views (page, day, views) VALUES ($1, $2, 1) ON CONFLICT (page, day) DO UPDATE SET views = daily_views.views + 1",
          [view.page, view.day],
        );
      }
      await client.query("COMMIT");
    } catch (error) {
      await client.query("ROLLBACK");
      throw error;
    } finally {
      client.release();
    }

    // A new event at each retry, under a key that is new for each message: the service counts them all.
    const event = { eventId: randomUUID(), page: view.page, day: view.day };
    await sendToStatistics(event, { "Idempotency-Key": message.MessageId ?? "" });
    return message;
  },
});

consumer.start();
