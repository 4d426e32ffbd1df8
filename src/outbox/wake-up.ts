import type { Database } from "../databases/database.js";

/** So many transactions a second of this process may notify, and so many at once. */
const notificationsPerSecond = 100;
const notificationsAtOnce = 4;

/** How long rows whose transaction did not notify wait for one that does, in milliseconds. */
const owedMs = 20;

/**
 * Tells relays that rows are there. Those of this process are called; those of others hear PostgreSQL's NOTIFY.
 *
 * A NOTIFY in the statement that writes the row costs no way to the server. But PostgreSQL commits transactions that
 * notify one after the other: if all did, sixteen clients would get a quarter of their transactions done. So under load
 * most have none; their rows are told of by the next one that has, or a little later by one of its own. If the process
 * dies first, relays find the rows when they look anyway.
 */
export class WakeUp {
  /** None where the database cannot notify. */
  readonly channel: string | undefined;
  readonly #database: Database;
  readonly #listeners = new Set<(queue: string) => void>();
  #budget = notificationsAtOnce;
  #budgetAtMs = performance.now();
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

  /** The channel on which a statement that writes rows is to notify, if it is to. */
  channelForStatement(): string | undefined {
    if (this.channel === undefined) return undefined;
    const nowMs = performance.now();
    const earned = ((nowMs - this.#budgetAtMs) / 1000) * notificationsPerSecond;
    this.#budget = Math.min(this.#budget + earned, notificationsAtOnce);
    this.#budgetAtMs = nowMs;
    if (this.#budget < 1) return undefined;
    this.#budget -= 1;
    return this.channel;
  }

  /** Says that rows of this queue are committed, and whether their statement has notified. */
  committed(queue: string, notified: boolean): void {
    for (const listener of this.#listeners) listener(queue);
    if (this.channel === undefined) return;
    const owed = this.#owed.get(queue);
    if (notified) {
      clearTimeout(owed);
      this.#owed.delete(queue);
    } else if (owed === undefined) {
      const timer = setTimeout(() => {
        this.#owed.delete(queue);
        this.notify(queue);
      }, owedMs);
      timer.unref();
      this.#owed.set(queue, timer);
    }
  }

  /** Tells everybody, outside of any transaction. Nobody waits for it: polling finds what it fails to tell. */
  notify(queue: string): void {
    for (const listener of this.#listeners) listener(queue);
    if (this.channel === undefined) return;
    void this.#database.query("SELECT pg_notify($1, $2)::text", [this.channel, queue]).catch(() => undefined);
  }
}
