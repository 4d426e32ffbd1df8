import type { Database, Dialect, Executor } from "../databases/database.js";
import { ConfigurationError } from "../errors.js";
import { effectsDdl } from "./ddl.js";

/**
 * Looks whether the table can do what a record of external effects rests on: that the database refuses the second row of
 * a key.
 *
 * @throws ConfigurationError that names everything that is wrong, and says how to make the table
 */
export async function verifyEffectsTable(database: Database, table: string): Promise<void> {
  const wrong = await checks[database.dialect](database, table);
  if (wrong.length === 0) return;
  throw new ConfigurationError(
    `External effects cannot be recorded in the table "${table}": ${wrong.join("; ")}. Nothing was written. ` +
      `Make the table with:\n${effectsDdl(database.dialect, table)}`,
  );
}

const columns = [
  ...["operation_key", "service", "state", "takes_key", "fingerprint", "request", "answer", "last_error", "note"],
  ...["call_id", "calls", "queue", "job_id", "intended_at", "open_until", "decided_at"],
];
const missing = ["there is no such table"];

/** @param keys the columns of the primary key */
function wrongIn(found: readonly string[], keys: readonly string[]): string[] {
  const wrong = columns.filter((column) => !found.includes(column)).map((column) => `it has no column \`${column}\``);
  if (keys.length !== 1 || keys[0] !== "operation_key") {
    wrong.push("`operation_key` alone is not the primary key, so nothing stops the second row of a key");
  }
  return wrong;
}

const checks: Readonly<Record<Dialect, (executor: Executor, table: string) => Promise<string[]>>> = {
  async postgres(executor, table) {
    const { rows } = await executor.query<{ name: string; is_key: boolean; lasting: boolean; late: boolean }>(
      "SELECT a.attname AS name, coalesce(a.attnum = ANY (i.indkey), false) AS is_key, " +
        "c.relpersistence = 'p' AS lasting, coalesce(NOT i.indimmediate, false) AS late " +
        "FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid " +
        "LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary AND i.indisvalid " +
        "WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped",
      [table],
    );
    const [first] = rows;
    if (first === undefined) return missing;
    return [
      ...wrongIn(
        rows.map(({ name }) => name),
        rows.filter(({ is_key }) => is_key).map(({ name }) => name),
      ),
      ...(first.late ? ["its primary key is deferrable, which ON CONFLICT does not take"] : []),
      ...(first.lasting ? [] : ["it is unlogged or temporary, so a crash empties it"]),
    ];
  },

  async mysql(executor, table) {
    const [schema, name] = table.includes(".") ? table.split(".") : [null, table];
    const { rows } = await executor.query<{
      name: string;
      collation: string | null;
      length: number | string | null;
      engine: string;
    }>(
      "SELECT c.column_name AS name, c.collation_name AS collation, " +
        "c.character_maximum_length AS length, t.engine AS engine FROM information_schema.columns c " +
        "JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name " +
        "WHERE c.table_schema = coalesce(?, database()) AND c.table_name = ?",
      [schema, name],
    );
    const [first] = rows;
    if (first === undefined) return missing;
    const { rows: keys } = await executor.query<{ name: string }>(
      // A part of a column would be unique for different keys; it counts as no key.
      "SELECT CASE WHEN sub_part IS NULL THEN column_name ELSE '' END AS name FROM information_schema.statistics " +
        "WHERE table_schema = coalesce(?, database()) AND table_name = ? AND index_name = 'PRIMARY'",
      [schema, name],
    );
    const key = rows.find((column) => column.name === "operation_key");
    const collation = key?.collation ?? "binary";
    return [
      ...wrongIn(
        rows.map((column) => column.name),
        keys.map((column) => column.name),
      ),
      ...(first.engine.toLowerCase() === "innodb"
        ? []
        : [`its engine is ${first.engine}, which has no transactions; it must be InnoDB`]),
      // Outside of the strict mode a longer key is cut, and is then the key of another operation.
      ...(key !== undefined && Number(key.length) < 255 ? ["`operation_key` has no room for 255 characters"] : []),
      ...(/(?:_bin|^binary)$/.test(collation)
        ? []
        : [`\`operation_key\` is compared by ${collation}, which takes different keys for one; use ascii_bin`]),
    ];
  },

  async sqlite(executor, table) {
    const [schema, name] = table.includes(".") ? table.split(".") : ["main", table];
    const { rows } = await executor.query<{ name: string; pk: number }>(
      "SELECT name, pk FROM pragma_table_info(?, ?)",
      [name, schema],
    );
    if (rows.length === 0) return missing;
    return wrongIn(
      rows.map((column) => column.name),
      rows.filter(({ pk }) => pk > 0).map((column) => column.name),
    );
  },
};
