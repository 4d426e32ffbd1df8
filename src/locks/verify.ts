import type { Database, Dialect, Executor } from "../databases/database.js";
import { ConfigurationError } from "../errors.js";
import { locksDdl } from "./ddl.js";

/**
 * Looks whether the table can do what locks need: that the database refuses the second row of a key.
 *
 * @throws ConfigurationError that names everything that is wrong, and says how to make the table
 */
export async function verifyLocksTable(executor: Executor, database: Database, table: string): Promise<void> {
  const { dialect } = database;
  const [schema, name] = table.includes(".") ? table.split(".") : [undefined, table];
  const { rows } = await executor.query<{ name: string; is_key: boolean | number | string }>(
    columns[dialect],
    dialect === "postgres" ? [table] : dialect === "mysql" ? [schema ?? null, name] : [name, schema ?? "main"],
  );
  const wrong = rows.length === 0 ? ["there is no such table"] : whatIsWrong(rows);
  if (wrong.length === 0) return;
  throw new ConfigurationError(
    `Locks cannot be kept in the table "${table}": ${wrong.join("; ")}. Nothing was written. ` +
      `Make the table with:\n${locksDdl(dialect, table)}`,
  );
}

function whatIsWrong(rows: readonly { readonly name: string; readonly is_key: unknown }[]): string[] {
  const missing = ["lock_key", "value", "expires_at"].filter((column) => !rows.some(({ name }) => name === column));
  const keys = rows.filter(({ is_key }) => Boolean(Number(is_key))).map(({ name }) => name);
  return [
    ...missing.map((column) => `it has no column \`${column}\``),
    ...(keys.join() === "lock_key" ? [] : ["`lock_key` alone is not the primary key, so two could hold one lock"]),
  ];
}

const columns: Readonly<Record<Dialect, string>> = {
  postgres:
    "SELECT a.attname AS name, EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary " +
    "AND i.indisvalid AND a.attnum = ANY (i.indkey)) AS is_key " +
    "FROM pg_attribute a WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped",
  mysql:
    "SELECT column_name AS name, column_key = 'PRI' AS is_key FROM information_schema.columns " +
    "WHERE table_schema = coalesce(?, database()) AND table_name = ?",
  sqlite: "SELECT name, pk > 0 AS is_key FROM pragma_table_info(?, ?)",
};
