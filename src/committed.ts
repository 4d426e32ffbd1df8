import type { TransactionScope } from "./transaction-scope.js";

/**
 * A value that a transaction produced. Only `run` of a transaction manager makes one, and what needs a commit
 * (`queue.dispatch`) takes nothing else.
 *
 * When `run` joined a transaction that was already open, the value is *pending*: dispatching it waits for the outermost
 * commit, and a rollback drops it (AC-09).
 */
export class Committed<out T> {
  /** The transaction that the work became part of; none when the work's own transaction was the outermost one. */
  readonly #joined: TransactionScope | undefined;
  readonly #value: T;

  /** @internal Use `run` of a transaction manager. */
  constructor(value: T, joined: TransactionScope | undefined) {
    this.#value = value;
    this.#joined = joined;
  }

  /** What the work returned. Of a pending value: what was written, and may still be rolled back. */
  get value(): T {
    return this.#value;
  }

  /** The same mark on another value, such as the payload of a job. `fn` runs at once. */
  map<U>(fn: (value: T) => U): Committed<U> {
    return new Committed(fn(this.#value), this.#joined);
  }

  /** @internal */
  static joinedBy(committed: Committed<unknown>): TransactionScope | undefined {
    return committed.#joined;
  }
}
