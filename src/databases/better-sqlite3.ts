import { betterSqlite3Driver, type BetterSqlite3 } from "../better-sqlite3-driver.js";
import type { HandleMethods } from "../guarded-handle.js";
import { sqliteDatabase, type SqliteOptions } from "../sqlite-database.js";
import type { Database } from "./database.js";

export type { BetterSqlite3, SqliteOptions };

const methods: HandleMethods = { statements: new Set(["prepare", "exec"]), refused: new Set(["close", "transaction"]) };

/**
 * SQLite through the library `better-sqlite3`.
 *
 * There is one connection, so transactions run one after the other, and so do statements outside of them. Everything
 * that belongs to a transaction uses `tx.handle`; the database object itself, used while a transaction is open, ends up
 * in it. Transactions take the write lock at once (BEGIN IMMEDIATE), so none fails later because another wrote first.
 */
export function betterSqlite3Database<Db extends BetterSqlite3>(db: Db, options?: SqliteOptions): Database<Db> {
  return sqliteDatabase(betterSqlite3Driver(db), db, methods, options);
}
