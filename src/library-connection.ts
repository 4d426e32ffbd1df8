import type { CommitAnswer, Connection, Failure, QueryOptions, QueryResult } from "./databases/database.js";
import { guardHandle, type GuardedHandle, type HandleMethods } from "./guarded-handle.js";
import { isSavepointMissing, mysqlFailure, refusedByMysql } from "./mysql-errors.js";
import { isOutsidePostgresTransaction, postgresFailure, refusedByPostgres } from "./postgres-errors.js";

/** An open transaction, or a savepoint of one, as a library has it. All that libraries do differently. */
export interface LibraryTransaction<Handle extends object> {
  readonly handle: Handle;
  query<Row>(text: string, values: readonly unknown[], options?: QueryOptions): Promise<QueryResult<Row>>;
  /** Ends it the library's way. May resolve although nothing was committed; nothing is open any more when it rejects. */
  commit(): Promise<unknown>;
  /** Rejects when the connection is in an unknown state. */
  rollback(): Promise<unknown>;
  /** Writes what the library still holds back. */
  flush?(): Promise<unknown>;
  /** Opens a savepoint, for libraries that must know of it. Others get the SQL. */
  nest?(): Promise<LibraryTransaction<Handle>>;
  /** Settles when the transaction has ended, be it because the connection was lost. For libraries that can tell. */
  readonly ended?: Promise<unknown>;
  /** Gives the connection back, where ending the transaction does not. */
  release?(broken: boolean): void;
}

/** How a server's transaction is asked whether it is still there, because a library's promise does not tell. */
interface Server {
  readonly failure: (error: unknown) => Failure;
  /** Whether the server itself refused a COMMIT. */
  readonly isRefusal: (error: unknown) => boolean;
  /** Sent right after BEGIN, where the proof needs it. */
  readonly mark?: string;
  /** Sent right before COMMIT: fails in a transaction that is aborted, and outside of one. */
  readonly proof: string;
  /** Whether the proof failed because the transaction had been ended before. */
  readonly isOver: (error: unknown) => boolean;
  /** Why it may have been. */
  readonly overBecause: string;
}

const servers: Readonly<Record<"postgres" | "mysql", Server>> = {
  postgres: {
    failure: postgresFailure,
    isRefusal: refusedByPostgres,
    // COMMIT of an aborted transaction answers ROLLBACK, without an error, and libraries take it for a commit (TX-13).
    proof: "SAVEPOINT aftercommit_alive",
    isOver: isOutsidePostgresTransaction,
    overBecause: "the transaction had been ended on its handle before",
  },
  mysql: {
    failure: mysqlFailure,
    isRefusal: refusedByMysql,
    // A savepoint that stands for the whole transaction: gone when the server has ended the transaction by itself.
    mark: "SAVEPOINT aftercommit_alive",
    proof: "RELEASE SAVEPOINT aftercommit_alive",
    isOver: isSavepointMissing,
    overBecause:
      "the server had ended the transaction by itself before COMMIT: DDL in it commits, a deadlock rolls back, and " +
      "statements after that are stored one by one",
  },
};

/** What an error of a library on such a server means. */
export function failureOn(server: keyof typeof servers): (error: unknown) => Failure {
  return servers[server].failure;
}

/**
 * COMMIT for libraries that leave a transaction open whose COMMIT was refused.
 *
 * @param isCommitted for libraries with hooks of their own: a hook that fails must not make a commit look like none
 */
export async function commitOrRollBack(
  commit: () => Promise<unknown>,
  rollback: () => Promise<unknown>,
  isCommitted: () => boolean = () => false,
): Promise<void> {
  try {
    await commit();
  } catch (error) {
    if (isCommitted()) {
      process.emitWarning(error instanceof Error ? error : String(error));
      return;
    }
    await rollback().catch(() => undefined);
    throw error;
  }
}

/** A connection whose transaction is a library's own, with a commit that is proved rather than believed. */
export class LibraryConnection<Handle extends object> implements Connection<Handle> {
  readonly #server: Server;
  readonly #methods: HandleMethods;
  /** The transaction, and the savepoints in it that the library knows of. */
  readonly #frames: { readonly of: LibraryTransaction<Handle>; readonly guarded: GuardedHandle<Handle> }[] = [];
  readonly #transaction: LibraryTransaction<Handle>;
  /** Set when the library has ended the transaction by itself. */
  #lost: Error | undefined;
  #ended = false;
  #broken = false;

  /** @param transaction one that is open; whoever owns it has marked it, or does so now */
  constructor(server: keyof typeof servers, transaction: LibraryTransaction<Handle>, methods: HandleMethods) {
    this.#server = servers[server];
    this.#methods = methods;
    this.#transaction = transaction;
    this.#push(transaction);
    transaction.ended?.catch((cause: unknown) => {
      // Some libraries would send what comes now on a new connection, outside of any transaction.
      this.#lost = cause instanceof Error ? cause : new Error("the library ended the transaction", { cause });
      this.close();
    });
  }

  /** @param transaction what was just begun; given back when it is of no use */
  static async open<Handle extends object>(
    server: keyof typeof servers,
    transaction: LibraryTransaction<Handle>,
    methods: HandleMethods,
  ): Promise<LibraryConnection<Handle>> {
    const connection = new LibraryConnection(server, transaction, methods);
    try {
      await connection.mark();
    } catch (error) {
      connection.release(true);
      throw error;
    }
    return connection;
  }

  get handle(): Handle {
    return this.#frame.guarded.handle;
  }

  async query<Row>(text: string, values: readonly unknown[] = [], options?: QueryOptions): Promise<QueryResult<Row>> {
    if (this.#lost !== undefined) throw this.#lost;
    return await this.#frame.of.query<Row>(text, values, options);
  }

  async savepoint(name: string): Promise<void> {
    const inner = await this.#frame.of.nest?.();
    if (inner === undefined) await this.query(`SAVEPOINT ${name}`);
    else this.#push(inner);
  }

  async releaseSavepoint(name: string): Promise<void> {
    if (this.#frame.of === this.#transaction) {
      await this.query(`RELEASE SAVEPOINT ${name}`);
      return;
    }
    await this.#frame.of.commit();
    this.#pop();
  }

  async rollbackToSavepoint(name: string): Promise<void> {
    if (this.#frame.of === this.#transaction) {
      await this.query(`ROLLBACK TO SAVEPOINT ${name}`);
      await this.query(`RELEASE SAVEPOINT ${name}`);
      return;
    }
    await this.#pop().rollback();
  }

  /** Rejects unless the transaction is there and whole. To be sent last before COMMIT. */
  async prove(): Promise<void> {
    if (this.#lost !== undefined) throw this.#lost;
    await this.#transaction.flush?.();
    await this.#transaction.query(this.#server.proof, []);
  }

  /** Whether `prove` rejected because the transaction had been ended before. */
  isOver(error: unknown): boolean {
    return this.#server.isOver(error);
  }

  /** Marks the transaction anew, after a savepoint was rolled back that had the mark in it. */
  async mark(): Promise<void> {
    if (this.#server.mark !== undefined) await this.#transaction.query(this.#server.mark, []);
  }

  /** Closes the handles that it has given out. */
  close(): void {
    for (const { guarded } of this.#frames) guarded.close();
  }

  async commit(): Promise<CommitAnswer> {
    this.close();
    try {
      await this.prove();
    } catch (cause) {
      return await this.#withoutCommit(cause);
    }
    this.#ended = true;
    try {
      await this.#transaction.commit();
      return { outcome: "committed" };
    } catch (cause) {
      if (this.#server.isRefusal(cause)) return { outcome: "rolled back", cause };
      throw cause;
    }
  }

  async rollback(): Promise<void> {
    this.close();
    this.#ended = true;
    // The server rolls back by itself then, and what would be sent may end the process (postgres.js).
    if (this.#lost !== undefined) return;
    // A library that knows of savepoints wants them ended first. What becomes of them does not matter any more.
    while (this.#frames.length > 1)
      await this.#pop()
        .rollback()
        .catch(() => undefined);
    await this.#transaction.rollback();
  }

  release(broken: boolean): void {
    this.close();
    if (this.#transaction.release !== undefined) this.#transaction.release(broken || this.#broken);
    else if (!this.#ended) void this.rollback().catch(() => undefined);
  }

  async #withoutCommit(cause: unknown): Promise<CommitAnswer> {
    await this.rollback().catch(() => {
      this.#broken = true;
    });
    if (this.isOver(cause)) throw new Error(this.#server.overBecause, { cause });
    // Nothing was sent, so this is known, even if the connection is gone. An abortion has no cause of its own: the error
    // that was swallowed is.
    return this.#server.failure(cause).kind === "aborted"
      ? { outcome: "rolled back" }
      : { outcome: "rolled back", cause };
  }

  get #frame() {
    const frame = this.#frames.at(-1);
    if (frame === undefined) throw new Error("unreachable: the transaction itself is never popped");
    return frame;
  }

  #push(of: LibraryTransaction<Handle>): void {
    this.#frames.push({ of, guarded: guardHandle(of.handle, this.#methods) });
  }

  #pop(): LibraryTransaction<Handle> {
    const { of, guarded } = this.#frame;
    guarded.close();
    this.#frames.pop();
    return of;
  }
}
