import { causesOf } from "../errors.js";
import { guardHandle, type HandleMethods } from "../guarded-handle.js";
import type { BeginOptions, CommitAnswer, Connection, Database, Failure, QueryResult } from "./database.js";

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
};

/**
 * A savepoint that stands for the whole transaction. It is gone when the server has ended the transaction by itself:
 * a deadlock rolls it back, DDL commits it, and in both cases COMMIT would answer "ok".
 */
const sentinel = "aftercommit_alive";

const savepointMissing = 1305;

/** MySQL and MariaDB (InnoDB) through a pool of `mysql2/promise`. Each transaction takes one connection from the pool. */
export function mysql2Database<Client extends Mysql2Connection>(pool: Mysql2Pool<Client>): Database<Client> {
  return {
    dialect: "mysql",
    query: async <Row>(text: string, values?: readonly unknown[]) => resultOf<Row>(await pool.query(text, values)),
    begin: async (options) => TransactionConnection.begin(await pool.getConnection(), options),
    failure: mysqlFailure,
  };
}

class TransactionConnection<Client extends Mysql2Connection> implements Connection<Client> {
  readonly #client: Client;
  readonly #guarded;
  #broken = false;

  private constructor(client: Client) {
    this.#client = client;
    this.#guarded = guardHandle(client, methods);
  }

  static async begin<Client extends Mysql2Connection>(client: Client, { isolation }: BeginOptions = {}) {
    const connection = new TransactionConnection(client);
    try {
      if (isolation !== undefined) await client.query(`SET TRANSACTION ISOLATION LEVEL ${isolation.toUpperCase()}`);
      await client.query("START TRANSACTION");
      await client.query(`SAVEPOINT ${sentinel}`);
    } catch (error) {
      connection.release(true);
      throw error;
    }
    return connection;
  }

  get handle(): Client {
    return this.#guarded.handle;
  }

  async query<Row>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>> {
    return resultOf<Row>(await this.#client.query(text, values));
  }

  async savepoint(name: string): Promise<void> {
    await this.#client.query(`SAVEPOINT ${name}`);
  }

  async releaseSavepoint(name: string): Promise<void> {
    await this.#client.query(`RELEASE SAVEPOINT ${name}`);
  }

  async rollbackToSavepoint(name: string): Promise<void> {
    await this.#client.query(`ROLLBACK TO SAVEPOINT ${name}`);
    await this.#client.query(`RELEASE SAVEPOINT ${name}`);
  }

  async commit(): Promise<CommitAnswer> {
    this.#guarded.close();
    try {
      await this.#client.query(`RELEASE SAVEPOINT ${sentinel}`);
    } catch (cause) {
      if (isMysqlError(cause) && cause.errno === savepointMissing) {
        throw new Error(
          "the server had ended the transaction by itself before COMMIT: DDL in it commits, a deadlock rolls back, and " +
            "statements after that are stored one by one",
          { cause },
        );
      }
      // The connection is lost, or the like; no COMMIT was sent.
      await this.#client.query("ROLLBACK").catch(() => {
        this.#broken = true;
      });
      return { outcome: "rolled back", cause };
    }
    try {
      await this.#client.query("COMMIT");
      return { outcome: "committed" };
    } catch (cause) {
      if (!isRefusal(cause)) throw cause;
      await this.#client.query("ROLLBACK");
      return { outcome: "rolled back", cause };
    }
  }

  async rollback(): Promise<void> {
    this.#guarded.close();
    await this.#client.query("ROLLBACK");
  }

  release(broken: boolean): void {
    this.#guarded.close();
    if (broken || this.#broken) this.#client.destroy();
    else this.#client.release();
  }
}

interface MysqlError {
  readonly errno: number;
  readonly fatal?: boolean;
  readonly sqlMessage?: string;
}

function mysqlFailure(error: unknown): Failure {
  for (const cause of causesOf(error)) {
    if (!isMysqlError(cause)) continue;
    switch (cause.errno) {
      case 1020: // the row changed since the snapshot (MariaDB with innodb_snapshot_isolation)
      case 1205: // lock wait timeout
      case 1213: // deadlock
        return { kind: "retryable" };
      case 1062:
        // MariaDB names the key alone, MySQL after the table: for key 'orders.PRIMARY'
        return {
          kind: "unique violation",
          constraint: /for key '(?:[^']*\.)?([^'.]+)'$/.exec(cause.sqlMessage ?? "")?.[1],
        };
    }
  }
  return { kind: "other" };
}

/** Shutdown, killed connection, lost connection: the server does not say what became of the COMMIT. */
const unknownOutcome: ReadonlySet<number> = new Set([1053, 1317, 1927, 2006, 2013]);

function isRefusal(error: unknown): boolean {
  return isMysqlError(error) && error.errno >= 1000 && error.fatal !== true && !unknownOutcome.has(error.errno);
}

function isMysqlError(error: unknown): error is MysqlError {
  return (
    typeof error === "object" &&
    error !== null &&
    "errno" in error &&
    typeof error.errno === "number" &&
    "sqlState" in error
  );
}

function resultOf<Row>([answer]: [unknown, unknown]): QueryResult<Row> {
  return Array.isArray(answer)
    ? { rows: answer as Row[], affectedRows: 0 }
    : { rows: [], affectedRows: (answer as { readonly affectedRows: number }).affectedRows };
}
