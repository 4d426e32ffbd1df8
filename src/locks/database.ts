import type { Database, Executor } from "../databases/database.js";
import { placed } from "../outbox/outbox-sql.js";
import { defaultLocksTable, locksDdl } from "./ddl.js";
import type { LockChange, LockEntry, LockStore } from "./lock-store.js";
import { lockWords } from "./lock-words.js";
import { verifyLocksTable } from "./verify.js";

export interface DatabaseLocksOptions {
  readonly database: Database;
  /** The table's name, with a schema where wanted. Default "aftercommit_locks". */
  readonly table?: string;
}

export interface DatabaseLocks extends LockStore {
  /**
   * Looks whether the table is right. Happens by itself with the first lock.
   *
   * @throws ConfigurationError that says what is missing, with the statements that make the table
   */
  verify(): Promise<void>;
}

/** How often a statement is tried that the database itself says may succeed when it is run again. */
const attempts = 5;
/** Each so many changes, rows that have expired are deleted: so many at most. */
const pruneEvery = 100;
const mostPruned = 200;

/**
 * Locks in a table of PostgreSQL, MySQL, MariaDB or SQLite, through the same adapter that transactions use. Times are of
 * the database's clock. Each statement is a transaction of its own, on a connection of its own: a lock is no part of a
 * business transaction, and cannot spoil it (LK-08).
 *
 * @throws ConfigurationError for a name that cannot stand in SQL
 */
export function databaseLocks({ database, table = defaultLocksTable }: DatabaseLocksOptions): DatabaseLocks {
  // Refuses a name that cannot stand in SQL.
  locksDdl(database.dialect, table);
  const words = lockWords[database.dialect](table);
  let verified: Promise<void> | undefined;
  let changes = 0;

  async function again<T>(statement: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await statement();
      } catch (error) {
        if (attempt >= attempts || database.failure(error).kind !== "retryable") throw error;
      }
    }
  }

  async function verifyFirst(): Promise<void> {
    verified ??= verifyLocksTable(database, database, table);
    const mine = verified;
    await mine.catch((error: unknown) => {
      if (verified === mine) verified = undefined;
      throw error;
    });
  }

  const query = <Row>(text: string, values: readonly unknown[]) =>
    again(() => (database as Executor).query<Row>(placed(database.dialect, text), values, { repeated: true }));
  const changed = async (text: string, values: readonly unknown[]) => (await query(text, values)).affectedRows > 0;

  async function read(key: string): Promise<LockEntry | undefined> {
    const { rows } = await query<{ value: string; remaining: number | string }>(words.read, [key]);
    const [row] = rows;
    return row === undefined ? undefined : { value: row.value, remaining: Number(row.remaining) };
  }

  async function put(key: string, { from, to, ttl }: LockChange): Promise<boolean> {
    const until = words.ttlValue(ttl);
    if (from === undefined) return to === undefined ? isFree(key) : create(key, to, until);
    return to === undefined ? changed(words.remove, [key, from]) : changed(words.replace, [to, ...until, key, from]);
  }

  const isFree = async (key: string) => (await read(key)) === undefined;

  async function create(key: string, value: string, until: readonly unknown[]): Promise<boolean> {
    if (words.takeOver === undefined) return changed(words.insert, [key, value, ...until]);
    try {
      return await changed(words.insert, [key, value, ...until]);
    } catch (error) {
      if (database.failure(error).kind !== "unique violation") throw error;
      return changed(words.takeOver, [value, ...until, key]);
    }
  }

  async function prune(): Promise<void> {
    if ((changes += 1) % pruneEvery === 0) await query(words.prune, [mostPruned]);
  }

  return {
    library: database.dialect,
    verify: () => verifyLocksTable(database, database, table),

    async read(key) {
      await verifyFirst();
      return read(key);
    },

    async compareAndSet(key, change) {
      await verifyFirst();
      if (await put(key, change)) {
        await prune();
        return { changed: true };
      }
      return { changed: false, current: await read(key) };
    },
  };
}
