/** The port that a database adapter implements. Written with the members that the core needs, and no more. */

/** Which SQL the database speaks. It decides the SQL text: `$1` in postgres, `?` in mysql and sqlite. */
export type Dialect = "postgres" | "mysql" | "sqlite";

export type IsolationLevel = "read committed" | "repeatable read" | "serializable";

export interface QueryResult<Row> {
  /** Empty for statements that return no rows. */
  readonly rows: readonly Row[];
  /**
   * Rows that the statement changed; of no meaning for reads. Not a proof of "inserted" on MySQL: use `insertOnce`
   * (F13).
   */
  readonly affectedRows: number;
}

export interface QueryOptions {
  /** The same text will come again and again, so the database may keep its plan. */
  readonly repeated?: boolean;
}

/** Runs one statement. `text` has the dialect's own placeholders; `values` are what the driver takes. */
export interface Executor {
  query<Row = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<QueryResult<Row>>;
}

/** What the server said to COMMIT. A failed COMMIT is "rolled back", with the server's error as `cause`. */
export type CommitAnswer =
  { readonly outcome: "committed" } | { readonly outcome: "rolled back"; readonly cause?: unknown };

/** A connection on which a transaction is open. Never used by two at a time, never after `release`. */
export interface Connection<Handle> extends Executor {
  /** What user code runs its statements on. Throws `TransactionClosedError` once `release` was called. */
  readonly handle: Handle;

  savepoint(name: string): Promise<void>;
  /** Rejects when the transaction is aborted; what came since the savepoint is then still to be rolled back. */
  releaseSavepoint(name: string): Promise<void>;
  /** Undoes what came since the savepoint, and removes it. Rejects when the whole transaction is gone (deadlock on MySQL). */
  rollbackToSavepoint(name: string): Promise<void>;

  /**
   * Sends COMMIT and reads the answer. After "rolled back" no transaction is open any more.
   *
   * @throws whatever happened when the outcome is unknown: the connection was lost while COMMIT was under way.
   */
  commit(): Promise<CommitAnswer>;
  /** Never rejects because the transaction is already gone; rejects when the connection is in an unknown state. */
  rollback(): Promise<void>;
  /** Gives the connection back; `broken` says that it must not be used again. Closes the handle. Called exactly once. */
  release(broken: boolean): void;
}

export interface BeginOptions {
  /** Default: the database's own. SQLite is always serializable. */
  readonly isolation?: IsolationLevel;
}

/** What an error of the driver means, wherever in the chain of causes the driver's own error stands. */
export type Failure =
  /** Serialization failure, deadlock, lock wait, busy: the same transaction may succeed when it is run again. */
  | { readonly kind: "retryable" }
  /** A unique constraint or primary key was violated; `constraint` is its name where the database tells. */
  | { readonly kind: "unique violation"; readonly constraint: string | undefined }
  /** PostgreSQL 25P02: an earlier statement of this transaction had failed. */
  | { readonly kind: "aborted" }
  | { readonly kind: "other" };

/** Ends a subscription. Safe to call twice, and after it was lost. */
export type StopListening = () => Promise<void>;

/** A transaction that somebody else has opened and will end, such as a framework with a decorator. */
export interface ForeignTransaction<Handle> {
  /** The transaction and its savepoints that are open, outermost first: for each one object, the same until it ends. */
  readonly frames: readonly object[];
  /** For statements and savepoints in it. Never ended by whoever joins. */
  readonly connection: Omit<Connection<Handle>, "commit" | "rollback" | "release">;

  /** To be told how it goes on. Called once for each transaction. */
  watch(watcher: ForeignTransactionWatcher): void;
  /** Asks the server whether the transaction is there and whole. To be sent last before COMMIT; rejects when it is not. */
  prove(): Promise<void>;
  /** Whether `prove` rejected because the transaction had been ended before. */
  isOver(error: unknown): boolean;
}

export interface ForeignTransactionWatcher {
  /** Right before COMMIT. What it throws makes the owner roll back. */
  committing(): Promise<void>;
  /** The server has confirmed COMMIT. What it throws reaches the owner's caller. */
  committed(): Promise<void>;
  /** A savepoint was released. */
  released(frame: object): void;
  /** The transaction, or a savepoint, was rolled back. */
  rolledBack(frame: object): Promise<void>;
}

export interface Database<Handle = unknown> extends Executor {
  readonly dialect: Dialect;

  /** Opens a transaction on a connection of its own. */
  begin(options?: BeginOptions): Promise<Connection<Handle>>;
  /** The open transaction of somebody else that the running code is in, where the library can tell. */
  foreign?(): ForeignTransaction<Handle> | undefined;
  /** What went wrong, for an error that came from this database. */
  failure(error: unknown): Failure;

  /**
   * PostgreSQL's LISTEN on a connection of its own. Optional, so polling must always be on: `lost` is called once
   * when the subscription broke, and whoever wants more wake-ups listens again.
   *
   * @param channel a plain name: lower-case letters, digits and `_`
   */
  listen?(channel: string, wake: (payload: string) => void, lost: (error: unknown) => void): Promise<StopListening>;
}
