import type { Dialect, Executor } from "../databases/database.js";
import type { Seconds } from "../duration.js";
import type { Message } from "../queues/queues.js";
import type { NewRow } from "./outbox-row.js";
import { placed, words } from "./outbox-sql.js";

export interface InsertOptions {
  /** Tell whoever listens on this channel, when the transaction commits. PostgreSQL only. */
  readonly notify?: string | undefined;
  /** The rows are taken by this process already, for so long. */
  readonly claim?: { readonly token: string; readonly for: Seconds } | undefined;
}

/** Writes the rows of a transaction with one statement. */
export type Insert = (executor: Executor, rows: readonly NewRow[], options: InsertOptions) => Promise<void>;

export function insertInto(dialect: Dialect, table: string): Insert {
  return dialect === "postgres" ? insertIntoPostgres(table) : insertIntoOther(dialect, table);
}

/**
 * PostgreSQL takes all rows as one JSON value: the text of the statement is always the same, and the server reads it
 * faster than a list of VALUES. One row alone goes as it is.
 */
function insertIntoPostgres(table: string): Insert {
  const one = `INSERT INTO ${table} (id, queue, payload, occurred_at) VALUES ($1, $2, $3, $4)`;
  const many = (claimed: string) =>
    `INSERT INTO ${table} (id, queue, payload, occurred_at, delay, order_key, meta${claimed === "" ? "" : ", claim, available_at"}) ` +
    `SELECT id, queue, payload, occurred_at, delay, order_key, meta${claimed} FROM json_to_recordset($1) ` +
    "AS new (id uuid, queue text, payload text, occurred_at timestamptz, delay double precision, order_key text, meta text)";
  const unclaimed = many("");
  const claimed = many(", $2::uuid, statement_timestamp() + $3::double precision * interval '1 second'");

  return async (executor, rows, { notify, claim }) => {
    await lockKeys(executor, rows);
    const values: unknown[] = [];
    let text: string;
    const [first] = rows;
    if (claim === undefined && rows.length === 1 && first !== undefined && isPlain(first)) {
      const { queue, message } = first;
      text = one;
      values.push(message.id, queue, message.payload, message.occurredAt.toISOString());
    } else {
      text = claim === undefined ? unclaimed : claimed;
      values.push(JSON.stringify(rows.map(jsonOf)));
      if (claim !== undefined) values.push(claim.token, claim.for);
    }
    // In the same statement, so it costs no way to the server. PostgreSQL sends one for all rows of a queue.
    if (notify !== undefined) text += ` RETURNING pg_notify($${values.push(notify).toString()}, queue)::text`;
    await executor.query(text, values, { repeated: true });
  };
}

/**
 * Holds back other transactions that write the same keys until this one has ended. Without it the later of two
 * transactions could take the lower number, and a relay would send the earlier one's row first (OB-11).
 */
async function lockKeys(executor: Executor, rows: readonly NewRow[]): Promise<void> {
  const keys = new Set<string>();
  for (const { queue, message } of rows) {
    if (message.orderKey !== undefined) keys.add(`${queue} ${message.orderKey}`);
  }
  if (keys.size === 0) return;
  // As text, because Prisma knows no void. Always in the same order, or two transactions could wait for each other.
  await executor.query(
    "SELECT pg_advisory_xact_lock(lock)::text FROM (SELECT hashtextextended(key, 8190) AS lock " +
      "FROM json_array_elements_text($1) AS key ORDER BY lock) AS locks",
    [JSON.stringify([...keys])],
  );
}

function isPlain({ message }: NewRow): boolean {
  return message.delay === undefined && message.orderKey === undefined && message.meta === undefined;
}

function jsonOf({ queue, message }: NewRow) {
  const { id, payload, occurredAt, delay, orderKey } = message;
  return { id, queue, payload, occurred_at: occurredAt, delay, order_key: orderKey, meta: metaOf(message) };
}

/** As JSON text. */
function metaOf({ meta }: Message): string | undefined {
  return meta && JSON.stringify(meta);
}

/** Keeps a statement far below the limits on its values. */
const mostRows = 1000;

/**
 * SQLite has one writer at a time, so rows have the order of their commits. MySQL has no lock that a transaction could
 * hold for a key until it ends: there, transactions that write one key at once must exclude each other by what they
 * change, such as the row of the order, or the order of their rows is that of the numbers they got.
 */
function insertIntoOther(dialect: Dialect, table: string): Insert {
  const { now, fromNow, isoTime, isoValue } = words[dialect];
  return async (executor, rows, { claim }) => {
    const available = claim === undefined ? { text: now, values: [] } : fromNow(claim.for);
    const row = `(?, ?, ?, ${isoTime}, ?, ?, ?, ${now}, ${available.text}, ?)`;
    for (let from = 0; from < rows.length; from += mostRows) {
      const part = rows.slice(from, from + mostRows);
      const values = part.flatMap(({ queue, message }) => {
        const { id, payload, occurredAt, delay, orderKey } = message;
        return [
          ...[id, queue, payload, isoValue(occurredAt), delay ?? null, orderKey ?? null, metaOf(message) ?? null],
          ...[...available.values, claim?.token ?? null],
        ];
      });
      await executor.query(
        placed(
          dialect,
          `INSERT INTO ${table} (id, queue, payload, occurred_at, delay, order_key, meta, created_at, available_at, claim) ` +
            `VALUES ${part.map(() => row).join(", ")}`,
        ),
        values,
      );
    }
  };
}
