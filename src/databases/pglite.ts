import { guardHandle, type HandleMethods } from "../guarded-handle.js";
import { HeldTransaction } from "../held-transaction.js";
import { postgresFailure, refusedByPostgres } from "../postgres-errors.js";
import type { BeginOptions, CommitAnswer, Connection, Database, QueryResult } from "./database.js";

interface PgliteResult {
  readonly rows: unknown[];
  readonly affectedRows?: number;
}

/** The members of PGlite's `Transaction` that this needs. */
export interface PgliteTransaction {
  query(text: string, values?: unknown[]): Promise<PgliteResult>;
  exec(text: string): Promise<unknown>;
  rollback(): Promise<void>;
  readonly closed: boolean;
}

/** The members of PGlite that this needs. */
export interface Pglite<Handle extends PgliteTransaction = PgliteTransaction> {
  query(text: string, values?: unknown[]): Promise<PgliteResult>;
  transaction(work: (tx: Handle) => Promise<void>): Promise<unknown>;
  listen(channel: string, wake: (payload: string) => void): Promise<(tx?: never) => Promise<void>>;
}

/** The type of the handle that the database gives to its transactions. */
export type TransactionOf<Db> = Db extends { transaction: (work: (tx: infer Handle) => never) => unknown }
  ? Handle extends PgliteTransaction
    ? Handle
    : never
  : never;

const methods: HandleMethods = {
  statements: new Set(["query", "exec"]),
  refused: new Set(["rollback"]),
  promises: true,
};

/**
 * PGlite 0.5.15 or newer (older versions answer "committed" for an aborted transaction). It has one connection, so
 * transactions and statements run one after the other: use `tx.handle` inside, or wait for ever.
 */
export function pgliteDatabase<Db extends Pglite>(db: Db): Database<TransactionOf<Db>> {
  return {
    dialect: "postgres",
    query: async <Row>(text: string, values?: readonly unknown[]) =>
      resultOf<Row>(await db.query(text, values as unknown[])),
    begin: (options) => begin<TransactionOf<Db>>(db as unknown as Pglite<TransactionOf<Db>>, options),
    failure: postgresFailure,
    listen: async (channel, wake) => {
      const stop = await db.listen(channel, wake);
      return () => stop();
    },
  };
}

async function begin<Handle extends PgliteTransaction>(
  db: Pglite<Handle>,
  { isolation }: BeginOptions = {},
): Promise<Connection<Handle>> {
  const connection = new PgliteConnection(await HeldTransaction.open<Handle>((work) => db.transaction(work)));
  if (isolation !== undefined) {
    // The level is one of three words, so this cannot fail.
    await connection.query(`SET TRANSACTION ISOLATION LEVEL ${isolation.toUpperCase()}`);
  }
  return connection;
}

class PgliteConnection<Handle extends PgliteTransaction> implements Connection<Handle> {
  readonly #tx: Handle;
  readonly #held: HeldTransaction<Handle>;
  readonly #guarded;

  constructor(held: HeldTransaction<Handle>) {
    this.#tx = held.handle;
    this.#held = held;
    this.#guarded = guardHandle(held.handle, methods);
  }

  get handle(): Handle {
    return this.#guarded.handle;
  }

  async query<Row>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>> {
    return resultOf<Row>(await this.#tx.query(text, values as unknown[]));
  }

  async savepoint(name: string): Promise<void> {
    await this.#tx.exec(`SAVEPOINT ${name}`);
  }

  async releaseSavepoint(name: string): Promise<void> {
    await this.#tx.exec(`RELEASE SAVEPOINT ${name}`);
  }

  async rollbackToSavepoint(name: string): Promise<void> {
    await this.#tx.exec(`ROLLBACK TO SAVEPOINT ${name}; RELEASE SAVEPOINT ${name}`);
  }

  async commit(): Promise<CommitAnswer> {
    this.#guarded.close();
    try {
      await this.#held.commit();
      return { outcome: "committed" };
    } catch (cause) {
      // 25P02 is PGlite's word for a COMMIT that was answered with ROLLBACK: there the database gave no reason.
      if (postgresFailure(cause).kind === "aborted") return { outcome: "rolled back" };
      if (refusedByPostgres(cause)) return { outcome: "rolled back", cause };
      throw cause;
    }
  }

  async rollback(): Promise<void> {
    this.#guarded.close();
    await this.#held.rollback();
  }

  release(): void {
    this.#guarded.close();
  }
}

function resultOf<Row>({ rows, affectedRows = 0 }: PgliteResult): QueryResult<Row> {
  return { rows: rows as Row[], affectedRows };
}
