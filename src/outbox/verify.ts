import type { Database, Dialect, Executor } from "../databases/database.js";
import { ConfigurationError } from "../errors.js";
import { outboxDdl } from "./ddl.js";

/**
 * Looks whether the table can do what an outbox rests on.
 *
 * @throws ConfigurationError that names everything that is wrong, and says how to make the table
 */
export async function verifyOutboxTable(executor: Executor, database: Database, table: string): Promise<void> {
  const wrong = await checks[database.dialect](executor, table);
  if (wrong.length === 0) return;
  throw new ConfigurationError(
    `The outbox cannot work with the table "${table}": ${wrong.join("; ")}. Nothing was written. ` +
      `Make the table with:\n${outboxDdl(database.dialect, table)}`,
  );
}

const columns = [
  ...[
    "id",
    "seq",
    "queue",
    "payload",
    "occurred_at",
    "delay",
    "order_key",
    "meta",
    "created_at",
    "available_at",
    "claim",
  ],
  ...["attempts", "last_error", "dispatched_at", "failed_at"],
];
const missing = ["there is no such table"];
const notUnique = "no primary key or unique constraint is on `id` alone";
const notIndexed = "no index begins with `queue`, `available_at`, so relays would read the whole table again and again";

/** An index as its columns in order. */
interface Index {
  readonly columns: string;
  readonly is_unique: boolean | number;
}

function missingColumns(found: readonly { readonly name: string }[]): string[] {
  return columns
    .filter((column) => !found.some(({ name }) => name === column))
    .map((column) => `it has no column \`${column}\``);
}

function missingIndexes(found: readonly Index[]): string[] {
  return [
    ...(found.some((index) => Boolean(index.is_unique) && index.columns === "id") ? [] : [notUnique]),
    ...(found.some((index) => `${index.columns},`.startsWith("queue,available_at,")) ? [] : [notIndexed]),
  ];
}

function schemaAndName(table: string, schema: string | null): [string | null, string] {
  const [first = table, second] = table.split(".");
  return second === undefined ? [schema, first] : [first, second];
}

const checks: Readonly<Record<Dialect, (executor: Executor, table: string) => Promise<string[]>>> = {
  async postgres(executor, table) {
    const { rows } = await executor.query<{ name: string; lasting: boolean }>(
      "SELECT a.attname AS name, c.relpersistence = 'p' AS lasting FROM pg_attribute a " +
        "JOIN pg_class c ON c.oid = a.attrelid " +
        "WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped",
      [table],
    );
    const [first] = rows;
    if (first === undefined) return missing;
    const { rows: indexes } = await executor.query<Index>(
      "SELECT (SELECT string_agg(a.attname, ',' ORDER BY k.place) FROM unnest(i.indkey) WITH ORDINALITY AS k(attnum, place) " +
        "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum) AS columns, " +
        "i.indisunique AND i.indpred IS NULL AS is_unique " +
        "FROM pg_index i WHERE i.indrelid = to_regclass($1) AND i.indisvalid",
      [table],
    );
    return [
      ...missingColumns(rows),
      ...missingIndexes(indexes),
      ...(first.lasting ? [] : ["it is unlogged or temporary, so a crash empties it"]),
    ];
  },

  async mysql(executor, table) {
    const place = schemaAndName(table, null);
    const { rows } = await executor.query<{ name: string; engine: string; version: string }>(
      "SELECT c.column_name AS name, t.engine AS engine, version() AS version FROM information_schema.columns c " +
        "JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name " +
        "WHERE c.table_schema = coalesce(?, database()) AND c.table_name = ?",
      place,
    );
    const [first] = rows;
    if (first === undefined) return missing;
    const { rows: indexes } = await executor.query<Index>(
      "SELECT group_concat(column_name ORDER BY seq_in_index) AS columns, min(non_unique) = 0 AS is_unique " +
        "FROM information_schema.statistics WHERE table_schema = coalesce(?, database()) AND table_name = ? " +
        "GROUP BY index_name",
      place,
    );
    return [
      ...missingColumns(rows),
      ...missingIndexes(indexes),
      ...(first.engine.toLowerCase() === "innodb"
        ? []
        : [`its engine is ${first.engine}, which has no transactions; it must be InnoDB`]),
      ...(skipsLocked(first.version) ? [] : [`the server (${first.version}) has no SKIP LOCKED`]),
    ];
  },

  async sqlite(executor, table) {
    const [schema, name] = schemaAndName(table, "main");
    const { rows } = await executor.query<{ name: string }>("SELECT name FROM pragma_table_info(?, ?)", [name, schema]);
    if (rows.length === 0) return missing;
    const { rows: indexes } = await executor.query<Index>(
      "SELECT (SELECT group_concat(name, ',') FROM (SELECT name FROM pragma_index_info(i.name, ?) ORDER BY seqno)) " +
        'AS columns, i."unique" = 1 AND i.partial = 0 AS is_unique FROM pragma_index_list(?, ?) AS i',
      [schema, name, schema],
    );
    return [...missingColumns(rows), ...missingIndexes(indexes)];
  },
};

/** MariaDB since 10.6, MySQL since 8.0.1. */
function skipsLocked(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = (/\d+\.\d+\.\d+/.exec(version)?.[0] ?? "").split(".").map(Number);
  return /mariadb/i.test(version)
    ? major > 10 || (major === 10 && minor >= 6)
    : major > 8 || (major === 8 && (minor > 0 || patch >= 1));
}
