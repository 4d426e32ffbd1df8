import { setTimeout as sleep } from "node:timers/promises";
import { requireSeconds, type Seconds } from "../duration.js";
import { causesOf, messageOf } from "../errors.js";
import { guardHandle, type HandleMethods } from "../guarded-handle.js";
import type { CommitAnswer, Connection, Database, Failure, QueryResult } from "./database.js";

interface Statement {
  readonly reader: boolean;
  all(...values: unknown[]): unknown[];
  run(...values: unknown[]): { readonly changes: number };
}

/** The members of a `better-sqlite3` database that this needs. */
export interface BetterSqlite3 {
  readonly inTransaction: boolean;
  prepare(text: string): Statement;
  exec(text: string): unknown;
  pragma(text: string, options?: { simple?: boolean }): unknown;
}

export interface BetterSqlite3Options {
  /** How long to wait for another connection or process that is writing, in seconds. Default 5. */
  readonly busyTimeout?: Seconds;
}

const methods: HandleMethods = { statements: new Set(["prepare", "exec"]), refused: new Set(["close", "transaction"]) };

/**
 * SQLite through the library `better-sqlite3`.
 *
 * There is one connection, so transactions run one after the other, and so do statements outside of them. Everything
 * that belongs to a transaction uses `tx.handle`; the database object itself, used while a transaction is open, ends up
 * in it. Transactions take the write lock at once (BEGIN IMMEDIATE), so none fails later because another wrote first.
 */
export function betterSqlite3Database<Db extends BetterSqlite3>(
  db: Db,
  { busyTimeout = 5 }: BetterSqlite3Options = {},
): Database<Db> {
  requireSeconds(busyTimeout, "`busyTimeout`");
  const turns = new Turns();
  const patience = new Patience(db, busyTimeout);

  return {
    dialect: "sqlite",
    failure: sqliteFailure,

    async query<Row>(text: string, values?: readonly unknown[]) {
      const done = await turns.next();
      try {
        return await patience.run(() => execute<Row>(db, text, values));
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
      return new SqliteConnection(db, patience, done);
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
  readonly #db: BetterSqlite3;
  readonly #limitMs: number;
  readonly #own: string;

  constructor(db: BetterSqlite3, limit: Seconds) {
    this.#db = db;
    this.#limitMs = limit * 1000;
    this.#own = `PRAGMA busy_timeout = ${String(db.pragma("busy_timeout", { simple: true }))}`;
  }

  /** Runs one statement that returns nothing. One call of `exec` for all three: each costs as much as the statement. */
  exec(text: string): Promise<void> {
    return this.#retrying(() => {
      this.#db.exec(`PRAGMA busy_timeout = 0; ${text}; ${this.#own}`);
    });
  }

  run<T>(statement: () => T): Promise<T> {
    return this.#retrying(() => {
      this.#db.exec("PRAGMA busy_timeout = 0");
      const result = statement();
      this.#db.exec(this.#own);
      return result;
    });
  }

  async #retrying<T>(statement: () => T): Promise<T> {
    const until = Date.now() + this.#limitMs;
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
      try {
        return statement();
      } catch (error) {
        this.#db.exec(this.#own);
        if (codeOf(error)?.startsWith("SQLITE_BUSY") !== true || Date.now() + waitMs > until) throw error;
      }
      await sleep(waitMs * (0.5 + Math.random() / 2));
    }
  }
}

class SqliteConnection<Db extends BetterSqlite3> implements Connection<Db> {
  readonly #db: Db;
  readonly #patience: Patience;
  readonly #done: () => void;
  readonly #guarded;

  constructor(db: Db, patience: Patience, done: () => void) {
    this.#db = db;
    this.#patience = patience;
    this.#done = done;
    this.#guarded = guardHandle(db, methods);
  }

  get handle(): Db {
    return this.#guarded.handle;
  }

  async query<Row>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>> {
    return Promise.resolve(execute<Row>(this.#db, text, values));
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
    if (!this.#db.inTransaction) return { outcome: "rolled back" };
    try {
      await this.#patience.exec("COMMIT");
      return { outcome: "committed" };
    } catch (cause) {
      if (codeOf(cause)?.startsWith("SQLITE_IOERR") === true) throw cause;
      // A refused COMMIT (deferred foreign key, busy) leaves the transaction open.
      await this.rollback();
      return { outcome: "rolled back", cause };
    }
  }

  async rollback(): Promise<void> {
    this.#guarded.close();
    if (this.#db.inTransaction) await this.#run("ROLLBACK");
  }

  release(broken: boolean): void {
    this.#guarded.close();
    try {
      // There is no other connection to go on with, so what is left open must be ended on this one.
      if (broken && this.#db.inTransaction) this.#db.exec("ROLLBACK");
    } finally {
      this.#done();
    }
  }

  async #run(text: string): Promise<void> {
    await Promise.resolve(this.#db.exec(text));
  }
}

function execute<Row>(db: BetterSqlite3, text: string, values: readonly unknown[] = []): QueryResult<Row> {
  const statement = db.prepare(text);
  return statement.reader
    ? { rows: statement.all(...values) as Row[], affectedRows: 0 }
    : { rows: [], affectedRows: statement.run(...values).changes };
}

function sqliteFailure(error: unknown): Failure {
  for (const cause of causesOf(error)) {
    const code = codeOf(cause);
    if (code === undefined) continue;
    if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) return { kind: "retryable" };
    if (code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY") {
      // SQLite names the columns: UNIQUE constraint failed: grants.order_id, grants.reason
      return { kind: "unique violation", constraint: /failed: (.+)$/.exec(messageOf(cause))?.[1] };
    }
  }
  return { kind: "other" };
}

function codeOf(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
