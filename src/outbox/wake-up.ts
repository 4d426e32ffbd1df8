import type { Database } from "../databases/database.js";

/** At most one notification a queue in so many milliseconds goes out in the business transactions of this process. */
const quietMs = 5;

/**
 * Tells relays that rows are there. Those of this process are called; those of others hear PostgreSQL's NOTIFY.
 *
 * PostgreSQL commits transactions with a NOTIFY one after the other, so under load most must have none. The first after
 * a quiet time sends it in its own statement, at no cost. For those in between, one more is sent after the last of them
 * has committed. If the process dies first, relays find the rows when they look anyway.
 */
export class WakeUp {
  /** None where the database cannot notify. */
  readonly channel: string | undefined;
  readonly #database: Database;
  readonly #listeners = new Set<(queue: string) => void>();
  readonly #lastMs = new Map<string, number>();
  /** Queues with rows that no notification has told of, and the timer that will. */
  readonly #owed = new Map<string, NodeJS.Timeout>();

  constructor(database: Database, table: string) {
    this.#database = database;
    // Channels have no schema; a wake-up too many does no harm.
    this.channel = database.listen === undefined ? undefined : table.replace(/^.*\./, "").toLowerCase().slice(0, 63);
  }

  /** Called for each queue of which this process has committed rows. Returns what ends it. */
  onCommitted(listener: (queue: string) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** The channel on which a statement that writes rows of these queues is to notify, if it is to. */
  channelFor(queues: ReadonlySet<string>): string | undefined {
    if (this.channel === undefined) return undefined;
    const nowMs = performance.now();
    let due = false;
    for (const queue of queues) due ||= nowMs - (this.#lastMs.get(queue) ?? -quietMs) >= quietMs;
    if (!due) return undefined;
    for (const queue of queues) this.#lastMs.set(queue, nowMs);
    return this.channel;
  }

  /** Says that rows of this queue are committed, and whether their statement has notified. */
  committed(queue: string, notified: boolean): void {
    for (const listener of this.#listeners) listener(queue);
    if (notified || this.channel === undefined || this.#owed.has(queue)) return;
    const timer = setTimeout(() => {
      this.#owed.delete(queue);
      this.#lastMs.set(queue, performance.now());
      this.notify(queue);
    }, quietMs);
    timer.unref();
    this.#owed.set(queue, timer);
  }

  /** Notifies outside of any transaction. Nobody waits for it: polling finds what it fails to tell. */
  notify(queue: string): void {
    if (this.channel === undefined) return;
    void this.#database.query("SELECT pg_notify($1, $2)", [this.channel, queue]).catch(() => undefined);
  }
}
