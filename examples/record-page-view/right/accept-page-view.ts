import { pool, type PageView } from "../database.js";

export async function acceptPageView(view: PageView): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const row = [view.eventId, view.page, view.day];
    await client.query("INSERT INTO page_views (event_id, page, day) VALUES ($1, $2, $3)", row);
    await client.query("INSERT INTO view_requests (event_id, page, day) VALUES ($1, $2, $3)", row);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}
