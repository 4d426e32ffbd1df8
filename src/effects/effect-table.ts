import type { Database } from "../databases/database.js";
import type { Seconds } from "../duration.js";
import type { JobId } from "../job-id.js";
import { timeOf, type Sql } from "../outbox/outbox-sql.js";
import { OutboxStatements } from "../outbox/outbox-statements.js";
import type { EffectRecord, EffectState } from "./effect-record.js";

/** What is written down before a call. */
export interface Intention {
  readonly key: string;
  readonly service: string;
  readonly takesKey: boolean;
  /** JSON text. */
  readonly request: string;
  readonly fingerprint: string;
  /** Says whose call it is. */
  readonly call: string;
  /** How long nobody else may decide about it. */
  readonly openFor: Seconds;
  readonly job: { readonly queue: string; readonly id: string } | undefined;
}

/** A row as a call needs it. */
export interface StoredEffect {
  readonly state: EffectState;
  readonly takes_key: number | bigint;
  readonly fingerprint: string;
  readonly request: string;
  readonly answer: string | null;
  readonly call_id: string;
  /** 1 when its time is over, 0 before. */
  readonly is_over: number | bigint;
}

/** What became of a call. */
export interface Ending {
  readonly state: EffectState;
  readonly answer?: string | undefined;
  readonly error?: string;
}

interface ShownRow {
  readonly operation_key: string;
  readonly service: string;
  readonly state: EffectState;
  readonly request: string;
  readonly answer: string | null;
  readonly last_error: string | null;
  readonly note: string | null;
  readonly calls: number | bigint;
  readonly queue: string | null;
  readonly job_id: JobId | null;
  readonly intended: string;
  readonly decided: string | null;
  readonly is_over: number | bigint;
}

/** Of rows about which nothing is decided. */
const undecided = "open_until IS NOT NULL";

/** The statements on the table of external effects. Each is a short transaction of its own, committed when it returns. */
export class EffectTable {
  readonly #statements: OutboxStatements;

  constructor(database: Database, table: string) {
    this.#statements = new OutboxStatements(database, table);
  }

  get #isOver(): string {
    return `CASE WHEN open_until <= ${this.#statements.words.now} THEN 1 ELSE 0 END AS is_over`;
  }

  /** Writes an intention down, unless its key is there. */
  async intend(intention: Intention): Promise<"inserted" | "duplicate"> {
    const { words, database, table } = this.#statements;
    const until = words.fromNow(intention.openFor);
    const text =
      `INSERT INTO ${table} (operation_key, service, state, takes_key, fingerprint, request, call_id, calls, queue, ` +
      `job_id, intended_at, open_until) VALUES (?, ?, 'intended', ?, ?, ?, ?, 1, ?, ?, ${words.now}, ${until.text})`;
    const values = [
      intention.key,
      intention.service,
      Number(intention.takesKey),
      intention.fingerprint,
      intention.request,
      intention.call,
      intention.job?.queue ?? null,
      intention.job?.id ?? null,
      ...until.values,
    ];
    if (database.dialect !== "mysql") {
      const { affectedRows } = await this.#statements.query({
        text: `${text} ON CONFLICT (operation_key) DO NOTHING`,
        values,
      });
      return affectedRows === 1 ? "inserted" : "duplicate";
    }
    try {
      await this.#statements.query({ text, values });
      return "inserted";
    } catch (error) {
      const failure = database.failure(error);
      if (failure.kind === "unique violation" && failure.constraint === "PRIMARY") return "duplicate";
      throw error;
    }
  }

  async read(key: string): Promise<StoredEffect | undefined> {
    const { rows } = await this.#statements.query<StoredEffect>({
      text:
        `SELECT state, takes_key, fingerprint, request, answer, call_id, ${this.#isOver} ` +
        `FROM ${this.#statements.table} WHERE operation_key = ?`,
      values: [key],
    });
    return rows[0];
  }

  /**
   * Takes over a row for another call, unless somebody else has meanwhile.
   *
   * @param found the row as it was read
   * @returns whether it was taken
   */
  async intendAgain(intention: Intention, found: StoredEffect): Promise<boolean> {
    const { words, table } = this.#statements;
    const { key, call, job, request, fingerprint, openFor } = intention;
    const until = words.fromNow(openFor);
    // Of a service that takes keys, the time counts from the first call with the key.
    const opened: Sql =
      found.state === "not sent"
        ? {
            text: `, takes_key = ?, request = ?, fingerprint = ?, intended_at = ${words.now}, open_until = ${until.text}`,
            values: [Number(intention.takesKey), request, fingerprint, ...until.values],
          }
        : { text: "", values: [] };
    const count = await this.#statements.change(
      {
        text:
          `UPDATE ${table} SET state = 'intended', call_id = ?, calls = calls + 1, queue = ?, job_id = ?, ` +
          `decided_at = NULL${opened.text}`,
        values: [call, job?.queue ?? null, job?.id ?? null, ...opened.values],
      },
      { text: "operation_key = ? AND call_id = ? AND state = ?", values: [key, found.call_id, found.state] },
    );
    return count === 1;
  }

  /**
   * Writes down how a call has ended. Of a service that takes keys any call may say so: all of them are one operation.
   *
   * @returns whether nothing was decided before
   */
  async end({ key, call, takesKey }: Intention, { state, answer, error }: Ending): Promise<boolean> {
    const { words, table } = this.#statements;
    const isDecided = state !== "unknown";
    // Nobody may ask a service without keys again: it waits for a person from now on.
    const openUntil = isDecided ? "NULL" : takesKey ? "open_until" : words.now;
    const count = await this.#statements.change(
      {
        text:
          `UPDATE ${table} SET state = ?, answer = ?, last_error = ?, open_until = ${openUntil}, ` +
          `decided_at = ${isDecided ? words.now : "NULL"}`,
        values: [state, answer ?? null, error === undefined ? null : shortened(error)],
      },
      { text: "operation_key = ?", values: [key] },
      undecided,
      ...(takesKey && state !== "not sent" ? [] : [{ text: "call_id = ?", values: [call] }]),
    );
    return count === 1;
  }

  /** Notes that nobody knows what became of a call whose process did not write it down. */
  async giveUp(key: string, call: string): Promise<void> {
    await this.#statements.change(
      `UPDATE ${this.#statements.table} SET state = 'unknown'`,
      { text: "operation_key = ? AND call_id = ?", values: [key, call] },
      "state = 'intended'",
    );
  }

  /** Writes down what a person has found out, about a row that waits for one. Whether there was one. */
  async resolve(
    key: string,
    state: EffectState,
    answer: string | undefined,
    note: string | undefined,
  ): Promise<boolean> {
    const { words, table } = this.#statements;
    const count = await this.#statements.change(
      {
        text: `UPDATE ${table} SET state = ?, answer = ?, note = ?, open_until = NULL, decided_at = ${words.now}`,
        values: [state, answer ?? null, note ?? null],
      },
      { text: `operation_key = ? AND open_until <= ${words.now}`, values: [key] },
    );
    return count === 1;
  }

  /** The rows in a state, or those that wait for a person; the oldest first. */
  async list(state: EffectState | "review", service: string | undefined, limit: number): Promise<EffectRecord[]> {
    const { words, table } = this.#statements;
    const which: Sql =
      state === "review" ? { text: `open_until <= ${words.now}`, values: [] } : { text: "state = ?", values: [state] };
    const of: Sql = service === undefined ? { text: "", values: [] } : { text: " AND service = ?", values: [service] };
    const { rows } = await this.#statements.query<ShownRow>({
      text:
        "SELECT operation_key, service, state, request, answer, last_error, note, calls, queue, job_id, " +
        `${words.time("intended_at")} AS intended, ${words.time("decided_at")} AS decided, ${this.#isOver} ` +
        `FROM ${table} WHERE ${which.text}${of.text} ` +
        `ORDER BY ${state === "review" ? "open_until" : "intended_at"}, operation_key LIMIT ?`,
      values: [...which.values, ...of.values, limit],
    });
    return rows.map(shown);
  }

  /** Deletes the oldest rows that were decided longer ago than so many seconds, one batch of them. */
  prune(olderThan: Seconds, most: number): Promise<number> {
    const { words, table, database } = this.#statements;
    const before = words.fromNow(-olderThan);
    const old: Sql = {
      text: `decided_at < ${before.text} ORDER BY decided_at LIMIT ?`,
      values: [...before.values, most],
    };
    return database.dialect === "mysql"
      ? this.#statements.change(`DELETE FROM ${table}`, old)
      : this.#statements.change(`DELETE FROM ${table}`, {
          text: `operation_key IN (SELECT operation_key FROM ${table} WHERE ${old.text} ${words.forUpdate})`,
          values: old.values,
        });
  }
}

/** What the column of the smallest database takes, and no NUL, which PostgreSQL refuses. */
function shortened(error: string): string {
  return error.slice(0, 2000).replaceAll("\0", "");
}

function shown(row: ShownRow): EffectRecord {
  return {
    key: row.operation_key,
    service: row.service,
    state: row.state,
    needsReview: Number(row.is_over) === 1,
    request: row.request,
    answer: row.answer ?? undefined,
    lastError: row.last_error ?? undefined,
    note: row.note ?? undefined,
    calls: Number(row.calls),
    queue: row.queue ?? undefined,
    jobId: row.job_id ?? undefined,
    intendedAt: timeOf(row.intended),
    decidedAt: row.decided === null ? undefined : timeOf(row.decided),
  };
}
