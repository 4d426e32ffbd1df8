import { driverConnection } from "../driver-connection.js";
import { ConfigurationError } from "../errors.js";
import type { HandleMethods } from "../guarded-handle.js";
import { failureOn, LibraryConnection, type LibraryTransaction } from "../library-connection.js";
import type { BeginOptions, Database } from "./database.js";

/** The members of a `Transaction` that this needs. */
export interface SequelizeTransaction {
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/** The members of a `Sequelize` of version 6 that this needs. */
export interface SequelizeLike {
  readonly connectionManager: {
    getConnection(options: never): Promise<unknown>;
    releaseConnection(connection: never): unknown;
  };
  getDialect(): string;
  transaction(options?: never): Promise<SequelizeTransaction>;
}

/** The type of the handle: `Transaction`, to be given to statements as `{ transaction: tx.handle }`. */
export type TransactionOf<Db extends SequelizeLike> = Db extends {
  transaction(options?: never): Promise<infer Handle extends SequelizeTransaction>;
}
  ? Handle
  : never;

const methods: HandleMethods = {
  statements: new Set(),
  // `afterCommit` is refused, too: it runs when COMMIT failed, and when the server rolled back.
  refused: new Set(["commit", "rollback", "cleanup", "forceCleanup", "afterCommit"]),
  inner: {
    // Statements that are given the handle ask first for this, then run on that.
    finished: { statements: new Set(), refused: new Set() },
    connection: { statements: new Set(["query", "execute"]), refused: new Set(["end", "destroy", "release"]) },
  },
};

/**
 * PostgreSQL, MySQL and MariaDB (`mysql2`) through Sequelize 6. Its promise says "committed" for a transaction that the
 * server rolled back, and its `afterCommit` hooks run even when COMMIT failed, so the server is asked and the hooks are
 * refused: use `tx.afterCommit`.
 *
 * @throws ConfigurationError for other databases
 */
export function sequelizeDatabase<Db extends SequelizeLike>(sequelize: Db): Database<TransactionOf<Db>> {
  const server = serverOf(sequelize.getDialect());
  return {
    dialect: server,
    async query(text, values) {
      const { connectionManager } = sequelize;
      const connection = await connectionManager.getConnection({ type: "write" } as never);
      try {
        return await driverConnection(server, connection).query(text, values);
      } finally {
        await connectionManager.releaseConnection(connection as never);
      }
    },
    begin: async (options) => LibraryConnection.open(server, await begin(sequelize, server, options), methods),
    failure: failureOn(server),
  };
}

async function begin<Db extends SequelizeLike>(
  sequelize: Db,
  server: "postgres" | "mysql",
  { isolation }: BeginOptions = {},
): Promise<LibraryTransaction<TransactionOf<Db>>> {
  const isolationLevel = isolation?.toUpperCase();
  const transaction = await sequelize.transaction((isolationLevel === undefined ? {} : { isolationLevel }) as never);
  const { connection: own } = transaction as SequelizeTransaction & { readonly connection: unknown };
  const connection = driverConnection(server, own);
  return {
    handle: transaction as TransactionOf<Db>,
    query: (text, values) => connection.query(text, values),
    // Of both, Sequelize closes the connection when they fail.
    commit: () => transaction.commit(),
    rollback: () => transaction.rollback(),
  };
}

function serverOf(dialect: string): "postgres" | "mysql" {
  if (dialect === "postgres") return "postgres";
  if (dialect === "mysql") return "mysql";
  throw new ConfigurationError(
    `This adapter knows Sequelize with the dialects "postgres" and "mysql", not ${dialect}. For MariaDB use "mysql" ` +
      "with `mysql2`.",
  );
}
