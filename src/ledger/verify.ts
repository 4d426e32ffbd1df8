import type { Database, Dialect, Executor } from "../databases/database.js";
import { ConfigurationError } from "../errors.js";
import { ledgerDdl } from "./ddl.js";

/**
 * Looks whether the table can do what a ledger rests on: that the database refuses the second row of a key.
 *
 * @throws ConfigurationError that names everything that is wrong, and says how to make the table
 */
export async function verifyTable(executor: Executor, database: Database, table: string): Promise<void> {
  const wrong = await checks[database.dialect](executor, table);
  if (wrong.length === 0) return;
  throw new ConfigurationError(
    `The ledger cannot work with the table "${table}": ${wrong.join("; ")}. Nothing was written. ` +
      `Make the table with:\n${ledgerDdl(database.dialect, table)}`,
  );
}

const missing = ["there is no such table"];
const notUnique = "`operation_key` alone is not the primary key, so nothing stops the second row of a key";

function missingColumns(found: readonly { readonly name: string }[]): string[] {
  return ["operation_key", "fingerprint", "recorded_at"]
    .filter((column) => !found.some(({ name }) => name === column))
    .map((column) => `it has no column \`${column}\``);
}

const checks: Readonly<Record<Dialect, (executor: Executor, table: string) => Promise<string[]>>> = {
  async postgres(executor, table) {
    interface Column {
      readonly name: string;
      readonly is_key: boolean;
      readonly deferrable: boolean;
      readonly unlogged: boolean;
    }
    const { rows } = await executor.query<Column>(
      `SELECT a.attname AS name,
         EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary AND i.indisvalid
           AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum) AS is_key,
         EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND NOT i.indimmediate) AS deferrable,
         (SELECT relpersistence <> 'p' FROM pg_class WHERE oid = a.attrelid) AS unlogged
       FROM pg_attribute a WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped`,
      [table],
    );
    const [first] = rows;
    if (first === undefined) return missing;
    const wrong = missingColumns(rows);
    if (!rows.some(({ name, is_key }) => name === "operation_key" && is_key)) wrong.push(notUnique);
    if (first.deferrable) wrong.push("a unique constraint of it is deferrable, which ON CONFLICT does not take");
    if (first.unlogged) wrong.push("it is unlogged or temporary, so a crash empties it");
    return wrong;
  },

  async mysql(executor, table) {
    interface Column {
      readonly name: string;
      readonly collation: string | null;
      readonly length: number | null;
      readonly engine: string;
    }
    const [schema, name] = table.includes(".") ? table.split(".") : [null, table];
    const { rows } = await executor.query<Column>(
      `SELECT c.column_name AS name, c.collation_name AS collation, c.character_maximum_length AS length,
         t.engine AS engine
       FROM information_schema.columns c
       JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
       WHERE c.table_schema = coalesce(?, database()) AND c.table_name = ?`,
      [schema, name],
    );
    const [first] = rows;
    if (first === undefined) return missing;
    const { rows: keys } = await executor.query<{ name: string; prefix: number | null }>(
      `SELECT column_name AS name, sub_part AS prefix FROM information_schema.statistics
       WHERE table_schema = coalesce(?, database()) AND table_name = ? AND index_name = 'PRIMARY'`,
      [schema, name],
    );
    const wrong = missingColumns(rows);
    if (keys.length !== 1 || keys[0]?.name !== "operation_key" || keys[0].prefix !== null) wrong.push(notUnique);
    if (first.engine.toLowerCase() !== "innodb") {
      wrong.push(`its engine is ${first.engine}, which has no transactions; it must be InnoDB`);
    }
    const key = rows.find((column) => column.name === "operation_key");
    // Outside of the strict mode a longer key is cut, and is then the key of another operation.
    if (key !== undefined && Number(key.length) < 255) wrong.push("`operation_key` has no room for 255 characters");
    const collation = key?.collation ?? "binary";
    if (!/(?:_bin|^binary)$/.test(collation)) {
      wrong.push(`\`operation_key\` is compared by ${collation}, which takes different keys for one; use ascii_bin`);
    }
    return wrong;
  },

  async sqlite(executor, table) {
    const [schema, name] = table.includes(".") ? table.split(".") : ["main", table];
    const { rows } = await executor.query<{ name: string; pk: number }>(
      "SELECT name, pk FROM pragma_table_info(?, ?)",
      [name, schema],
    );
    if (rows.length === 0) return missing;
    const wrong = missingColumns(rows);
    const keys = rows.filter(({ pk }) => pk > 0);
    if (keys.length !== 1 || keys[0]?.name !== "operation_key") wrong.push(notUnique);
    return wrong;
  },
};
