import { theHandleItself, type HandleMethods } from "../guarded-handle.js";
import { HeldTransaction } from "../held-transaction.js";
import { failureOn, LibraryConnection, type LibraryTransaction } from "../library-connection.js";
import type { Database, QueryOptions, QueryResult } from "./database.js";

/** The members of a `Sql` or a `TransactionSql` that this needs. */
interface Runner {
  unsafe(text: string, values?: never[], options?: { prepare?: boolean }): PromiseLike<unknown>;
}

/** The members of a `TransactionSql` that this needs. */
export interface PostgresTransaction extends Runner {
  savepoint(work: (sql: PostgresTransaction) => Promise<void>): Promise<unknown>;
}

/** The members of postgres.js' `Sql` that this needs. */
export interface PostgresSql extends Runner {
  readonly options: { readonly prepare?: boolean };
  begin(options: string, work: (sql: PostgresTransaction) => Promise<void>): Promise<unknown>;
  listen(channel: string, wake: (payload: string) => void): PromiseLike<{ unlisten(): Promise<void> }>;
}

/** The type of the handle: `TransactionSql`. */
export type TransactionSqlOf<Sql extends PostgresSql> = Sql extends {
  begin(options: string, work: (sql: infer Handle extends PostgresTransaction & object) => never): unknown;
}
  ? Handle
  : never;

const methods: HandleMethods = {
  statements: new Set([theHandleItself, "unsafe"]),
  // `prepare` would make the end a PREPARE TRANSACTION: neither committed nor rolled back.
  refused: new Set(["prepare"]),
};

/**
 * PostgreSQL through postgres.js (`postgres`). Inside a transaction a statement that fails fails the whole of it, even
 * when the error was caught: give a statement that may fail a `tx.savepoint` of its own and use that one's handle.
 */
export function postgresDatabase<Sql extends PostgresSql>(sql: Sql): Database<TransactionSqlOf<Sql>> {
  const { prepare = true } = sql.options;
  const send = async <Row>(
    to: Runner,
    text: string,
    values: readonly unknown[] = [],
    { repeated = false }: QueryOptions = {},
  ): Promise<QueryResult<Row>> => {
    const rows = (await to.unsafe(text, values as never[], { prepare: prepare && repeated })) as Row[] & {
      readonly count: number | null;
    };
    return { rows, affectedRows: rows.count ?? 0 };
  };
  const transactionOf = (held: HeldTransaction<TransactionSqlOf<Sql>>): LibraryTransaction<TransactionSqlOf<Sql>> => ({
    handle: held.handle,
    ended: held.ended,
    query: (text, values, options) => send(held.handle, text, values, options),
    commit: () => held.commit(),
    rollback: () => held.rollback(),
    nest: async () => transactionOf(await HeldTransaction.open((work) => held.handle.savepoint(work as never))),
  });
  return {
    dialect: "postgres",
    query: (text, values, options) => send(sql, text, values, options),
    async begin({ isolation } = {}) {
      const mode = isolation === undefined ? "" : `isolation level ${isolation}`;
      return LibraryConnection.open(
        "postgres",
        transactionOf(await HeldTransaction.open((work) => sql.begin(mode, work as never))),
        methods,
      );
    },
    failure: failureOn("postgres"),
    // It listens again by itself when the connection was lost, so there is nothing to tell.
    async listen(channel, wake) {
      const listening = await sql.listen(channel, wake);
      let stopped: Promise<void> | undefined;
      return () => (stopped ??= listening.unlisten());
    },
  };
}
