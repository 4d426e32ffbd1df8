import { mysqlResult } from "../driver-results.js";
import type { HandleMethods } from "../guarded-handle.js";
import { commitOrRollBack, failureOn, LibraryConnection, type LibraryTransaction } from "../library-connection.js";
import type { BeginOptions, Database } from "./database.js";

/** The members of a connection of `mariadb` that this needs. */
export interface MariadbConnection {
  query(sql: string, values?: unknown): Promise<unknown>;
  beginTransaction(): Promise<void>;
  release(): Promise<void>;
  destroy(): void;
}

/** The members of a pool of `mariadb` that this needs. */
export interface MariadbPool<Client extends MariadbConnection = MariadbConnection> {
  getConnection(): Promise<Client>;
  query(sql: string, values?: unknown): Promise<unknown>;
}

const methods: HandleMethods = {
  statements: new Set(["query", "execute", "queryStream", "batch", "prepare"]),
  refused: new Set(["beginTransaction", "commit", "rollback", "release", "destroy", "end", "changeUser", "reset"]),
};

/** MySQL and MariaDB (InnoDB) through a pool of `mariadb`. Each transaction takes one connection from the pool. */
export function mariadbDatabase<Client extends MariadbConnection>(pool: MariadbPool<Client>): Database<Client> {
  return {
    dialect: "mysql",
    query: async (text, values) => mysqlResult(await pool.query(text, values)),
    begin: async (options) =>
      LibraryConnection.open("mysql", await begin(await pool.getConnection(), options), methods),
    failure: failureOn("mysql"),
  };
}

async function begin<Client extends MariadbConnection>(
  client: Client,
  { isolation }: BeginOptions = {},
): Promise<LibraryTransaction<Client>> {
  try {
    if (isolation !== undefined) await client.query(`SET TRANSACTION ISOLATION LEVEL ${isolation.toUpperCase()}`);
    await client.beginTransaction();
  } catch (error) {
    client.destroy();
    throw error;
  }
  return {
    handle: client,
    query: async (text, values) => mysqlResult(await client.query(text, values)),
    commit: () =>
      commitOrRollBack(
        () => client.query("COMMIT"),
        () => client.query("ROLLBACK"),
      ),
    // As SQL: `commit()` and `rollback()` send nothing when the driver believes that no transaction is open.
    rollback: () => client.query("ROLLBACK"),
    release(broken) {
      if (broken) client.destroy();
      else void client.release();
    },
  };
}
