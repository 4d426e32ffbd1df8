export const tables = `
  CREATE TABLE pages (
    page text PRIMARY KEY,
    last_viewed text
  );
  CREATE TABLE page_views (
    event_id text PRIMARY KEY,
    page text NOT NULL,
    day text NOT NULL
  );
  CREATE TABLE processed_view_events (
    event_id text PRIMARY KEY
  );
  CREATE TABLE daily_views (
    page text NOT NULL,
    day text NOT NULL,
    views integer NOT NULL,
    PRIMARY KEY (page, day)
  );
`;
