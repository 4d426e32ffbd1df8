import { idempotencyKey, startWorker } from "aftercommit";
import { sendToStatistics } from "../statistics.ts";
import { ledger, pageViews, transactions } from "./queues.ts";

const worker = await startWorker(pageViews, async ({ payload: view, signal }) => {
  // The id was made when the view was accepted: the same for a retry and for a second message.
  const key = idempotencyKey("count-view", view.eventId);

  await transactions.run((tx) =>
    ledger.once(tx, key, () =>
      tx.handle
        .prepare(
          "INSERT INTO daily_views (page, day, views) VALUES (?, ?, 1) ON CONFLICT (page, day) DO UPDATE SET views = views + 1",
        )
        .run(view.page, view.day),
    ),
  );

  // Said again by each retry, counted once.
  await sendToStatistics(view, { "Idempotency-Key": key }, signal);
});

process.once("SIGTERM", () => void worker.stop());
