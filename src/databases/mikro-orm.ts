import { ConfigurationError } from "../errors.js";
import type { HandleMethods } from "../guarded-handle.js";
import { HeldTransaction } from "../held-transaction.js";
import { kyselyQuery, kyselyServer, type KyselyRunner } from "../kysely-query.js";
import { commitOrRollBack, failureOn, LibraryConnection, type LibraryTransaction } from "../library-connection.js";
import type { BeginOptions, Database } from "./database.js";

/** The members of a forked `EntityManager` that this needs. */
export interface MikroOrmManager {
  begin(options?: never): Promise<void>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
  flush(): Promise<void>;
  transactional(work: (em: MikroOrmManager) => Promise<void>): Promise<unknown>;
  getTransactionContext(): unknown;
  getConnection(): object;
  isInTransaction(): boolean;
  fork(): MikroOrmManager;
}

/** The members of a `MikroORM` that this needs. */
export interface MikroOrmLike<Manager extends MikroOrmManager = MikroOrmManager> {
  readonly em: Manager;
}

const methods: HandleMethods = {
  statements: new Set(["execute"]),
  refused: new Set(["begin", "commit", "rollback", "setTransactionContext", "resetTransactionContext"]),
};

/**
 * PostgreSQL, MySQL and MariaDB through MikroORM 7. Each transaction has a fork of the entity manager, which is flushed
 * before COMMIT; each savepoint has one, too, whose entities go to the outer one when it ends well. MikroORM says
 * "committed" for a transaction that the server rolled back, so the server is asked.
 *
 * @throws ConfigurationError for other databases
 */
export function mikroOrmDatabase<Manager extends MikroOrmManager>(orm: MikroOrmLike<Manager>): Database<Manager> {
  const client = clientOf(orm.em);
  const server = kyselyServer(client);
  if (server === undefined) {
    throw new ConfigurationError("This adapter knows MikroORM on PostgreSQL, MySQL and MariaDB.");
  }
  return {
    dialect: server,
    query: (text, values) => kyselyQuery(client, text, values),
    async begin(options) {
      if (orm.em.isInTransaction()) throw alreadyInOne();
      return LibraryConnection.open(server, await begin(orm.em, options), methods);
    },
    failure: failureOn(server),
  };
}

async function begin<Manager extends MikroOrmManager>(
  global: Manager,
  { isolation }: BeginOptions = {},
): Promise<LibraryTransaction<Manager>> {
  const em = global.fork() as Manager;
  await em.begin((isolation === undefined ? {} : { isolationLevel: isolation }) as never);
  const transaction = em.getTransactionContext() as { readonly isCommitted: boolean };
  return {
    ...workOf(em),
    commit: () =>
      commitOrRollBack(
        () => em.commit(),
        () => em.rollback(),
        () => transaction.isCommitted,
      ),
    rollback: () => em.rollback(),
  };
}

async function nestIn<Manager extends MikroOrmManager>(em: Manager): Promise<LibraryTransaction<Manager>> {
  const held = await HeldTransaction.open<Manager>((work) => em.transactional(work as never));
  return { ...workOf(held.handle), commit: () => held.commit(), rollback: () => held.rollback() };
}

function workOf<Manager extends MikroOrmManager>(em: Manager) {
  const transaction = em.getTransactionContext() as KyselyRunner;
  return {
    handle: em,
    query: <Row>(text: string, values: readonly unknown[]) => kyselyQuery<Row>(transaction, text, values),
    flush: () => em.flush(),
    nest: () => nestIn(em),
  };
}

/** The `Kysely` that MikroORM 7 stands on. */
function clientOf(em: MikroOrmManager): KyselyRunner {
  const connection = em.getConnection() as { getClient?: () => KyselyRunner };
  if (connection.getClient !== undefined) return connection.getClient();
  throw new ConfigurationError("This adapter knows MikroORM 7, which stands on Kysely; this is an older one.");
}

function alreadyInOne(): ConfigurationError {
  return new ConfigurationError(
    "`transactions.run` was called inside a transaction that MikroORM has opened (`em.transactional`, " +
      "`@Transactional()`). It cannot join that one, and would write beside it. Open the outermost transaction with " +
      "`transactions.run` and use `tx.handle`, whose `transactional` opens savepoints.",
  );
}
