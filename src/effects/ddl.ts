import type { Dialect } from "../databases/database.js";
import { plainTableName } from "../plain-table-name.js";

/** The table of external effects when no other name was chosen. */
export const defaultEffectsTable = "aftercommit_effects";

/**
 * The statements that make the table of external effects.
 *
 * A row is undecided while `open_until` is set: it is the moment from which nobody may call the service again by himself,
 * so a row whose moment has passed waits for a person. What is decided has none, and stands outside of the index of what
 * waits (on MySQL, where an index has no condition, at its other end).
 *
 * @param table its name, with a schema where wanted
 * @throws ConfigurationError for a name that is no plain one: it goes into the SQL as it is
 */
export function effectsDdl(dialect: Dialect, table: string = defaultEffectsTable): string {
  plainTableName(table, "The table of external effects");
  // Names of indexes have no schema in front.
  const name = table.slice(table.lastIndexOf(".") + 1);
  return ddl[dialect](table, name);
}

const ddl: Readonly<Record<Dialect, (table: string, name: string) => string>> = {
  postgres: (table, name) => `CREATE TABLE ${table} (
  operation_key varchar(255) COLLATE "C" PRIMARY KEY,
  service text NOT NULL,
  state varchar(8) NOT NULL,
  takes_key smallint NOT NULL,
  fingerprint char(64) COLLATE "C" NOT NULL,
  request text NOT NULL,
  answer text,
  last_error text,
  note text,
  call_id uuid NOT NULL,
  calls integer NOT NULL,
  queue text,
  job_id uuid,
  intended_at timestamptz NOT NULL,
  open_until timestamptz,
  decided_at timestamptz
);
CREATE INDEX ${name}_open ON ${table} (open_until) WHERE open_until IS NOT NULL;
CREATE INDEX ${name}_decided ON ${table} (decided_at) WHERE decided_at IS NOT NULL;
`,

  mysql: (table, name) => `CREATE TABLE ${table} (
  operation_key varchar(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  service varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  state varchar(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  takes_key smallint NOT NULL,
  fingerprint char(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  request longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  answer longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  last_error text CHARACTER SET utf8mb4,
  note text CHARACTER SET utf8mb4,
  call_id char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  calls int NOT NULL,
  queue varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  job_id char(36) CHARACTER SET ascii COLLATE ascii_bin,
  intended_at datetime(3) NOT NULL COMMENT 'every time is UTC',
  open_until datetime(3),
  decided_at datetime(3),
  PRIMARY KEY (operation_key),
  KEY ${name}_open (open_until),
  KEY ${name}_decided (decided_at)
) ENGINE=InnoDB;
`,

  sqlite: (table, name) => `CREATE TABLE ${table} (
  operation_key text NOT NULL PRIMARY KEY,
  service text NOT NULL,
  state text NOT NULL,
  takes_key integer NOT NULL,
  fingerprint text NOT NULL,
  request text NOT NULL,
  answer text,
  last_error text,
  note text,
  call_id text NOT NULL,
  calls integer NOT NULL,
  queue text,
  job_id text,
  intended_at text NOT NULL,
  open_until text,
  decided_at text
) WITHOUT ROWID;
CREATE INDEX ${name}_open ON ${table} (open_until) WHERE open_until IS NOT NULL;
CREATE INDEX ${name}_decided ON ${table} (decided_at) WHERE decided_at IS NOT NULL;
`,
};
