import type { Message } from "@aws-sdk/client-sqs";
import { Consumer } from "sqs-consumer";
import { pool, type PageView } from "../database.js";
import { sendToStatistics } from "../statistics.js";

const consumer = Consumer.create({
  queueUrl: process.env["QUEUE_URL"] ?? "",
  // The handler is stopped well before the queue would hand the message to the next worker.
  handleMessageTimeout: 20_000,
  visibilityTimeout: 30,
  handleMessage: async (message: Message): Promise<Message> => {
    const view = JSON.parse(message.Body ?? "") as PageView;

    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      // The id was made when the view was accepted: the same for a retry and for a second message.
      const { rowCount } = await client.query(
        "INSERT INTO processed_view_events (event_id) VALUES ($1) ON CONFLICT DO NOTHING",
        [view.eventId],
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

    // Said again by each retry, counted once.
    await sendToStatistics(view, { "Idempotency-Key": view.eventId });
    return message;
  },
});

consumer.start();
