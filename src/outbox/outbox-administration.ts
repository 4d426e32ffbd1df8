import type { Executor } from "../databases/database.js";
import type { Seconds } from "../duration.js";
import type { JobId } from "../job-id.js";
import type { OutboxBacklog, OutboxRow, RowState } from "./outbox-row.js";
import { placed, timeOf, type Sql } from "./outbox-sql.js";
import type { OutboxStatements } from "./outbox-statements.js";

export interface ListOptions {
  readonly state: RowState;
  /** Default: of all queues. */
  readonly queue?: string;
  /** How many rows at most. Default 100. */
  readonly limit?: number;
}

interface StoredRow {
  readonly id: JobId;
  readonly queue: string;
  readonly payload: string;
  readonly order_key: string | null;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly created: string;
  readonly available: string | null;
  readonly dispatched: string | null;
  readonly failed: string | null;
}

/** The statements of people who look after an outbox, and of jobs that mark their rows. */
export class OutboxAdministration {
  readonly #statements: OutboxStatements;

  constructor(statements: OutboxStatements) {
    this.#statements = statements;
  }

  async list({ state, queue, limit = 100 }: ListOptions): Promise<OutboxRow[]> {
    const { time } = this.#statements.words;
    const column = { waiting: "available_at", dispatched: "dispatched_at", failed: "failed_at" }[state];
    const of: Sql = queue === undefined ? { text: "", values: [] } : { text: "AND queue = ?", values: [queue] };
    const { rows } = await this.#statements.query<StoredRow>({
      text:
        `SELECT id, seq, queue, payload, delay, order_key, attempts, last_error, ${time("occurred_at")} AS occurred, ` +
        `${time("created_at")} AS created, ${time("available_at")} AS available, ` +
        `${time("dispatched_at")} AS dispatched, ${time("failed_at")} AS failed FROM ${this.#statements.table} ` +
        `WHERE ${column} IS NOT NULL ${of.text} ` +
        `ORDER BY ${state === "waiting" ? "queue, available_at, seq" : `${column} DESC, seq DESC`} LIMIT ?`,
      values: [...of.values, limit],
    });
    return rows.map((row) => shown(row, state));
  }

  /** Of each queue that has rows which are not dispatched. */
  async backlog(): Promise<OutboxBacklog[]> {
    const { now, time } = this.#statements.words;
    // One for each index.
    const of = (column: string) =>
      `SELECT queue, count(${column}) AS count, ${time("min(created_at)")} AS oldest, ${time(now)} AS present ` +
      `FROM ${this.#statements.table} WHERE ${column} IS NOT NULL GROUP BY queue`;
    interface Counted {
      readonly queue: string;
      readonly count: number | string;
      readonly oldest: string;
      readonly present: string;
    }
    const { rows: waiting } = await this.#statements.query<Counted>({ text: of("available_at"), values: [] });
    const { rows: failed } = await this.#statements.query<Counted>({ text: of("failed_at"), values: [] });
    const queues = new Map<string, OutboxBacklog>();
    for (const { queue, count, oldest, present } of waiting) {
      // Both by the database's clock.
      const ageMs = timeOf(present).getTime() - timeOf(oldest).getTime();
      queues.set(queue, { queue, waiting: Number(count), failed: 0, oldestAge: Math.max(ageMs, 0) / 1000 });
    }
    for (const { queue, count } of failed) {
      const { waiting = 0, oldestAge = 0 } = queues.get(queue) ?? {};
      queues.set(queue, { queue, waiting, failed: Number(count), oldestAge });
    }
    return [...queues.values()];
  }

  /** Lets rows that were given up or dispatched, or that wait to be tried again, be sent anew. */
  requeue(ids: readonly string[]): Promise<number> {
    const { now } = this.#statements.words;
    return this.#statements.change(
      `UPDATE ${this.#statements.table} SET available_at = ${now}, dispatched_at = NULL, failed_at = NULL, attempts = 0, ` +
        "last_error = NULL",
      this.#statements.words.idIn(ids),
      "claim IS NULL",
    );
  }

  /** Deletes rows that were not dispatched and that no relay is sending. */
  discard(ids: readonly string[]): Promise<number> {
    const { now } = this.#statements.words;
    return this.#statements.change(
      `DELETE FROM ${this.#statements.table}`,
      this.#statements.words.idIn(ids),
      `dispatched_at IS NULL AND (claim IS NULL OR available_at <= ${now})`,
    );
  }

  /** Deletes the oldest rows that were dispatched longer ago than so many seconds, one batch of them. */
  prune(olderThan: Seconds, most: number): Promise<number> {
    const { forUpdate, fromNow, idAmong } = this.#statements.words;
    const before = fromNow(-olderThan);
    const old: Sql = {
      text: `dispatched_at < ${before.text} ORDER BY dispatched_at LIMIT ?`,
      values: [...before.values, most],
    };
    return this.#statements.database.dialect === "mysql"
      ? this.#statements.change(`DELETE FROM ${this.#statements.table}`, old)
      : this.#statements.change(`DELETE FROM ${this.#statements.table}`, {
          text: idAmong(`SELECT id FROM ${this.#statements.table} WHERE ${old.text} ${forUpdate}`),
          values: old.values,
        });
  }

  /** Marks the row of a job, in the transaction of the job. Whether it was there, and not marked before. */
  async complete(executor: Executor, id: JobId): Promise<boolean> {
    const { words, table, database } = this.#statements;
    const which = words.idIn([id]);
    const { affectedRows } = await executor.query(
      placed(
        database.dialect,
        `UPDATE ${table} SET dispatched_at = ${words.now}, available_at = NULL, claim = NULL, failed_at = NULL ` +
          `WHERE ${which.text} AND dispatched_at IS NULL`,
      ),
      which.values,
    );
    return affectedRows === 1;
  }
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
