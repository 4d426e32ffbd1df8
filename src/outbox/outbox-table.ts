import type { Database, Executor, QueryResult } from "../databases/database.js";
import type { Seconds } from "../duration.js";
import type { JobId } from "../job-id.js";
import type { ClaimedRow, OutboxRow, RowState } from "./outbox-row.js";
import { placed, timeOf, words, type Sql, type Words } from "./outbox-sql.js";

export interface Claim {
  readonly queue: string;
  /** How many rows at most. */
  readonly most: number;
  /** Says whose claim it is. Whatever is written to a claimed row asks for it. */
  readonly token: string;
  /** How long other relays leave the rows alone. */
  readonly lease: Seconds;
}

export interface ListOptions {
  readonly state: RowState;
  /** Default: of all queues. */
  readonly queue?: string;
  /** How many rows at most. Default 100. */
  readonly limit?: number;
}

interface StoredClaim {
  readonly id: JobId;
  readonly seq: number | string;
  readonly payload: string;
  readonly occurred: string;
  readonly delay: number | string | null;
  readonly order_key: string | null;
  readonly attempts: number;
}

type Times = "created" | "available" | "dispatched" | "failed";
type StoredRow = StoredClaim & { readonly queue: string; readonly last_error: string | null } & Readonly<
    Record<Times, string | null>
  >;

/** How often a statement is tried that the database itself says may succeed when it is run again. */
const attempts = 5;

/** The statements of relays and operators on the outbox's table. Each is a short transaction of its own. */
export class OutboxTable {
  readonly #database: Database;
  readonly #table: string;
  readonly #words: Words;

  constructor(database: Database, table: string) {
    this.#database = database;
    this.#table = table;
    this.#words = words[database.dialect];
  }

  /** Takes rows that may be sent, the oldest first. Rows that another relay is taking at this moment are passed over. */
  async claim({ queue, most, token, lease }: Claim): Promise<ClaimedRow[]> {
    const { now, forUpdate, time } = this.#words;
    const waiting: Sql = {
      text:
        `FROM ${this.#table} WHERE queue = ? AND available_at <= ${now} ` +
        `ORDER BY available_at, seq LIMIT ? ${forUpdate}`,
      values: [queue, most],
    };
    const columns = `id, seq, payload, ${time("occurred_at")} AS occurred, delay, order_key, attempts`;
    const until = this.#words.fromNow(lease);
    const set: Sql = { text: `claim = ?, available_at = ${until.text}`, values: [token, ...until.values] };

    const rows =
      this.#database.dialect === "mysql"
        ? await this.#again(() => this.#claimInTwo(columns, waiting, set))
        : // MATERIALIZED, or PostgreSQL may search again for each row, and lock more than it takes.
          await this.#query<StoredClaim>({
            text:
              `WITH taken AS MATERIALIZED (SELECT id ${waiting.text}) UPDATE ${this.#table} SET ${set.text} ` +
              `WHERE id IN (SELECT id FROM taken) RETURNING ${columns}`,
            values: [...waiting.values, ...set.values],
          }).then((result) => result.rows);
    return rows.map(claimedRow).sort((a, b) => a.seq - b.seq);
  }

  /** MySQL's UPDATE returns no rows. READ COMMITTED keeps it from locking the gaps that new rows go into. */
  async #claimInTwo(columns: string, waiting: Sql, set: Sql): Promise<readonly StoredClaim[]> {
    const connection = await this.#database.begin({ isolation: "read committed" });
    let broken = true;
    try {
      const { rows } = await connection.query<StoredClaim>(`SELECT ${columns} ${waiting.text}`, waiting.values);
      if (rows.length > 0) {
        const which = this.#words.idIn(rows.map(({ id }) => id));
        await connection.query(`UPDATE ${this.#table} SET ${set.text} WHERE ${which.text}`, [
          ...set.values,
          ...which.values,
        ]);
      }
      const answer = await connection.commit();
      broken = false;
      if (answer.outcome === "rolled back") throw new Error("the claim was rolled back", { cause: answer.cause });
      return rows;
    } finally {
      // A connection that is closed with its transaction open rolls back.
      connection.release(broken);
    }
  }

  /**
   * Of each key among the claimed rows, the first row outside of the claim that was not sent: waiting, taken by another
   * relay, or given up. Rows behind it must wait (order per key).
   */
  async firstUnsent(queue: string, token: string, ids: readonly string[]): Promise<Map<string, number>> {
    const which = this.#words.idIn(ids);
    const { rows } = await this.#query<{ order_key: string; seq: number | string | null }>({
      text:
        `SELECT wanted.order_key, (SELECT other.seq FROM ${this.#table} other WHERE other.queue = ? ` +
        "AND other.order_key = wanted.order_key AND other.dispatched_at IS NULL " +
        "AND (other.claim IS NULL OR other.claim <> ?) ORDER BY other.seq LIMIT 1) AS seq " +
        `FROM (SELECT DISTINCT order_key FROM ${this.#table} WHERE ${which.text}) wanted`,
      values: [queue, token, ...which.values],
    });
    return new Map(rows.flatMap(({ order_key, seq }) => (seq === null ? [] : [[order_key, Number(seq)]])));
  }

  /**
   * Marks rows as dispatched, if they are still claimed with this token.
   *
   * @returns how many were; fewer than given when the lease had ended and another relay has taken the rest
   */
  async mark(ids: readonly string[], token: string): Promise<number> {
    const { now } = this.#words;
    return this.#change(
      `UPDATE ${this.#table} SET dispatched_at = ${now}, available_at = NULL, claim = NULL`,
      this.#words.idIn(ids),
      { text: "claim = ?", values: [token] },
    );
  }

  /** Gives rows back, to be taken by any relay after so many seconds. */
  async release(ids: readonly string[], token: string, wait: Seconds = 0): Promise<void> {
    const from = this.#words.fromNow(wait);
    await this.#change(
      { text: `UPDATE ${this.#table} SET claim = NULL, available_at = ${from.text}`, values: from.values },
      this.#words.idIn(ids),
      { text: "claim = ?", values: [token] },
    );
  }

  /** Lets rows of these keys that were held back go at once. */
  async free(queue: string, keys: readonly string[]): Promise<void> {
    const { now } = this.#words;
    await this.#change(
      `UPDATE ${this.#table} SET available_at = ${now}`,
      { text: "queue = ?", values: [queue] },
      this.#words.keyIn(keys),
      // Of no row that waits because it failed: that wait is its own.
      `dispatched_at IS NULL AND claim IS NULL AND attempts = 0 AND available_at > ${now}`,
    );
  }

  /** Writes down that sending this row alone has failed. `wait` is missing when it is given up. */
  async fail(id: string, token: string, error: string, wait: Seconds | undefined): Promise<void> {
    const { now, fromNow, idIn } = this.#words;
    const then = wait === undefined ? { text: "NULL", values: [] } : fromNow(wait);
    await this.#change(
      {
        text:
          `UPDATE ${this.#table} SET attempts = attempts + 1, last_error = ?, claim = NULL, ` +
          `available_at = ${then.text}, failed_at = ${wait === undefined ? now : "NULL"}`,
        // What the column of the smallest database takes, and no NUL, which PostgreSQL refuses.
        values: [error.slice(0, 2000).replaceAll("\0", ""), ...then.values],
      },
      idIn([id]),
      { text: "claim = ?", values: [token] },
    );
  }

  async list({ state, queue, limit = 100 }: ListOptions): Promise<OutboxRow[]> {
    const { time } = this.#words;
    const column = { waiting: "available_at", dispatched: "dispatched_at", failed: "failed_at" }[state];
    const of: Sql = queue === undefined ? { text: "", values: [] } : { text: "AND queue = ?", values: [queue] };
    const { rows } = await this.#query<StoredRow>({
      text:
        `SELECT id, seq, queue, payload, delay, order_key, attempts, last_error, ${time("occurred_at")} AS occurred, ` +
        `${time("created_at")} AS created, ${time("available_at")} AS available, ` +
        `${time("dispatched_at")} AS dispatched, ${time("failed_at")} AS failed FROM ${this.#table} ` +
        `WHERE ${column} IS NOT NULL ${of.text} ` +
        `ORDER BY ${state === "waiting" ? "queue, available_at, seq" : `${column} DESC, seq DESC`} LIMIT ?`,
      values: [...of.values, limit],
    });
    return rows.map((row) => shown(row, state));
  }

  /** Lets rows that were given up or dispatched, or that wait to be tried again, be sent anew. */
  requeue(ids: readonly string[]): Promise<number> {
    const { now } = this.#words;
    return this.#change(
      `UPDATE ${this.#table} SET available_at = ${now}, dispatched_at = NULL, failed_at = NULL, attempts = 0, ` +
        "last_error = NULL",
      this.#words.idIn(ids),
      "claim IS NULL",
    );
  }

  /** Deletes rows that were not dispatched and that no relay is sending. */
  discard(ids: readonly string[]): Promise<number> {
    const { now } = this.#words;
    return this.#change(
      `DELETE FROM ${this.#table}`,
      this.#words.idIn(ids),
      `dispatched_at IS NULL AND (claim IS NULL OR available_at <= ${now})`,
    );
  }

  /** Deletes the oldest rows that were dispatched longer ago than so many seconds, one batch of them. */
  prune(olderThan: Seconds, most: number): Promise<number> {
    const { forUpdate, fromNow } = this.#words;
    const before = fromNow(-olderThan);
    const old: Sql = {
      text: `dispatched_at < ${before.text} ORDER BY dispatched_at LIMIT ?`,
      values: [...before.values, most],
    };
    return this.#database.dialect === "mysql"
      ? this.#change(`DELETE FROM ${this.#table}`, old)
      : this.#change(`DELETE FROM ${this.#table}`, {
          text: `id IN (SELECT id FROM ${this.#table} WHERE ${old.text} ${forUpdate})`,
          values: old.values,
        });
  }

  /** Runs a statement that ends with conditions; answers how many rows it changed. */
  async #change(start: Sql | string, ...conditions: readonly (Sql | string)[]): Promise<number> {
    const parts = [start, ...conditions].map((part) => (typeof part === "string" ? { text: part, values: [] } : part));
    const [head, ...rest] = parts.map(({ text }) => text);
    const { affectedRows } = await this.#query({
      text: `${head ?? ""} WHERE ${rest.join(" AND ")}`,
      values: parts.flatMap(({ values }) => values),
    });
    return affectedRows;
  }

  #query<Row>({ text, values }: Sql): Promise<QueryResult<Row>> {
    const executor: Executor = this.#database;
    return this.#again(() => executor.query<Row>(placed(this.#database.dialect, text), values));
  }

  async #again<T>(statement: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await statement();
      } catch (error) {
        if (attempt >= attempts || this.#database.failure(error).kind !== "retryable") throw error;
      }
    }
  }
}

function claimedRow({ id, seq, payload, occurred, delay, order_key, attempts }: StoredClaim): ClaimedRow {
  return {
    seq: Number(seq),
    attempts,
    message: {
      id,
      payload,
      occurredAt: timeOf(occurred),
      ...(delay === null ? {} : { delay: Number(delay) }),
      ...(order_key === null ? {} : { orderKey: order_key }),
    },
  };
}

function shown(row: StoredRow, state: RowState): OutboxRow {
  const at = (time: string | null) => (time === null ? undefined : timeOf(time));
  return {
    id: row.id,
    queue: row.queue,
    state,
    payload: row.payload,
    orderKey: row.order_key ?? undefined,
    attempts: row.attempts,
    lastError: row.last_error ?? undefined,
    createdAt: at(row.created) ?? new Date(Number.NaN),
    availableAt: at(row.available),
    dispatchedAt: at(row.dispatched),
    failedAt: at(row.failed),
  };
}
