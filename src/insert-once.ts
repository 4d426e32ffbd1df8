import type { Database, Executor } from "./databases/database.js";

/** A row that may be there already. The names are put into the SQL as they are: they must come from code. */
export interface RowOnce {
  readonly table: string;
  /** Column names and their values, key columns included; none of the key may be null (SQL lets nulls repeat). */
  readonly values: Readonly<Record<string, unknown>>;
  /** The columns of the unique key that decides. */
  readonly key: readonly string[];
  /** The name of that key on MySQL, as in `SHOW KEYS`; "PRIMARY" for the primary key. */
  readonly keyName: string;
}

/** Statement texts are made once: a ledger asks for the same one each time. */
const texts = new Map<string, string>();

/**
 * Inserts a row unless its key is there, and says which it was. Waits for a transaction that has inserted the same key
 * and is still open. Only a conflict of this very key is "duplicate"; whatever else is wrong with the row throws, which
 * INSERT IGNORE would hide and a count of affected rows would mistake (F13, II-01 to II-07).
 *
 * @param executor the transaction in which the row is to stand
 * @throws the driver's error; a retryable one when PostgreSQL's isolation level forbids to look at the other row (II-11)
 */
export async function insertOnce(
  executor: Executor,
  database: Database,
  row: RowOnce,
): Promise<"inserted" | "duplicate"> {
  const text = textFor(database, row);
  const values = Object.values(row.values);
  if (database.dialect !== "mysql") {
    const { affectedRows } = await executor.query(text, values, { repeated: true });
    return affectedRows === 1 ? "inserted" : "duplicate";
  }
  try {
    // On MySQL a failed statement undoes itself and leaves the transaction usable.
    await executor.query(text, values);
    return "inserted";
  } catch (error) {
    const failure = database.failure(error);
    if (failure.kind === "unique violation" && failure.constraint === row.keyName) return "duplicate";
    throw error;
  }
}

function textFor({ dialect }: Database, { table, values, key }: RowOnce): string {
  const columns = Object.keys(values);
  const cacheKey = `${dialect} ${table} ${columns.join()} ${key.join()}`;
  let text = texts.get(cacheKey);
  if (text === undefined) {
    const placeholders = columns.map((_, index) => (dialect === "postgres" ? `$${index + 1}` : "?"));
    const insert = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${placeholders.join(", ")})`;
    text = dialect === "mysql" ? insert : `${insert} ON CONFLICT (${key.join(", ")}) DO NOTHING`;
    texts.set(cacheKey, text);
  }
  return text;
}
