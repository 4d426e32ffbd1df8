import type { Dialect } from "../databases/database.js";
import { plainTableName } from "../plain-table-name.js";

export const defaultTable = "aftercommit_ledger";

/**
 * The statements that create a ledger's table. Keys are ASCII and compared byte by byte, so no collation takes two for
 * one; the database's clock says when a record was made, for `prune`.
 *
 * @param table its name, with a schema where wanted
 * @throws ConfigurationError for a name that is no plain one: it goes into the SQL as it is
 */
export function ledgerDdl(dialect: Dialect, table: string = defaultTable): string {
  const name = plainTableName(table, "The ledger's table");
  const index = `${name.split(".").at(-1) ?? name}_recorded_at`;
  switch (dialect) {
    case "postgres":
      return `CREATE TABLE ${name} (
  operation_key varchar(255) COLLATE "C" PRIMARY KEY,
  fingerprint char(64) COLLATE "C",
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ${index} ON ${name} (recorded_at);
`;
    case "mysql":
      return `CREATE TABLE ${name} (
  operation_key varchar(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  fingerprint char(64) CHARACTER SET ascii COLLATE ascii_bin,
  recorded_at datetime(6) NOT NULL DEFAULT (utc_timestamp(6)),
  PRIMARY KEY (operation_key),
  INDEX ${index} (recorded_at)
) ENGINE = InnoDB;
`;
    case "sqlite":
      return `CREATE TABLE ${name} (
  operation_key TEXT NOT NULL PRIMARY KEY,
  fingerprint TEXT,
  recorded_at REAL NOT NULL DEFAULT (unixepoch('subsec'))
) STRICT, WITHOUT ROWID;
CREATE INDEX ${index} ON ${name} (recorded_at);
`;
  }
}
