import type { QueryResult } from "./databases/database.js";
import type { SqliteDriver } from "./sqlite-database.js";

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

export function betterSqlite3Driver(db: BetterSqlite3): SqliteDriver {
  return {
    isInTransaction: () => db.inTransaction,
    busyTimeoutMs: () => Number(db.pragma("busy_timeout", { simple: true })),
    exec: (text) => void db.exec(text),
    run: <Row>(text: string, values: readonly unknown[]): QueryResult<Row> => {
      const statement = db.prepare(text);
      return statement.reader
        ? { rows: statement.all(...values) as Row[], affectedRows: 0 }
        : { rows: [], affectedRows: statement.run(...values).changes };
    },
  };
}
