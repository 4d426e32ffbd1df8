import { betterSqlite3Driver, type BetterSqlite3 } from "../better-sqlite3-driver.js";
import { mysqlResult, pgResult, type PgAnswer } from "../driver-results.js";
import { ConfigurationError } from "../errors.js";
import type { HandleMethods } from "../guarded-handle.js";
import { HeldTransaction } from "../held-transaction.js";
import { failureOn, LibraryConnection, type LibraryTransaction } from "../library-connection.js";
import { sqliteDatabase } from "../sqlite-database.js";
import type { BeginOptions, Database, QueryResult } from "./database.js";

/** The members of a transaction of Drizzle on a server that this needs. */
export interface DrizzleTransaction {
  execute(query: never): PromiseLike<unknown>;
  transaction(work: (tx: DrizzleTransaction) => Promise<void>): Promise<unknown>;
}

/** The members of Drizzle on PostgreSQL, MySQL or MariaDB that this needs. */
export interface DrizzleOnServer {
  execute(query: never): PromiseLike<unknown>;
  transaction(work: (tx: DrizzleTransaction) => Promise<void>, config?: never): Promise<unknown>;
}

/** The members of Drizzle on `better-sqlite3` that this needs. */
export interface DrizzleOnSqlite {
  readonly $client: BetterSqlite3;
  run(query: never): unknown;
}

/** The type of the handle: `PgTransaction` or `MySqlTransaction`; on SQLite, which has one connection, the database. */
export type HandleOf<Db> = Db extends DrizzleOnSqlite
  ? Db
  : Db extends { transaction(work: (tx: infer Handle) => Promise<void>, config?: never): unknown }
    ? Handle extends object
      ? Handle
      : never
    : never;

const methods: HandleMethods = {
  statements: new Set(["execute", "run", "all", "get", "values"]),
  refused: new Set(["setTransaction"]),
};

/**
 * Drizzle on `node-postgres`, `postgres-js`, `mysql2` and `better-sqlite3`. On PostgreSQL its promise says "committed" for
 * a transaction that the server rolled back, so the server is asked. On `better-sqlite3` its own transactions take no
 * async function; those of this package do.
 *
 * @throws ConfigurationError for other drivers, and over a single client, where two transactions would become one
 */
export function drizzleDatabase<Db extends DrizzleOnServer | DrizzleOnSqlite>(db: Db): Database<HandleOf<Db>> {
  const database = isOnSqlite(db)
    ? sqliteDatabase(betterSqlite3Driver(db.$client), db, methods)
    : onServer(db, serverOf(db));
  return database as Database<object> as Database<HandleOf<Db>>;
}

function onServer(db: DrizzleOnServer, server: "postgres" | "mysql"): Database<DrizzleTransaction> {
  return {
    dialect: server,
    query: (text, values) => send(db, text, values),
    begin: async (options) => LibraryConnection.open(server, await begin(db, options), methods),
    failure: failureOn(server),
  };
}

async function begin(db: DrizzleOnServer, { isolation }: BeginOptions = {}) {
  const config = isolation === undefined ? undefined : { isolationLevel: isolation };
  return transactionOf(await HeldTransaction.open<DrizzleTransaction>((work) => db.transaction(work, config as never)));
}

/** Savepoints are Drizzle's own: postgres.js below it must know of them. */
function transactionOf(held: HeldTransaction<DrizzleTransaction>): LibraryTransaction<DrizzleTransaction> {
  const { handle, ended } = held;
  return {
    handle,
    ended,
    query: (text, values) => send(handle, text, values),
    commit: () => held.commit(),
    rollback: () => held.rollback(),
    nest: async () => transactionOf(await HeldTransaction.open((work) => handle.transaction(work))),
  };
}

async function send<Row>(
  to: Pick<DrizzleTransaction, "execute">,
  text: string,
  values: readonly unknown[] = [],
): Promise<QueryResult<Row>> {
  // What Drizzle's `sql` makes in the end: it asks for no more of a query than this.
  const built = { toQuery: () => ({ sql: text, params: values }) };
  const answer = await to.execute({ getSQL: () => built } as never);
  // `postgres` answers with rows that have a count, `mysql2` with a pair, `pg` with an object.
  if (!Array.isArray(answer)) return pgResult(answer as PgAnswer);
  if ("count" in answer) return { rows: answer as Row[], affectedRows: Number(answer.count ?? 0) };
  return mysqlResult(answer[0]);
}

function isOnSqlite(db: DrizzleOnServer | DrizzleOnSqlite): db is DrizzleOnSqlite {
  return kindsOf(db).includes("BetterSQLite3Database");
}

function serverOf(db: object): "postgres" | "mysql" {
  const kinds = kindsOf(db);
  const { $client: client } = db as { readonly $client?: object };
  if (kinds.includes("NodePgDatabase") && client !== undefined && !("totalCount" in client)) {
    throw new ConfigurationError(
      "Drizzle was made over a single client of `pg`, where two transactions at once become one. Make it over a `Pool`.",
    );
  }
  if (kinds.includes("NodePgDatabase") || kinds.includes("PostgresJsDatabase")) return "postgres";
  if (kinds.includes("MySql2Database") && client !== undefined && "getConnection" in client) return "mysql";
  throw new ConfigurationError(
    "This adapter knows Drizzle over a pool of `pg`, over `postgres`, over a pool of `mysql2` and over " +
      `\`better-sqlite3\`, not ${kinds[0] ?? "this"}.`,
  );
}

/** The names that Drizzle gives to its classes, whatever copy of it they come from; the most derived first. */
function kindsOf(db: object): string[] {
  const kinds: string[] = [];
  for (
    let prototype = Object.getPrototypeOf(db) as object | null;
    prototype !== null;
    prototype = Object.getPrototypeOf(prototype) as object | null
  ) {
    const kind = (prototype.constructor as unknown as Record<symbol, unknown>)[Symbol.for("drizzle:entityKind")];
    if (typeof kind === "string") kinds.push(kind);
  }
  return kinds;
}
