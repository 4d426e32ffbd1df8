import { driverConnection } from "../driver-connection.js";
import { ConfigurationError } from "../errors.js";
import type { HandleMethods } from "../guarded-handle.js";
import { commitOrRollBack, failureOn, LibraryConnection, type LibraryTransaction } from "../library-connection.js";
import type { BeginOptions, Database, ForeignTransaction, ForeignTransactionWatcher } from "./database.js";

/** The members of a `QueryRunner` that this needs. */
export interface TypeormQueryRunner<Manager extends object = object> {
  readonly manager: Manager;
  readonly isTransactionActive: boolean;
  connect(): Promise<unknown>;
  startTransaction: (isolation?: "READ COMMITTED" | "REPEATABLE READ" | "SERIALIZABLE") => Promise<void>;
  commitTransaction: () => Promise<void>;
  rollbackTransaction: () => Promise<void>;
  release(): Promise<void>;
}

/** The members of a `DataSource` that this needs. */
export interface TypeormDataSource<Manager extends object = object> {
  readonly options: { readonly type: string };
  readonly manager: { readonly queryRunner?: TypeormQueryRunner<Manager> | undefined };
  createQueryRunner(): TypeormQueryRunner<Manager>;
}

/** The type of the handle: `EntityManager`. */
export type ManagerOf<Source> = Source extends TypeormDataSource<infer Manager> ? Manager : never;

const methods: HandleMethods = {
  statements: new Set(["query"]),
  refused: new Set(["release"]),
  inner: {
    queryRunner: {
      statements: new Set(["query"]),
      refused: new Set(["startTransaction", "commitTransaction", "rollbackTransaction", "release"]),
    },
  },
};

const servers: Readonly<Record<string, "postgres" | "mysql">> = {
  postgres: "postgres",
  mysql: "mysql",
  mariadb: "mysql",
};

/**
 * PostgreSQL, MySQL and MariaDB through TypeORM. Its promises and its `afterTransactionCommit` say "committed" for a
 * transaction that the server rolled back, so the server is asked.
 *
 * @throws ConfigurationError for other databases
 */
export function typeormDatabase<Source extends TypeormDataSource>(dataSource: Source): Database<ManagerOf<Source>> {
  const server = servers[dataSource.options.type];
  const joined = new WeakMap<object, JoinedTransaction<ManagerOf<Source>>>();
  if (server === undefined) {
    throw new ConfigurationError(
      `This adapter knows TypeORM on PostgreSQL, MySQL and MariaDB, not on ${dataSource.options.type}. On SQLite all ` +
        "transactions of TypeORM share one query runner, so one that runs beside another becomes a part of it.",
    );
  }
  return {
    dialect: server,
    async query(text, values) {
      const runner = dataSource.createQueryRunner();
      try {
        return await driverConnection(server, await runner.connect()).query(text, values);
      } finally {
        await runner.release();
      }
    },
    begin: async (options) => LibraryConnection.open(server, await begin(dataSource, server, options), methods),
    failure: failureOn(server),
    foreign() {
      // `typeorm-transactional` makes this the manager of its transaction while one is open.
      const runner = dataSource.manager.queryRunner as Runner<ManagerOf<Source>> | undefined;
      if (runner?.isTransactionActive !== true) return undefined;
      let transaction = joined.get(runner);
      // A runner may carry several transactions, one after the other.
      if (transaction === undefined || transaction.frames.length === 0) {
        transaction = new JoinedTransaction(server, runner);
        joined.set(runner, transaction);
      }
      return transaction;
    },
  };
}

async function begin<Source extends TypeormDataSource>(
  dataSource: Source,
  server: "postgres" | "mysql",
  { isolation }: BeginOptions = {},
): Promise<LibraryTransaction<ManagerOf<Source>>> {
  const runner = dataSource.createQueryRunner();
  try {
    const connection = driverConnection(server, await runner.connect());
    await runner.startTransaction(isolation === undefined ? undefined : upper[isolation]);
    return {
      handle: runner.manager as ManagerOf<Source>,
      query: (text, values) => connection.query(text, values),
      commit: () =>
        commitOrRollBack(
          () => runner.commitTransaction(),
          () => runner.rollbackTransaction(),
          () => !runner.isTransactionActive,
        ),
      rollback: () => runner.rollbackTransaction(),
      release(broken) {
        if (broken) connection.destroy();
        void runner.release();
      },
    };
  } catch (error) {
    await runner.release();
    throw error;
  }
}

/** The depth is TypeORM's own count of savepoints, plus one. */
type Runner<Manager extends object> = TypeormQueryRunner<Manager> & { readonly transactionDepth: number };

/**
 * A transaction that somebody else has begun on a query runner, and ends on it. TypeORM's subscribers cannot serve here:
 * they are told of a commit that was none. So this stands between the owner and the runner until the transaction ends.
 */
class JoinedTransaction<Manager extends object> implements ForeignTransaction<Manager> {
  readonly frames: object[] = [];
  readonly connection: LibraryConnection<Manager>;
  readonly #runner: Runner<Manager>;
  #marked: Promise<void>;

  constructor(server: "postgres" | "mysql", runner: Runner<Manager>) {
    this.#runner = runner;
    const driver = runner.connect().then((connection) => driverConnection(server, connection));
    const transaction: LibraryTransaction<Manager> = {
      handle: runner.manager,
      query: async (text, values) => (await driver).query(text, values),
      commit: () => runner.commitTransaction(),
      rollback: () => runner.rollbackTransaction(),
    };
    this.connection = new LibraryConnection(server, transaction, methods);
    this.#marked = this.#mark();
    while (this.frames.length < runner.transactionDepth) this.frames.push({});
  }

  watch(watcher: ForeignTransactionWatcher): void {
    const { startTransaction, commitTransaction, rollbackTransaction } = this.#runner;
    const onRunner = <Args extends unknown[]>(method: (...args: Args) => Promise<void>, ...args: Args) =>
      method.apply(this.#runner, args);
    let sentCommit = false;

    this.#runner.startTransaction = async (isolation) => {
      await onRunner(startTransaction, isolation);
      this.frames.push({});
    };
    this.#runner.commitTransaction = async () => {
      if (this.frames.length > 1) {
        await onRunner(commitTransaction);
        watcher.released(this.#pop());
        return;
      }
      await watcher.committing();
      sentCommit = true;
      await onRunner(commitTransaction).catch((error: unknown) => {
        // A subscriber that fails after the COMMIT, or the COMMIT itself.
        if (this.#runner.isTransactionActive) throw error;
        process.emitWarning(error instanceof Error ? error : String(error));
      });
      this.#pop();
      this.#end({ startTransaction, commitTransaction, rollbackTransaction });
      await watcher.committed();
    };
    this.#runner.rollbackTransaction = async () => {
      const frame = this.#pop();
      if (this.frames.length > 0) {
        await onRunner(rollbackTransaction);
        // The mark was gone with what came after the savepoint, if it was set there.
        this.#marked = this.#mark();
        await watcher.rolledBack(frame);
        return;
      }
      this.#end({ startTransaction, commitTransaction, rollbackTransaction });
      try {
        await onRunner(rollbackTransaction);
        sentCommit = false;
      } finally {
        // Without a COMMIT the server rolls back by itself when the connection is lost. With one, nobody knows.
        if (!sentCommit) await watcher.rolledBack(frame);
      }
    };
  }

  async prove(): Promise<void> {
    await this.#marked;
    await this.connection.prove();
  }

  isOver(error: unknown): boolean {
    return this.connection.isOver(error);
  }

  #mark(): Promise<void> {
    const marked = this.connection.mark();
    // Waited for before COMMIT.
    marked.catch(() => undefined);
    return marked;
  }

  #pop(): object {
    return this.frames.pop() ?? {};
  }

  #end(own: Pick<Runner<Manager>, "startTransaction" | "commitTransaction" | "rollbackTransaction">): void {
    Object.assign(this.#runner, own);
    this.connection.close();
  }
}

const upper = {
  "read committed": "READ COMMITTED",
  "repeatable read": "REPEATABLE READ",
  serializable: "SERIALIZABLE",
} as const;
