import { mysqlResult } from "../driver-results.js";
import type { HandleMethods } from "../guarded-handle.js";
import { commitOrRollBack, failureOn, LibraryConnection, type LibraryTransaction } from "../library-connection.js";
import type { BeginOptions, Database } from "./database.js";

/** The members of a connection of `mysql2/promise` that this needs. */
export interface Mysql2Connection {
  query(sql: string, values?: unknown): Promise<[unknown, unknown]>;
  release(): void;
  destroy(): void;
}

/** The members of a pool of `mysql2/promise` that this needs. */
export interface Mysql2Pool<Client extends Mysql2Connection = Mysql2Connection> {
  getConnection(): Promise<Client>;
  query(sql: string, values?: unknown): Promise<[unknown, unknown]>;
}

const methods: HandleMethods = {
  statements: new Set(["query", "execute"]),
  refused: new Set(["beginTransaction", "commit", "rollback", "release", "destroy", "end", "changeUser", "reset"]),
  promises: true,
};

/** MySQL and MariaDB (InnoDB) through a pool of `mysql2/promise`. Each transaction takes one connection from the pool. */
export function mysql2Database<Client extends Mysql2Connection>(pool: Mysql2Pool<Client>): Database<Client> {
  return {
    dialect: "mysql",
    query: (text, values) => send(pool, text, values),
    begin: async (options) =>
      LibraryConnection.open("mysql", await begin(await pool.getConnection(), options), methods),
    failure: failureOn("mysql"),
  };
}

async function begin<Client extends Mysql2Connection>(
  client: Client,
  { isolation }: BeginOptions = {},
): Promise<LibraryTransaction<Client>> {
  try {
    if (isolation !== undefined) await client.query(`SET TRANSACTION ISOLATION LEVEL ${isolation.toUpperCase()}`);
    await client.query("START TRANSACTION");
  } catch (error) {
    client.destroy();
    throw error;
  }
  return {
    handle: client,
    query: (text, values) => send(client, text, values),
    rollback: () => client.query("ROLLBACK"),
    commit: () =>
      commitOrRollBack(
        () => client.query("COMMIT"),
        () => client.query("ROLLBACK"),
      ),
    release: (broken) => {
      if (broken) client.destroy();
      else client.release();
    },
  };
}

async function send<Row>(to: Pick<Mysql2Connection, "query">, text: string, values?: readonly unknown[]) {
  const [answer] = await to.query(text, values);
  return mysqlResult<Row>(answer);
}
