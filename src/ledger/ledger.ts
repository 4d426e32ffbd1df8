import { Committed } from "../committed.js";
import type { Database } from "../databases/database.js";
import { requireSeconds, type Seconds } from "../duration.js";
import { ConfigurationError, InvalidKeyError } from "../errors.js";
import { failPoint } from "../fail-points.js";
import type { IdempotencyKey } from "../idempotency-key.js";
import { insertOnce } from "../insert-once.js";
import { isJobId } from "../job-id.js";
import { jobObserver } from "../job-observer.js";
import { plainTableName } from "../plain-table-name.js";
import { assertJobGoesOn } from "../running-job.js";
import { reach } from "../steps.js";
import { scopeOf, type TransactionScope } from "../transaction-scope.js";
import type { TransactionManager } from "../transaction-manager.js";
import type { Transaction } from "../transaction.js";
import { defaultTable } from "./ddl.js";
import { fingerprintOf } from "./fingerprint.js";
import { KeyReusedError, OperationTooOldError } from "./ledger-errors.js";
import { checkedAge, pruneTable, type PruneOptions } from "./retention.js";
import { doEffect, doOnceOnPostgres, takesOneStatement, type LedgerRecord, type SqlEffect } from "./sql-effect.js";
import { verifyTable } from "./verify.js";

export interface LedgerOptions<Handle> {
  /** The transactions in which effects are done. The ledger's table lives in their database. */
  readonly transactions: TransactionManager<Handle>;
  /** Default `aftercommit_ledger`. */
  readonly table?: string;
  /**
   * For how many seconds a record is kept at least. An operation that happened longer ago is refused (RT-02), and `once`
   * then needs `occurredAt`. Default: for ever, and `prune` refuses (RT-06).
   */
  readonly retention?: Seconds;
  /**
   * Decides about an operation that is older than that, in its transaction: nobody can tell whether it was done already
   * (RT-04). Default: "refuse".
   */
  readonly onExpired?: (operation: ExpiredOperation<Handle>) => Promise<ExpiredAnswer>;
}

/** An operation that happened longer ago than the ledger keeps its records. */
export interface ExpiredOperation<out Handle = unknown> {
  /** For a note to whoever is to look at it, stored if this transaction commits. */
  readonly tx: Transaction<Handle>;
  readonly key: IdempotencyKey;
  readonly occurredAt: Date;
}

/** "refuse" throws `OperationTooOldError`; "skip" takes it for done; "do" does it, perhaps a second time. */
export type ExpiredAnswer = "refuse" | "skip" | "do";

export interface OnceOptions {
  /**
   * What the operation does: the amount, the receiver. It must be the same each time for one key (LG-13). Anything that
   * JSON can say; only a hash of it is stored.
   */
  readonly fingerprint?: unknown;
  /** When the business operation happened (`job.occurredAt`). Needed where the ledger has a `retention`. */
  readonly occurredAt?: Date;
}

export interface Ledger<Handle = unknown> {
  /**
   * Does `effect` unless the operation was done before, in the transaction of its record: there is no state in which one
   * of them is stored without the other. Waits for a transaction that is doing the same operation right now (LG-07,
   * LG-08). The answer is final when the outermost transaction has committed.
   *
   * When `effect` throws, the transaction (or the savepoint in which this was called) cannot commit any more, also where
   * the error is caught.
   *
   * @param effect what to do, on `tx.handle`; or one statement, see `SqlEffect`
   * @returns true when this call did it, false when it was done before
   * @throws whatever `effect` throws (LG-05)
   * @throws KeyReusedError, EffectMissedError, OperationTooOldError, TransactionClosedError
   * @throws ConfigurationError outside a transaction, for one of another database (LG-14), or for a table that is not right
   */
  once(
    tx: Transaction<Handle>,
    key: IdempotencyKey,
    effect: (() => unknown) | SqlEffect,
    options?: OnceOptions,
  ): Promise<boolean>;

  /**
   * `once` in a transaction of its own, or in the open one of this async context. On PostgreSQL that is a single
   * statement, without BEGIN and COMMIT. When the connection breaks meanwhile, nobody knows whether it was done: call it
   * again.
   *
   * @throws what `once` and `transactions.run` throw
   */
  run(key: IdempotencyKey, effect: SqlEffect, options?: OnceOptions): Promise<Committed<boolean>>;

  /**
   * Looks whether the table is there and right. Call it when the program starts; the first `once` does it too.
   *
   * @throws ConfigurationError that names what is missing
   */
  verify(): Promise<void>;

  /**
   * Deletes old records in small batches, unless a duplicate of them could still arrive (F20). Several may run at once.
   *
   * @returns how many
   * @throws ConfigurationError for a time that is too short (RT-03) or a ledger without `retention` (RT-06)
   */
  prune(options: PruneOptions): Promise<number>;
}

interface Checked {
  readonly record: LedgerRecord;
  /** Set when the operation is older than the records, and `onExpired` is to decide. */
  readonly expired: OperationTooOldError | undefined;
}

/** What the command line needs of a ledger. */
interface LedgerInside {
  readonly database: Database;
  readonly retention: Seconds | undefined;
}

const insides = new WeakMap<object, LedgerInside>();

/** @throws ConfigurationError when it was not made by `createLedger` */
export function insideOfLedger(ledger: Ledger): LedgerInside {
  const inside = insides.get(ledger);
  if (inside === undefined) throw new ConfigurationError("`ledger` must be what `createLedger` has made.");
  return inside;
}

/**
 * A table whose unique key decides whether an operation was done already, in the transaction of its effect. It protects
 * what is in this database; other services need an idempotency key of their own.
 *
 * @throws ConfigurationError
 */
export function createLedger<Handle>(options: LedgerOptions<Handle>): Ledger<Handle> {
  const { transactions, retention, onExpired } = options;
  const { database } = transactions;
  const table = plainTableName(options.table ?? defaultTable, "The ledger's table");
  if (retention !== undefined) requireSeconds(retention, "`retention`");
  let verified: Promise<void> | undefined;

  /** Once in the life of the ledger; in the transaction, because an embedded database has no second connection. */
  async function verifyFirst(executor: Pick<TransactionScope, "query">): Promise<void> {
    verified ??= verifyTable(executor, database, table);
    const mine = verified;
    await mine.catch((error: unknown) => {
      if (verified === mine) verified = undefined;
      throw error;
    });
  }

  function recordOf(key: IdempotencyKey, { fingerprint, occurredAt }: OnceOptions): Checked {
    const text: unknown = key;
    if (typeof text !== "string" || !/^[\x21-\x7e]{1,255}$/.test(text) || isJobId(text)) {
      throw new InvalidKeyError("The key of an operation must come from `idempotencyKey`. Nothing was written.");
    }
    const record = { table, key, fingerprint: fingerprint === undefined ? null : fingerprintOf(fingerprint) };
    if (retention !== undefined) {
      if (!(occurredAt instanceof Date) || Number.isNaN(occurredAt.getTime())) {
        throw new ConfigurationError(
          "This ledger forgets, so it must know when the operation happened: give `occurredAt` (in a worker: " +
            "`job.occurredAt`). Nothing was written.",
        );
      }
      if (Date.now() - occurredAt.getTime() > retention * 1000) {
        const expired = new OperationTooOldError(key, occurredAt, retention);
        if (onExpired === undefined) throw expired;
        return { record, expired };
      }
    }
    return { record, expired: undefined };
  }

  /**
   * The operation was done already.
   *
   * @throws KeyReusedError when the stored record is of another payload
   */
  async function repeated(
    executor: Pick<TransactionScope, "query">,
    { key, fingerprint }: LedgerRecord,
  ): Promise<void> {
    jobObserver()?.stoppedDuplicate();
    if (fingerprint === null) return;
    const { rows } = await executor.query<{ fingerprint: string | null }>(reading(database.dialect, table), [key]);
    const stored = rows[0]?.fingerprint ?? fingerprint;
    if (stored !== fingerprint) throw new KeyReusedError(key);
  }

  async function insert(scope: TransactionScope, { key, fingerprint }: LedgerRecord): Promise<boolean> {
    const values = { operation_key: key, fingerprint };
    const row = { table, values, key: ["operation_key"], keyName: "PRIMARY" };
    return (await insertOnce(scope, database, row)) === "inserted";
  }

  async function once(
    tx: Transaction<Handle>,
    key: IdempotencyKey,
    effect: (() => unknown) | SqlEffect,
    onceOptions: OnceOptions = {},
  ): Promise<boolean> {
    const scope = scopeOf(tx, database);
    const { record, expired } = recordOf(key, onceOptions);
    await verifyFirst(scope);
    if (expired !== undefined) {
      const answer = (await onExpired?.({ tx, key, occurredAt: expired.occurredAt })) ?? "refuse";
      if (answer === "refuse") throw expired;
      if (answer === "skip") return false;
    }
    if (typeof effect !== "function" && takesOneStatement(database)) {
      const first = await doOnceOnPostgres(scope, record, effect);
      if (!first) await repeated(scope, record);
      return first;
    }
    if (!(await insert(scope, record))) {
      await repeated(scope, record);
      return false;
    }
    await failPoint("ledger:after-record");
    try {
      await (typeof effect === "function" ? effect() : doEffect(scope, key, effect));
    } catch (error) {
      // The record without its effect must never be stored, whoever catches this.
      scope.refuseCommit(error);
      throw error;
    }
    return true;
  }

  const ledger: Ledger<Handle> = {
    once,

    async run(key, effect, runOptions = {}) {
      const inTransaction = () => transactions.run((tx) => once(tx, key, effect, runOptions), { attempts: 10 });
      // Nothing else is in this transaction, so a deadlock may be tried again.
      if (transactions.current() !== undefined || !takesOneStatement(database)) return inTransaction();
      const { record, expired } = recordOf(key, runOptions);
      if (expired !== undefined) return inTransaction();
      await verifyFirst(database);
      assertJobGoesOn();
      await reach({ at: "begin" });
      const first = await doOnceOnPostgres(database, record, effect);
      await reach({ at: "after commit" });
      if (!first) await repeated(database, record);
      return new Committed(first, undefined);
    },

    verify: () => verifyTable(database, database, table),

    async prune(pruneOptions) {
      const age = checkedAge(retention, pruneOptions, "This ledger keeps its records");
      await verifyTable(database, database, table);
      return pruneTable(database, table, age, pruneOptions);
    },
  };
  insides.set(ledger, { database, retention });
  return ledger;
}

/** On MySQL a lock: the row may be younger than the snapshot of the transaction (F13). */
function reading(dialect: "postgres" | "mysql" | "sqlite", table: string): string {
  const text = `SELECT fingerprint FROM ${table} WHERE operation_key = ${dialect === "postgres" ? "$1" : "?"}`;
  return dialect === "mysql" ? `${text} LOCK IN SHARE MODE` : text;
}
