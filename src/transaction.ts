/** An open transaction, or a savepoint frame of one, as the function given to `run` or `savepoint` gets it. */
export interface Transaction<out Handle = unknown> {
  /** Keeps other objects from being passed for a transaction. */
  readonly "~transaction": true;

  /**
   * The library's own handle. What runs on it belongs to this transaction; it throws once the transaction has ended.
   *
   * @throws TransactionClosedError when the transaction has ended (TX-16)
   */
  readonly handle: Handle;

  /**
   * Runs work that can be rolled back alone: when it throws, its statements, effects and enqueued jobs are undone, and
   * the error goes on to the caller. Savepoints that are asked for at the same time run one after the other.
   *
   * @throws TransactionClosedError, or RolledBackError when a statement's error was swallowed inside
   */
  savepoint<R>(work: (tx: Transaction<Handle>) => Promise<R> | R): Promise<R>;

  /**
   * Runs `effect` once, after the outermost commit was confirmed, and never when this frame is rolled back. It is lost
   * when the process dies first; a job that must not be lost goes through an outbox.
   *
   * @throws TransactionClosedError when the transaction has ended (TX-16)
   */
  afterCommit(effect: () => unknown): void;

  /**
   * Runs `effect` once when this frame was rolled back, last registered first. Not when the outcome is unknown (TX-18).
   *
   * @throws TransactionClosedError when the transaction has ended
   */
  afterRollback(effect: () => unknown): void;
}
