import { ambient } from "./ambient.js";
import {
  type Connection,
  type Database,
  type Executor,
  type QueryOptions,
  type QueryResult,
} from "./databases/database.js";
import { ConfigurationError, RolledBackError, TooManyJobsError, TransactionClosedError } from "./errors.js";
import { reach } from "./steps.js";
import { StagedWork, type Batch, type Effect, type WriteBatch } from "./staged-work.js";
import { type Transaction } from "./transaction.js";

/** What all scopes of one outermost transaction share. */
export interface Root<Handle> {
  readonly database: Database<Handle>;
  readonly connection: Omit<Connection<Handle>, "commit" | "rollback" | "release">;
  /** Told of errors of `afterRollback` effects: they must not hide why the transaction was rolled back. */
  readonly onRollbackEffectError: (error: unknown) => void;
  /** Why the whole transaction is gone although its function goes on (a deadlock on MySQL). */
  lost?: { readonly cause: unknown };
  jobs: number;
  readonly mostJobs: number | undefined;
  savepoints: number;
}

/** "ending": nothing new is taken, and the answer of the database is not there yet. */
type ScopeState = "open" | "ending" | "released" | "committed" | "rolled back" | "unknown";

/**
 * A transaction (no `parent`) or a savepoint frame of one. It is the `Transaction` that user code gets, with what
 * deliveries and the ledger need besides. They get it from `scopeOf`.
 */
export class TransactionScope<Handle = unknown> implements Transaction<Handle> {
  declare readonly "~transaction": true;
  readonly parent: TransactionScope<Handle> | undefined;
  /** The scope in which this transaction was begun, of another manager or already ended. */
  readonly enclosing: TransactionScope | undefined;
  readonly #root: Root<Handle>;
  readonly #staged = new StagedWork();
  #state: ScopeState = "open";
  /** The transaction was ended while this savepoint was still running: its statements have no place any more. */
  #abandoned = false;
  #child: { readonly scope: TransactionScope<Handle>; readonly ended: Promise<void> } | undefined;
  #halfDone: { readonly cause: unknown } | undefined;

  constructor(root: Root<Handle>, parent: TransactionScope<Handle> | undefined) {
    this.#root = root;
    this.parent = parent;
    this.enclosing = parent === undefined ? ambient.getStore() : undefined;
  }

  get handle(): Handle {
    this.assertOpen("Reading `handle`");
    return this.#root.connection.handle;
  }

  get database(): Database<Handle> {
    return this.#root.database;
  }

  get root(): Root<Handle> {
    return this.#root;
  }

  get state(): ScopeState {
    return this.#state;
  }

  afterCommit(effect: Effect): void {
    this.assertOpen("`afterCommit`");
    this.#staged.afterCommit(effect);
  }

  afterRollback(effect: Effect): void {
    this.assertOpen("`afterRollback`");
    this.#staged.afterRollback(effect);
  }

  async savepoint<R>(work: (tx: Transaction<Handle>) => Promise<R> | R): Promise<R> {
    this.assertOpen("`savepoint`");
    // Savepoints of one connection nest like a stack, so siblings wait for each other (TX-07). One that is asked for
    // from inside its open sibling would wait for ever.
    while (this.#child !== undefined) {
      if (isInside(this.#child.scope)) {
        throw new ConfigurationError(
          "`savepoint` was called on an outer transaction from inside one of its savepoints. " +
            "Call it on the `tx` that the inner function was given.",
        );
      }
      await this.#child.ended;
      this.assertOpen("`savepoint`");
    }
    const scope = new TransactionScope<Handle>(this.#root, this);
    const nested = scope.#runNested(work);
    const ended = nested.then(
      () => undefined,
      () => undefined,
    );
    this.#child = { scope, ended };
    try {
      return await nested;
    } finally {
      this.#child = undefined;
    }
  }

  async #runNested<R>(work: (tx: Transaction<Handle>) => Promise<R> | R): Promise<R> {
    const { connection } = this.#root;
    const name = `aftercommit_${(this.#root.savepoints += 1).toString()}`;
    await connection.savepoint(name);
    try {
      const result = await ambient.run(this, () => work(this));
      this.assertOpen("The end of a savepoint");
      this.assertNothingIsRunning();
      this.#state = "ending";
      await this.#release(name);
      this.released();
      return result;
    } catch (error) {
      if (!this.#abandoned) await this.#rollBackTo(name, error);
      throw error;
    }
  }

  async #release(name: string): Promise<void> {
    try {
      await this.#root.connection.releaseSavepoint(name);
    } catch (error) {
      throw new RolledBackError(
        "The savepoint was rolled back: a statement in it had failed and its error was swallowed. " +
          "Let the error through, or give the statement that may fail a savepoint of its own.",
        error,
      );
    }
  }

  async #rollBackTo(name: string, cause: unknown): Promise<void> {
    this.end();
    try {
      await this.#root.connection.rollbackToSavepoint(name);
    } catch {
      // The savepoint is gone, so the whole transaction is: whatever outer code catches, it cannot commit any more.
      this.#root.lost ??= { cause };
    }
    await this.rolledBack();
  }

  /** Runs a statement in this transaction. For deliveries and the ledger; user code has `handle`. */
  query<Row>(text: string, values?: readonly unknown[], options?: QueryOptions): Promise<QueryResult<Row>> {
    const send = () => {
      this.assertOpen("A statement");
      return this.#root.connection.query<Row>(text, values, options);
    };
    return reach({ at: "statement", text })?.then(send) ?? send();
  }

  /** Counts a job that is asked for, in the whole transaction (AC-14). */
  countJob(queue: string): void {
    const { mostJobs } = this.#root;
    if (mostJobs !== undefined && (this.#root.jobs += 1) > mostJobs) throw new TooManyJobsError(queue, mostJobs);
  }

  /** Adds an item to what `batch` writes, all items of the whole transaction at once, right before COMMIT. */
  beforeCommit<Item>(batch: WriteBatch<Item>, item: Item): void {
    this.assertOpen("`enqueue`");
    this.#staged.beforeCommit(batch, item);
  }

  /** Adds an item to what `batch` does with all its items at once, after the outermost commit. */
  afterCommitTogether<Item>(batch: Batch<Item>, item: Item): void {
    this.#staged.afterCommitTogether(batch, item);
  }

  /** Writes what was staged for the moment before COMMIT. */
  async writeStaged(): Promise<void> {
    const executor: Executor = this.#root.connection;
    await this.#staged.write(executor);
  }

  /** For who has written half of what belongs together: this frame must not be committed, whoever catches the error. */
  refuseCommit(cause: unknown): void {
    this.#halfDone ??= { cause };
  }

  /** Takes nothing new from now on, neither here nor in savepoints that nobody has awaited. */
  end(): void {
    this.#state = "ending";
    const running = this.#child?.scope;
    if (running === undefined) return;
    running.#abandoned = true;
    running.end();
  }

  /** What was staged in this savepoint is the enclosing frame's from now on. */
  released(): void {
    this.#state = "released";
    if (this.parent !== undefined) this.parent.#staged.absorb(this.#staged);
  }

  committed(): void {
    this.#state = "committed";
  }

  unknown(): void {
    this.#state = "unknown";
  }

  /** Marks the scope and runs its rollback effects, last registered first (TX-06). */
  async rolledBack(): Promise<void> {
    this.#state = "rolled back";
    await this.#child?.scope.rolledBack();
    for (const error of await this.#staged.runRollbackEffects()) this.#root.onRollbackEffectError(error);
  }

  /** Runs every effect; returns what they threw. */
  runCommitEffects(order: "registration" | "inner first"): Promise<unknown[]> {
    return this.#staged.runCommitEffects(order);
  }

  /** Whether this is that scope, or a savepoint in it. */
  isWithin(outer: TransactionScope): boolean {
    return this === outer || this.parent?.isWithin(outer) === true;
  }

  assertOpen(use: string): void {
    if (this.#state !== "open") throw new TransactionClosedError(use);
  }

  /** A savepoint that still runs means that somebody did not await it; half of it would be committed. */
  assertNothingIsRunning(): void {
    if (this.#halfDone !== undefined) {
      throw new RolledBackError(
        "The effect of a ledger's operation had failed and its error was swallowed, so all was rolled back. Let the " +
          "error through, or give what may fail a savepoint of its own.",
        this.#halfDone.cause,
      );
    }
    if (this.#child === undefined) return;
    throw new RolledBackError(
      "The transaction's function returned while a savepoint or a joined `run` inside it was still running, " +
        "so it was rolled back. Await it.",
    );
  }
}

function isInside(scope: TransactionScope): boolean {
  for (let current = ambient.getStore(); current !== undefined; current = current.parent ?? current.enclosing) {
    if (current === scope) return true;
  }
  return false;
}

/**
 * What deliveries and the ledger need of a transaction.
 *
 * @param database the database that the transaction must belong to; any when left out
 * @throws ConfigurationError when `tx` is no transaction of this package, or one of another database (OB-12, OB-13)
 * @throws TransactionClosedError when it has ended
 */
export function scopeOf(tx: Transaction, database?: Database): TransactionScope {
  const given: unknown = tx;
  if (!(given instanceof TransactionScope)) {
    throw new ConfigurationError(
      "This needs the `tx` that `transactions.run` or `tx.savepoint` gives to its function, not a database handle or " +
        "anything else. Nothing was written.",
    );
  }
  if (database !== undefined && given.database !== database) {
    throw new ConfigurationError(
      "The transaction belongs to another database than the one this writes to, so they cannot commit together. " +
        "Nothing was written. Use the transaction manager that this was created with.",
    );
  }
  given.assertOpen("This");
  return given;
}
