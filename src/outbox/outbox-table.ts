import type { Seconds } from "../duration.js";
import type { JobId } from "../job-id.js";
import type { ClaimedRow } from "./outbox-row.js";
import { timeOf, type Sql } from "./outbox-sql.js";
import type { OutboxStatements } from "./outbox-statements.js";

export interface Claim {
  readonly queue: string;
  /** How many rows at most. */
  readonly most: number;
  /** Says whose claim it is. Whatever is written to a claimed row asks for it. */
  readonly token: string;
  /** How long other relays leave the rows alone. */
  readonly lease: Seconds;
}

interface StoredClaim {
  readonly id: JobId;
  readonly seq: number | string;
  readonly payload: string;
  readonly occurred: string;
  readonly delay: number | string | null;
  readonly order_key: string | null;
  /** JSON text. */
  readonly meta: string | null;
  readonly attempts: number;
}

/** The statements of relays. Each is a short transaction of its own. */
export class OutboxTable {
  readonly #statements: OutboxStatements;

  constructor(statements: OutboxStatements) {
    this.#statements = statements;
  }

  /** Takes rows that may be sent, the oldest first. Rows that another relay is taking at this moment are passed over. */
  async claim({ queue, most, token, lease }: Claim): Promise<ClaimedRow[]> {
    const { now, forUpdate, time, unhurried, idAmong } = this.#statements.words;
    const waiting: Sql = {
      text:
        `FROM ${this.#statements.table} WHERE queue = ? AND available_at <= ${now} ` +
        `ORDER BY available_at, seq LIMIT ? ${forUpdate}`,
      values: [queue, most],
    };
    const columns = `id, seq, payload, ${time("occurred_at")} AS occurred, delay, order_key, meta, attempts`;
    const until = this.#statements.words.fromNow(lease);
    const set: Sql = { text: `claim = ?, available_at = ${until.text}`, values: [token, ...until.values] };

    const rows =
      this.#statements.database.dialect === "mysql"
        ? await this.#statements.again(() => this.#claimInTwo(columns, waiting, set))
        : await this.#statements
            .query<StoredClaim>({
              text:
                `UPDATE ${this.#statements.table} SET ${set.text} ` +
                `WHERE ${idAmong(`SELECT id ${waiting.text}`)} AND ${unhurried} RETURNING ${columns}`,
              values: [...set.values, ...waiting.values],
            })
            .then((result) => result.rows);
    return rows.map(claimedRow).sort((a, b) => a.seq - b.seq);
  }

  /** MySQL's UPDATE returns no rows. READ COMMITTED keeps it from locking the gaps that new rows go into. */
  async #claimInTwo(columns: string, waiting: Sql, set: Sql): Promise<readonly StoredClaim[]> {
    const connection = await this.#statements.database.begin({ isolation: "read committed" });
    let broken = true;
    try {
      const { rows } = await connection.query<StoredClaim>(`SELECT ${columns} ${waiting.text}`, waiting.values);
      if (rows.length > 0) {
        const which = this.#statements.words.idIn(rows.map(({ id }) => id));
        await connection.query(`UPDATE ${this.#statements.table} SET ${set.text} WHERE ${which.text}`, [
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
    const which = this.#statements.words.idIn(ids);
    const { rows } = await this.#statements.query<{ order_key: string; seq: number | string | null }>({
      text:
        `SELECT wanted.order_key, (SELECT other.seq FROM ${this.#statements.table} other WHERE other.queue = ? ` +
        "AND other.order_key = wanted.order_key AND other.dispatched_at IS NULL " +
        "AND (other.claim IS NULL OR other.claim <> ?) ORDER BY other.seq LIMIT 1) AS seq " +
        `FROM (SELECT DISTINCT order_key FROM ${this.#statements.table} WHERE ${which.text}) wanted`,
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
    const { now } = this.#statements.words;
    return this.#statements.change(
      `UPDATE ${this.#statements.table} SET dispatched_at = ${now}, available_at = NULL, claim = NULL`,
      this.#statements.words.idIn(ids),
      { text: `claim = ? AND ${this.#statements.words.unhurried}`, values: [token] },
    );
  }

  /** Gives rows back, to be taken by any relay after so many seconds. */
  async release(ids: readonly string[], token: string, wait: Seconds = 0): Promise<void> {
    const from = this.#statements.words.fromNow(wait);
    await this.#statements.change(
      { text: `UPDATE ${this.#statements.table} SET claim = NULL, available_at = ${from.text}`, values: from.values },
      this.#statements.words.idIn(ids),
      { text: `claim = ? AND ${this.#statements.words.unhurried}`, values: [token] },
    );
  }

  /** Lets rows of these keys that were held back go at once. */
  async free(queue: string, keys: readonly string[]): Promise<void> {
    const { now } = this.#statements.words;
    await this.#statements.change(
      `UPDATE ${this.#statements.table} SET available_at = ${now}`,
      { text: "queue = ?", values: [queue] },
      this.#statements.words.keyIn(keys),
      // Of no row that waits because it failed: that wait is its own.
      `dispatched_at IS NULL AND claim IS NULL AND attempts = 0 AND available_at > ${now}`,
    );
  }

  /** Writes down that sending this row alone has failed. `wait` is missing when it is given up. */
  async fail(id: string, token: string, error: string, wait: Seconds | undefined): Promise<void> {
    const { now, fromNow, idIn } = this.#statements.words;
    const then = wait === undefined ? { text: "NULL", values: [] } : fromNow(wait);
    await this.#statements.change(
      {
        text:
          `UPDATE ${this.#statements.table} SET attempts = attempts + 1, last_error = ?, claim = NULL, ` +
          `available_at = ${then.text}, failed_at = ${wait === undefined ? now : "NULL"}`,
        // What the column of the smallest database takes, and no NUL, which PostgreSQL refuses.
        values: [error.slice(0, 2000).replaceAll("\0", ""), ...then.values],
      },
      idIn([id]),
      { text: "claim = ?", values: [token] },
    );
  }

  /** Lets rows that were sent wait to be marked by their jobs, and be sent again after so many seconds. */
  async awaitJobs(ids: readonly string[], token: string, wait: Seconds): Promise<void> {
    const then = this.#statements.words.fromNow(wait);
    await this.#statements.change(
      {
        text: `UPDATE ${this.#statements.table} SET attempts = attempts + 1, claim = NULL, available_at = ${then.text}`,
        values: then.values,
      },
      this.#statements.words.idIn(ids),
      { text: `claim = ? AND ${this.#statements.words.unhurried}`, values: [token] },
    );
  }
}

function claimedRow({ id, seq, payload, occurred, delay, order_key, meta, attempts }: StoredClaim): ClaimedRow {
  return {
    seq: Number(seq),
    attempts,
    message: {
      id,
      payload,
      occurredAt: timeOf(occurred),
      ...(delay === null ? {} : { delay: Number(delay) }),
      ...(order_key === null ? {} : { orderKey: order_key }),
      ...(meta === null ? {} : { meta: JSON.parse(meta) as Readonly<Record<string, string>> }),
    },
  };
}
