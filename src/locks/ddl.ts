import type { Dialect } from "../databases/database.js";
import { plainTableName } from "../plain-table-name.js";

/** The table of locks when no other name was chosen. */
export const defaultLocksTable = "aftercommit_locks";

/**
 * The statements that make the table of `databaseLocks`. Rows that have expired are as if they were not there, and are
 * deleted by and by.
 *
 * @param table its name, with a schema where wanted
 * @throws ConfigurationError for a name that is no plain one: it goes into the SQL as it is
 */
export function locksDdl(dialect: Dialect, table: string = defaultLocksTable): string {
  plainTableName(table, "The table of locks");
  const index = `${table.slice(table.lastIndexOf(".") + 1)}_expires_at`;
  switch (dialect) {
    case "postgres":
      return `CREATE UNLOGGED TABLE ${table} (
  lock_key varchar(255) COLLATE "C" PRIMARY KEY,
  value text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX ${index} ON ${table} (expires_at);
`;
    case "mysql":
      return `CREATE TABLE ${table} (
  lock_key varchar(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  value text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  expires_at datetime(6) NOT NULL COMMENT 'UTC',
  INDEX ${index} (expires_at)
) ENGINE = InnoDB;
`;
    case "sqlite":
      return `CREATE TABLE ${table} (
  lock_key TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL,
  expires_at REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ${index} ON ${table} (expires_at);
`;
  }
}
