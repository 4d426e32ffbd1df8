import { Pool } from "pg";

/**
 * page_views (event_id primary key, page, day)
 * view_requests (event_id primary key, page, day, dispatched_at)
 * processed_view_events (event_id primary key)
 * daily_views (page, day, views; primary key page and day)
 */
export const pool = new Pool({ connectionString: process.env["DATABASE_URL"] });

export interface PageView {
  /** Made once, when the view is accepted. */
  readonly eventId: string;
  readonly page: string;
  /** The day of the view, in the time zone of the site; not the day on which a worker gets to it. */
  readonly day: string;
}
