import { setTimeout as sleep } from "node:timers/promises";
import type { CommitAnswer, Connection, Database, QueryResult } from "./databases/database.js";
import { requireSeconds, type Seconds } from "./duration.js";
import { guardHandle, type HandleMethods } from "./guarded-handle.js";
import { sqliteCodeOf, sqliteFailure } from "./sqlite-errors.js";

/** The one connection of a library to SQLite. */
export interface SqliteDriver {
  isInTransaction(): boolean;
  exec(text: string): void;
  run<Row>(text: string, values: readonly unknown[]): QueryResult<Row>;
  /** SQLite's own wait for a lock, in milliseconds. */
  busyTimeoutMs(): number;
}

export interface SqliteOptions {
  /** How long to wait for another connection or process that is writing, in seconds. Default 5. */
  readonly busyTimeout?: Seconds;
}

/**
 * There is one connection, so transactions run one after the other, and so do statements outside of them. Everything
 * that belongs to a transaction uses `tx.handle`; the library's object itself, used while a transaction is open, ends up
 * in it. Transactions take the write lock at once (BEGIN IMMEDIATE), so none fails later because another wrote first.
 *
 * @param handle what transactions give to user code, and what of it needs an eye
 */
export function sqliteDatabase<Handle extends object>(
  driver: SqliteDriver,
  handle: Handle,
  methods: HandleMethods,
  { busyTimeout = 5 }: SqliteOptions = {},
): Database<Handle> {
  requireSeconds(busyTimeout, "`busyTimeout`");
  const turns = new Turns();
  const patience = new Patience(driver, busyTimeout);

  return {
    dialect: "sqlite",
    failure: sqliteFailure,

    async query<Row>(text: string, values: readonly unknown[] = []) {
      const done = await turns.next();
      try {
        return await patience.run(() => driver.run<Row>(text, values));
      } finally {
        done();
      }
    },

    async begin() {
      const done = await turns.next();
      try {
        await patience.exec("BEGIN IMMEDIATE");
      } catch (error) {
        done();
        throw error;
      }
      return new SqliteConnection(driver, handle, methods, patience, done);
    },
  };
}

/** Hands the one connection from one user to the next. */
class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn, to the function that ends it. */
  async next(): Promise<() => void> {
    let done: () => void = () => undefined;
    const before = this.#last;
    this.#last = new Promise((resolve) => {
      done = resolve;
    });
    await before;
    return done;
  }
}

/**
 * Waits for a lock without blocking the event loop. SQLite's own waiting would, and whoever holds the lock may need this
 * process's event loop to let it go.
 */
class Patience {
  readonly #driver: SqliteDriver;
  readonly #limitMs: number;
  readonly #own: string;

  constructor(driver: SqliteDriver, limit: Seconds) {
    this.#driver = driver;
    this.#limitMs = limit * 1000;
    this.#own = `PRAGMA busy_timeout = ${driver.busyTimeoutMs()}`;
  }

  /** Runs one statement that returns nothing. One call of `exec` for all three: each costs as much as the statement. */
  exec(text: string): Promise<void> {
    return this.#retrying(() => {
      this.#driver.exec(`PRAGMA busy_timeout = 0; ${text}; ${this.#own}`);
    });
  }

  run<T>(statement: () => T): Promise<T> {
    return this.#retrying(() => {
      this.#driver.exec("PRAGMA busy_timeout = 0");
      const result = statement();
      this.#driver.exec(this.#own);
      return result;
    });
  }

  async #retrying<T>(statement: () => T): Promise<T> {
    const until = Date.now() + this.#limitMs;
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
      try {
        return statement();
      } catch (error) {
        this.#driver.exec(this.#own);
        if (sqliteCodeOf(error)?.startsWith("SQLITE_BUSY") !== true || Date.now() + waitMs > until) throw error;
      }
      await sleep(waitMs * (0.5 + Math.random() / 2));
    }
  }
}

class SqliteConnection<Handle extends object> implements Connection<Handle> {
  readonly #driver: SqliteDriver;
  readonly #patience: Patience;
  readonly #done: () => void;
  readonly #guarded;

  constructor(driver: SqliteDriver, handle: Handle, methods: HandleMethods, patience: Patience, done: () => void) {
    this.#driver = driver;
    this.#patience = patience;
    this.#done = done;
    this.#guarded = guardHandle(handle, methods);
  }

  get handle(): Handle {
    return this.#guarded.handle;
  }

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<QueryResult<Row>> {
    return Promise.resolve(this.#driver.run<Row>(text, values));
  }

  savepoint(name: string): Promise<void> {
    return this.#run(`SAVEPOINT ${name}`);
  }

  releaseSavepoint(name: string): Promise<void> {
    return this.#run(`RELEASE SAVEPOINT ${name}`);
  }

  rollbackToSavepoint(name: string): Promise<void> {
    return this.#run(`ROLLBACK TO SAVEPOINT ${name}; RELEASE SAVEPOINT ${name}`);
  }

  async commit(): Promise<CommitAnswer> {
    this.#guarded.close();
    // Some errors (full disk, I/O, deadlock) make SQLite roll back by itself, whoever swallowed them.
    if (!this.#driver.isInTransaction()) return { outcome: "rolled back" };
    try {
      await this.#patience.exec("COMMIT");
      return { outcome: "committed" };
    } catch (cause) {
      if (sqliteCodeOf(cause)?.startsWith("SQLITE_IOERR") === true) throw cause;
      // A refused COMMIT (deferred foreign key, busy) leaves the transaction open.
      await this.rollback();
      return { outcome: "rolled back", cause };
    }
  }

  async rollback(): Promise<void> {
    this.#guarded.close();
    if (this.#driver.isInTransaction()) await this.#run("ROLLBACK");
  }

  release(broken: boolean): void {
    this.#guarded.close();
    try {
      // There is no other connection to go on with, so what is left open must be ended on this one.
      if (broken && this.#driver.isInTransaction()) this.#driver.exec("ROLLBACK");
    } finally {
      this.#done();
    }
  }

  async #run(text: string): Promise<void> {
    this.#driver.exec(text);
    await Promise.resolve();
  }
}
