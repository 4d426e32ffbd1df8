/**
 * The tables of the two programs, as they stand in PostgreSQL, MySQL, MariaDB and SQLite. The names of the unique keys
 * are part of the programs: on MySQL the name of a key is what tells its duplicate from every other error.
 */
export const pointTables = [
  `CREATE TABLE point_grants (
     order_id varchar(36) NOT NULL,
     reason varchar(40) NOT NULL,
     customer_id integer NOT NULL,
     points integer NOT NULL,
     CONSTRAINT point_grants_once UNIQUE (order_id, reason)
   )`,
  `CREATE TABLE point_balances (
     customer_id integer NOT NULL PRIMARY KEY,
     balance integer NOT NULL
   )`,
];

export const pageViewTables = [
  `CREATE TABLE processed_view_events (
     event_id char(36) NOT NULL PRIMARY KEY
   )`,
  `CREATE TABLE daily_metrics (
     day char(10) NOT NULL PRIMARY KEY,
     views integer NOT NULL
   )`,
];
