import type { PageView } from "../statistics.ts";
import { pageViews, transactions } from "./queues.ts";

export async function acceptPageView(view: PageView): Promise<void> {
  const { eventId, page, day } = view;
  await transactions.run(async (tx) => {
    tx.handle
      .prepare("INSERT INTO page_views (event_id, page, day) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
      .run(eventId, page, day);
    await pageViews.enqueue(tx, view);

    const { changes } = tx.handle.prepare("UPDATE pages SET last_viewed = ? WHERE page = ?").run(day, page);
    if (changes === 0) throw new Error(`there is no page ${page}`);
  });
}
