import type { Dialect } from "../databases/database.js";
import { plainTableName } from "../plain-table-name.js";

/** The outbox's table when no other name was chosen. */
export const defaultOutboxTable = "aftercommit_outbox";

/**
 * The statements that make the outbox's table.
 *
 * A row waits while `available_at` is set: it is the moment from which a relay may take it, so it carries the lease of a
 * row that is taken and the wait of one that failed, too. Rows that are dispatched or given up have none and stand
 * outside of the index that relays search (on MySQL, where an index has no condition, at its other end), so their number
 * costs nothing.
 *
 * @param table its name, with a schema where wanted
 * @throws ConfigurationError for a name that is no plain one: it goes into the SQL as it is
 */
export function outboxDdl(dialect: Dialect, table: string = defaultOutboxTable): string {
  plainTableName(table, "The outbox's table");
  // Names of indexes have no schema in front.
  const name = table.slice(table.lastIndexOf(".") + 1);
  return ddl[dialect](table, name);
}

const ddl: Readonly<Record<Dialect, (table: string, name: string) => string>> = {
  postgres: (table, name) => `CREATE TABLE ${table} (
  id uuid PRIMARY KEY,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  queue text NOT NULL,
  payload text NOT NULL,
  occurred_at timestamptz NOT NULL,
  delay double precision,
  order_key text,
  meta text,
  created_at timestamptz NOT NULL DEFAULT statement_timestamp(),
  available_at timestamptz DEFAULT statement_timestamp(),
  claim uuid,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  dispatched_at timestamptz,
  failed_at timestamptz
);
CREATE INDEX ${name}_waiting ON ${table} (queue, available_at, seq) WHERE available_at IS NOT NULL;
CREATE INDEX ${name}_ordered ON ${table} (queue, order_key, seq) WHERE order_key IS NOT NULL AND dispatched_at IS NULL;
CREATE INDEX ${name}_dispatched ON ${table} (dispatched_at) WHERE dispatched_at IS NOT NULL;
CREATE INDEX ${name}_failed ON ${table} (failed_at) WHERE failed_at IS NOT NULL;
`,

  mysql: (table, name) => `CREATE TABLE ${table} (
  seq bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  id char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  queue varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  payload longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  occurred_at datetime(3) NOT NULL COMMENT 'every time is UTC',
  delay double,
  order_key varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  meta text CHARACTER SET utf8mb4,
  created_at datetime(3) NOT NULL,
  available_at datetime(3),
  claim char(36) CHARACTER SET ascii COLLATE ascii_bin,
  attempts int NOT NULL DEFAULT 0,
  last_error text CHARACTER SET utf8mb4,
  dispatched_at datetime(3),
  failed_at datetime(3),
  UNIQUE KEY ${name}_id (id),
  KEY ${name}_waiting (queue, available_at, seq),
  KEY ${name}_ordered (queue, order_key, dispatched_at, seq),
  KEY ${name}_dispatched (dispatched_at),
  KEY ${name}_failed (failed_at)
) ENGINE=InnoDB;
`,

  sqlite: (table, name) => `CREATE TABLE ${table} (
  seq integer PRIMARY KEY AUTOINCREMENT,
  id text NOT NULL UNIQUE,
  queue text NOT NULL,
  payload text NOT NULL,
  occurred_at text NOT NULL,
  delay real,
  order_key text,
  meta text,
  created_at text NOT NULL,
  available_at text,
  claim text,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  dispatched_at text,
  failed_at text
);
CREATE INDEX ${name}_waiting ON ${table} (queue, available_at, seq) WHERE available_at IS NOT NULL;
CREATE INDEX ${name}_ordered ON ${table} (queue, order_key, seq) WHERE order_key IS NOT NULL AND dispatched_at IS NULL;
CREATE INDEX ${name}_dispatched ON ${table} (dispatched_at) WHERE dispatched_at IS NOT NULL;
CREATE INDEX ${name}_failed ON ${table} (failed_at) WHERE failed_at IS NOT NULL;
`,
};
