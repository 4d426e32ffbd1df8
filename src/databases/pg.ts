import { guardHandle } from "../guarded-handle.js";
import type { BeginOptions, CommitAnswer, Connection, Database, QueryResult, StopListening } from "./database.js";
import { postgresFailure, refusedByPostgres } from "../postgres-errors.js";

interface PgResult {
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: unknown[];
}

/** The members of `pg`'s `PoolClient` that this needs. */
export interface PgClient {
  query(text: string, values?: unknown[]): Promise<PgResult>;
  release(broken?: boolean): void;
  on(event: string, listener: (...args: never[]) => void): unknown;
  removeListener(event: string, listener: (...args: never[]) => void): unknown;
}

/** The members of `pg`'s `Pool` that this needs; so does that of `@neondatabase/serverless`. */
export interface PgPool<Client extends PgClient = PgClient> {
  connect(): Promise<Client>;
  query(text: string, values?: unknown[]): Promise<PgResult>;
}

const refused: ReadonlySet<PropertyKey> = new Set(["release", "end", "connect"]);

/**
 * PostgreSQL through a `Pool` of the library `pg`. Each transaction takes one client from the pool; a subscription
 * (`listen`) keeps one for itself.
 */
export function pgDatabase<Client extends PgClient>(pool: PgPool<Client>): Database<Client> {
  return {
    dialect: "postgres",
    query: async <Row>(text: string, values?: readonly unknown[]) =>
      resultOf<Row>(await pool.query(text, values as unknown[])),
    begin: async (options) => PgConnection.begin(await pool.connect(), options),
    failure: postgresFailure,
    listen: (channel, wake, lost) => listen(pool, channel, wake, lost),
  };
}

class PgConnection<Client extends PgClient> implements Connection<Client> {
  readonly #client: Client;
  readonly #guarded;
  /** Set when the connection broke; the server rolls back by itself then. */
  #lost: { readonly cause: unknown } | undefined;
  // Without a listener, an 'error' of a client that is not in the pool ends the process.
  readonly #onError = (cause: unknown) => {
    this.#lost ??= { cause };
  };

  private constructor(client: Client) {
    this.#client = client;
    this.#guarded = guardHandle(client, refused);
    client.on("error", this.#onError);
  }

  static async begin<Client extends PgClient>(client: Client, options: BeginOptions = {}) {
    const connection = new PgConnection(client);
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

  async query<Row>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>> {
    return resultOf<Row>(await this.#client.query(text, values as unknown[]));
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
  const onNotification = (notification: { readonly channel: string; readonly payload?: string }) => {
    if (notification.channel === channel) wake(notification.payload ?? "");
  };
  const onLost = (error?: unknown) => {
    if (stop()) lost(error);
  };
  // These two listeners stay: a client that is being closed may still report an error.
  client.on("error", onLost);
  client.on("end", onLost);
  client.on("notification", onNotification);
  try {
    await client.query(`LISTEN "${channel.replaceAll('"', '""')}"`);
  } catch (error) {
    stop();
    throw error;
  }
  return () => {
    stop();
    return Promise.resolve();
  };
}

function resultOf<Row>({ rows, rowCount }: PgResult): QueryResult<Row> {
  return { rows: rows as Row[], affectedRows: rowCount ?? 0 };
}
