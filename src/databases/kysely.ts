import { ConfigurationError } from "../errors.js";
import type { HandleMethods } from "../guarded-handle.js";
import { HeldTransaction } from "../held-transaction.js";
import { kyselyQuery, kyselyServer, type KyselyRunner } from "../kysely-query.js";
import { failureOn, LibraryConnection, type LibraryTransaction } from "../library-connection.js";
import type { BeginOptions, Database, IsolationLevel } from "./database.js";

interface TransactionBuilder {
  setIsolationLevel(level: IsolationLevel): TransactionBuilder;
  execute(work: (trx: KyselyRunner) => Promise<void>): Promise<unknown>;
}

/** The members of a `Kysely` that this needs. */
export interface KyselyLike extends KyselyRunner {
  transaction(): TransactionBuilder;
}

/** The type of the handle: `Transaction`. */
export type TransactionOf<Db extends KyselyLike> = Db extends {
  transaction(): { execute(work: (trx: infer Handle extends KyselyRunner) => Promise<void>): unknown };
}
  ? Handle
  : never;

const methods: HandleMethods = {
  statements: new Set(["executeQuery"]),
  refused: new Set(["destroy"]),
  // Where `sql` templates go.
  inner: { getExecutor: { statements: new Set(["executeQuery"]), refused: new Set() } },
};

/**
 * PostgreSQL, and MySQL or MariaDB, through Kysely, with its own dialects or others.
 *
 * @throws ConfigurationError for other databases
 */
export function kyselyDatabase<Db extends KyselyLike>(db: Db): Database<TransactionOf<Db>> {
  const server = kyselyServer(db);
  if (server === undefined) {
    throw new ConfigurationError(
      "This adapter knows Kysely on PostgreSQL, MySQL and MariaDB. For SQLite give the database below Kysely to " +
        "`aftercommit/databases/better-sqlite3`.",
    );
  }
  return {
    dialect: server,
    query: (text, values) => kyselyQuery(db, text, values),
    begin: async (options) => LibraryConnection.open(server, await begin(db, options), methods),
    failure: failureOn(server),
  };
}

async function begin<Db extends KyselyLike>(
  db: Db,
  { isolation }: BeginOptions = {},
): Promise<LibraryTransaction<TransactionOf<Db>>> {
  const builder = isolation === undefined ? db.transaction() : db.transaction().setIsolationLevel(isolation);
  // Not `startTransaction`: in many versions it keeps the connection for ever when that is lost.
  const held = await HeldTransaction.open<TransactionOf<Db>>((work) => builder.execute(work as never));
  return {
    handle: held.handle,
    ended: held.ended,
    query: (text, values) => kyselyQuery(held.handle, text, values),
    commit: () => held.commit(),
    rollback: () => held.rollback(),
  };
}
