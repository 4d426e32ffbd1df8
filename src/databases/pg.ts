import { createHash } from "node:crypto";
import { guardHandle, type HandleMethods } from "../guarded-handle.js";
import { postgresFailure, refusedByPostgres } from "../postgres-errors.js";
import type {
  BeginOptions,
  CommitAnswer,
  Connection,
  Database,
  QueryOptions,
  QueryResult,
  StopListening,
} from "./database.js";

interface PgResult {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: unknown[];
}

/** A statement that `pg` prepares under its name, once for each connection. */
interface NamedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** The members of `pg`'s `PoolClient` that this needs. */
export interface PgClient {
  query(statement: string | NamedStatement, values?: unknown[]): Promise<PgResult>;
  release(broken?: boolean): void;
  /** Since pg 8.17; without it nobody notices that a statement of many parts had a COMMIT in it. */
  getTransactionStatus?(): "I" | "T" | "E" | null;
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  removeListener(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** The members of `pg`'s `Pool` that this needs; so does that of `@neondatabase/serverless`. */
export interface PgPool {
  connect(): Promise<PgClient>;
  query(statement: string | NamedStatement, values?: unknown[]): Promise<PgResult>;
}

export interface PgDatabaseOptions {
  /**
   * Whether statements that this package sends again and again (those of a ledger) are prepared. False for a pooler that
   * gives each transaction another connection and knows no prepared statements, such as PgBouncer before 1.21. Default true.
   */
  readonly prepare?: boolean;
}

/** The type of the pool's clients. The first form is for the overloads that `@types/pg` declares. */
export type ClientOf<Pool extends PgPool> = Pool extends {
  connect: { (): Promise<infer Client extends PgClient>; (callback: never): void };
}
  ? Client
  : Pool extends { connect(): Promise<infer Client extends PgClient> }
    ? Client
    : never;

const methods: HandleMethods = {
  statements: new Set(["query"]),
  refused: new Set(["release", "end", "connect"]),
  promises: true,
};

/**
 * PostgreSQL through a `Pool` of the library `pg`. Each transaction takes one client from the pool; a subscription
 * (`listen`) keeps one for itself.
 */
export function pgDatabase<Pool extends PgPool>(
  pool: Pool,
  { prepare = true }: PgDatabaseOptions = {},
): Database<ClientOf<Pool>> {
  const statements = prepare ? new StatementNames() : undefined;
  return {
    dialect: "postgres",
    query: <Row>(text: string, values?: readonly unknown[], options?: QueryOptions) =>
      send<Row>(pool, statements, text, values, options),
    begin: async (options) => PgConnection.begin((await pool.connect()) as ClientOf<Pool>, statements, options),
    failure: postgresFailure,
    listen: (channel, wake, lost) => listen(pool, channel, wake, lost),
  };
}

/** The names under which texts are prepared: those of their hashes, because two databases may share a pool. */
class StatementNames {
  readonly #names = new Map<string, string>();

  /** None when there are too many: texts with values in them must not fill the server's memory. */
  of(text: string): string | undefined {
    let name = this.#names.get(text);
    if (name === undefined && this.#names.size < 100) {
      name = `aftercommit_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
      this.#names.set(text, name);
    }
    return name;
  }
}

async function send<Row>(
  to: Pick<PgClient, "query">,
  statements: StatementNames | undefined,
  text: string,
  values: readonly unknown[] = [],
  options: QueryOptions = {},
): Promise<QueryResult<Row>> {
  const name = options.repeated === true ? statements?.of(text) : undefined;
  const { rows, rowCount } = await (name === undefined
    ? to.query(text, values as unknown[])
    : to.query({ name, text, values: values as unknown[] }));
  return { rows: rows as Row[], affectedRows: rowCount ?? 0 };
}

class PgConnection<Client extends PgClient> implements Connection<Client> {
  readonly #client: Client;
  readonly #statements: StatementNames | undefined;
  readonly #guarded;
  /** Set when the connection broke; the server rolls back by itself then. */
  #lost: { readonly cause: unknown } | undefined;
  // Without a listener, an 'error' of a client that is not in the pool ends the process.
  readonly #onError = (cause: unknown) => {
    this.#lost ??= { cause };
  };

  private constructor(client: Client, statements: StatementNames | undefined) {
    this.#client = client;
    this.#statements = statements;
    this.#guarded = guardHandle(client, methods);
    client.on("error", this.#onError);
  }

  static async begin<Client extends PgClient>(
    client: Client,
    statements: StatementNames | undefined,
    options: BeginOptions = {},
  ) {
    const connection = new PgConnection(client, statements);
    try {
      await client.query(
        options.isolation === undefined ? "BEGIN" : `BEGIN ISOLATION LEVEL ${options.isolation.toUpperCase()}`,
      );
    } catch (error) {
      connection.release(true);
      throw error;
    }
    return connection;
  }

  get handle(): Client {
    return this.#guarded.handle;
  }

  query<Row>(text: string, values?: readonly unknown[], options?: QueryOptions): Promise<QueryResult<Row>> {
    return send<Row>(this.#client, this.#statements, text, values, options);
  }

  async savepoint(name: string): Promise<void> {
    await this.#client.query(`SAVEPOINT ${name}`);
  }

  async releaseSavepoint(name: string): Promise<void> {
    await this.#client.query(`RELEASE SAVEPOINT ${name}`);
  }

  async rollbackToSavepoint(name: string): Promise<void> {
    await this.#client.query(`ROLLBACK TO SAVEPOINT ${name}; RELEASE SAVEPOINT ${name}`);
  }

  async commit(): Promise<CommitAnswer> {
    this.#guarded.close();
    // Nothing was sent, so this is known although the connection is gone.
    if (this.#lost !== undefined) return { outcome: "rolled back", cause: this.#lost.cause };
    if (this.#client.getTransactionStatus?.() === "I") {
      throw new Error("the transaction had been ended on its handle before");
    }
    try {
      // The tag is the only sign: COMMIT of an aborted transaction answers ROLLBACK, without an error (TX-13).
      const { command } = await this.#client.query("COMMIT");
      return { outcome: command === "COMMIT" ? "committed" : "rolled back" };
    } catch (cause) {
      if (refusedByPostgres(cause)) return { outcome: "rolled back", cause };
      throw cause;
    }
  }

  async rollback(): Promise<void> {
    this.#guarded.close();
    await this.#client.query("ROLLBACK");
  }

  release(broken: boolean): void {
    this.#guarded.close();
    this.#client.release(broken || this.#lost !== undefined);
    this.#client.removeListener("error", this.#onError);
  }
}

async function listen(
  pool: PgPool,
  channel: string,
  wake: (payload: string) => void,
  lost: (error: unknown) => void,
): Promise<StopListening> {
  const client = await pool.connect();
  let listening = true;
  const stop = () => {
    if (!listening) return false;
    listening = false;
    client.removeListener("notification", onNotification);
    // Closed rather than returned: the next user of the client would stay subscribed.
    client.release(true);
    return true;
  };
  const onNotification = (notification: unknown) => {
    const heard = notification as { readonly channel: string; readonly payload?: string };
    if (heard.channel === channel) wake(heard.payload ?? "");
  };
  const onLost = (error?: unknown) => {
    if (stop()) lost(error);
  };
  // These two listeners stay: a client that is being closed may still report an error.
  client.on("error", onLost);
  client.on("end", onLost);
  client.on("notification", onNotification);
  try {
    await client.query(`LISTEN ${channel}`);
  } catch (error) {
    stop();
    throw error;
  }
  return () => {
    stop();
    return Promise.resolve();
  };
}
