import { ConfigurationError } from "../errors.js";
import type { HandleMethods } from "../guarded-handle.js";
import { sqliteDatabase, type SqliteOptions } from "../sqlite-database.js";
import type { Database, QueryResult } from "./database.js";

export type { SqliteOptions };

interface Statement {
  columns(): readonly unknown[];
  all(...values: never[]): unknown[];
  get(...values: never[]): unknown;
  run(...values: never[]): { readonly changes: number | bigint };
}

/** The members of a `DatabaseSync` of `node:sqlite` that this needs. */
export interface NodeSqlite {
  readonly isTransaction: boolean;
  prepare(text: string): Statement;
  exec(text: string): void;
}

const methods: HandleMethods = { statements: new Set(["prepare", "exec"]), refused: new Set(["close", "open"]) };

/**
 * SQLite through Node's own `node:sqlite`, which tells since Node 22.16 whether a transaction is open.
 *
 * There is one connection, so transactions run one after the other, and so do statements outside of them. Everything
 * that belongs to a transaction uses `tx.handle`; the database object itself, used while a transaction is open, ends up
 * in it. Transactions take the write lock at once (BEGIN IMMEDIATE), so none fails later because another wrote first.
 *
 * @throws ConfigurationError on an older Node
 */
export function nodeSqliteDatabase<Db extends NodeSqlite>(db: Db, options?: SqliteOptions): Database<Db> {
  if (typeof (db as Partial<NodeSqlite>).isTransaction !== "boolean") {
    throw new ConfigurationError(
      "`node:sqlite` of this Node does not tell whether a transaction is open. Use Node 22.16 or newer, or " +
        "`aftercommit/databases/better-sqlite3`.",
    );
  }
  const driver = {
    isInTransaction: () => db.isTransaction,
    busyTimeoutMs: () => (db.prepare("PRAGMA busy_timeout").get() as { timeout: number }).timeout,
    exec: (text: string) => {
      db.exec(text);
    },
    run: <Row>(text: string, values: readonly unknown[]): QueryResult<Row> => {
      const statement = db.prepare(text);
      return statement.columns().length > 0
        ? { rows: statement.all(...(values as never[])) as Row[], affectedRows: 0 }
        : { rows: [], affectedRows: Number(statement.run(...(values as never[])).changes) };
    },
  };
  return sqliteDatabase(driver, db, methods, options);
}
