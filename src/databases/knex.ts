import { driverConnection } from "../driver-connection.js";
import { ConfigurationError } from "../errors.js";
import type { HandleMethods } from "../guarded-handle.js";
import { failureOn, LibraryConnection, type LibraryTransaction } from "../library-connection.js";
import type { BeginOptions, Database } from "./database.js";

/** The members of Knex's client that this needs. */
export interface KnexClient {
  readonly dialect: string;
  acquireConnection(): Promise<unknown>;
  releaseConnection(connection: unknown): unknown;
}

/** The members of `Knex.Transaction` that this needs. */
export interface KnexTransaction {
  readonly executionPromise: Promise<unknown>;
  commit(): unknown;
  rollback(error?: unknown): unknown;
}

/** The members of a `Knex` that this needs. `client` is `any` in its types. */
export interface KnexLike {
  readonly client: KnexClient;
  transaction(config?: {
    isolationLevel?: "read committed" | "repeatable read" | "serializable";
  }): Promise<KnexTransaction>;
}

/** The type of the handle: `Knex.Transaction`. Read where it has no overloads. */
export type TransactionOf<Db extends KnexLike> = Db extends {
  transactionProvider(config?: never): () => Promise<infer Handle extends KnexTransaction>;
}
  ? Handle
  : never;

const methods: HandleMethods = {
  statements: new Set(["raw"]),
  refused: new Set(["commit", "rollback", "destroy", "initialize"]),
};

/**
 * PostgreSQL (`pg`) and MySQL or MariaDB (`mysql2`, `mysql`) through Knex. `commit()` of Knex resolves although COMMIT
 * failed, and although the server rolled back: the first is read from `executionPromise`, the second from the server.
 *
 * @throws ConfigurationError for other databases
 */
export function knexDatabase<Db extends KnexLike>(knex: Db): Database<TransactionOf<Db>> {
  const { client } = knex;
  const server = serverOf(client);
  return {
    dialect: server,
    async query(text, values) {
      const connection = await client.acquireConnection();
      try {
        return await driverConnection(server, connection).query(text, values);
      } finally {
        await client.releaseConnection(connection);
      }
    },
    begin: async (options) => LibraryConnection.open(server, await begin(knex, server, options), methods),
    failure: failureOn(server),
  };
}

async function begin<Db extends KnexLike>(
  knex: Db,
  server: "postgres" | "mysql",
  { isolation }: BeginOptions = {},
): Promise<LibraryTransaction<TransactionOf<Db>>> {
  const trx = await knex.transaction(isolation === undefined ? {} : { isolationLevel: isolation });
  const ended = trx.executionPromise;
  // It rejects with the reason of a rollback, too, when nobody waits for it.
  ended.catch(() => undefined);
  const connection = driverConnection(server, await (trx as KnexTransaction & KnexLike).client.acquireConnection());
  return {
    handle: trx as TransactionOf<Db>,
    query: (text, values) => connection.query(text, values),
    async commit() {
      await trx.commit();
      await ended;
    },
    async rollback() {
      const reason = new Error("rolled back");
      await trx.rollback(reason);
      await ended.catch((error: unknown) => {
        if (error !== reason) throw error;
      });
    },
  };
}

function serverOf({ dialect }: KnexClient): "postgres" | "mysql" {
  if (dialect === "postgresql") return "postgres";
  if (dialect === "mysql") return "mysql";
  throw new ConfigurationError(
    `This adapter knows Knex on PostgreSQL, MySQL and MariaDB, not on ${dialect}. For SQLite give the database below ` +
      "Knex to `aftercommit/databases/better-sqlite3`.",
  );
}
