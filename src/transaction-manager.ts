import { setTimeout as sleep } from "node:timers/promises";
import { ambient } from "./ambient.js";
import { Committed } from "./committed.js";
import type { BeginOptions, Connection, Database } from "./databases/database.js";
import {
  AfterCommitError,
  AftercommitError,
  causesOf,
  CommitOutcomeUnknownError,
  ConfigurationError,
  refused,
  RolledBackError,
  swallowed,
} from "./errors.js";
import { ForeignTransactions } from "./foreign-transactions.js";
import { failPoint } from "./fail-points.js";
import { assertJobGoesOn } from "./running-job.js";
import { refuseSecondCopy } from "./single-copy.js";
import { reach } from "./steps.js";
import { TransactionScope, type Root } from "./transaction-scope.js";
import type { Transaction } from "./transaction.js";

export interface RunOptions extends BeginOptions {
  /**
   * How often the function may run in all when the database answers with a serialization failure, a deadlock or
   * "busy". What a failed attempt had staged is dropped. Default 1. Without meaning for a `run` that joins: the
   * outermost transaction is the one to repeat.
   */
  readonly attempts?: number;
}

export interface TransactionManagerOptions {
  /**
   * In which order effects run after the commit: as they were registered (default), or those of a savepoint before
   * those that its enclosing transaction had registered earlier (TX-04).
   */
  readonly effectOrder?: "registration" | "inner first";
  /**
   * How many jobs one transaction may ask for; one more is refused, so that the loop that nobody thought of is seen
   * (AC-14). They are held in memory until the commit, and sent in one burst. Default: any number.
   */
  readonly mostJobs?: number;
  /** Told of errors of `afterRollback` effects. Default: a warning of the process. */
  readonly onRollbackEffectError?: (error: unknown) => void;
}

export interface TransactionManager<Handle = unknown> {
  readonly database: Database<Handle>;

  /**
   * Runs `work` in a transaction and commits when it returns. Called while a transaction of this manager is open in the
   * same async context, or one that a framework has opened and the adapter can see, it joins that one by a savepoint, and
   * what it resolves to is pending until the outermost commit.
   *
   * @throws whatever `work` threw: rolled back
   * @throws RolledBackError the database did not commit: rolled back
   * @throws AfterCommitError committed, and a follow-up failed
   * @throws CommitOutcomeUnknownError committed or not: nobody knows
   */
  run<R>(work: (tx: Transaction<Handle>) => Promise<R> | R, options?: RunOptions): Promise<Committed<R>>;

  /** The innermost open transaction that this code runs in, if any. */
  current(): Transaction<Handle> | undefined;

  /**
   * `tx.afterCommit` of the current transaction; without one `effect` runs before the call returns (TX-01). Resolves
   * when the effect is registered or has run.
   *
   * @throws TransactionClosedError in code that was started in a transaction and outlived it (TX-16)
   */
  afterCommit(effect: () => unknown): Promise<void>;
}

/** Opens transactions on `database` and keeps what is to happen after their commit. Make one a database. */
export function createTransactionManager<Handle>(
  database: Database<Handle>,
  { effectOrder = "registration", mostJobs, onRollbackEffectError = warn }: TransactionManagerOptions = {},
): TransactionManager<Handle> {
  refuseSecondCopy();
  if (mostJobs !== undefined && !(Number.isInteger(mostJobs) && mostJobs >= 1)) {
    throw new ConfigurationError(`\`mostJobs\` must be a whole number from 1, not ${String(mostJobs)}.`);
  }

  const foreign = new ForeignTransactions(database, { effectOrder, mostJobs, onRollbackEffectError });

  /** The nearest scope of this manager around the running code, open or not. */
  function nearest(): TransactionScope<Handle> | undefined {
    for (let scope = ambient.getStore(); scope !== undefined; scope = scope.enclosing ?? scope.parent) {
      if (scope.database === database) return scope as TransactionScope<Handle>;
    }
    return undefined;
  }

  function current(): TransactionScope<Handle> | undefined {
    const own = nearest();
    const open = own?.state === "open" ? own : undefined;
    const other = foreign.current();
    // What a framework has opened inside of ours is nearer than ours.
    if (other?.state !== "open" || open?.isWithin(other) === true) return open;
    return other;
  }

  async function runOutermost<R>(
    work: (tx: Transaction<Handle>) => Promise<R> | R,
    options: RunOptions,
  ): Promise<Committed<R>> {
    const { attempts = 1 } = options;
    if (!Number.isInteger(attempts) || attempts < 1) {
      throw new ConfigurationError(`\`attempts\` must be a whole number from 1, not ${String(attempts)}.`);
    }
    for (let attempt = 1; ; attempt += 1) {
      const transaction = await attemptOf(work, options).catch((error: unknown) => {
        if (attempt >= attempts || !isRetryable(database, error)) throw error;
        return undefined;
      });
      // Effects run outside of what is tried again: one that fails with a deadlock of its own repeats nothing (TX-09).
      if (transaction !== undefined) return await finish(transaction.scope, transaction.result);
      await sleep(Math.random() * 10 * 2 ** Math.min(attempt, 7));
    }
  }

  async function attemptOf<R>(work: (tx: Transaction<Handle>) => Promise<R> | R, options: RunOptions) {
    await reach({ at: "begin" });
    const connection = await database.begin(options);
    const root: Root<Handle> = { database, connection, onRollbackEffectError, mostJobs, jobs: 0, savepoints: 0 };
    const scope = new TransactionScope<Handle>(root, undefined);
    let result: R;
    try {
      await failPoint("transaction:after-begin");
      result = await ambient.run(scope, () => work(scope));
      scope.assertNothingIsRunning();
      // A handler that goes on after its time must not do its work beside the job's next run (LE-10).
      assertJobGoesOn();
      scope.end();
      if (root.lost !== undefined) throw refused(root.lost.cause);
      await scope.writeStaged();
      await failPoint("transaction:before-commit");
      await reach({ at: "commit" });
    } catch (error) {
      await rollBack(scope, connection);
      throw database.failure(error).kind === "aborted" && !(error instanceof RolledBackError)
        ? swallowed(error)
        : error;
    }
    await commit(scope, connection);
    await failPoint("transaction:after-commit");
    await reach({ at: "after commit" });
    return { scope, result };
  }

  async function finish<R>(scope: TransactionScope<Handle>, result: R): Promise<Committed<R>> {
    const committed = new Committed<R>(result, undefined);
    const errors = await scope.runCommitEffects(effectOrder);
    if (errors.length > 0) throw new AfterCommitError(committed, errors);
    return committed;
  }

  return {
    database,
    current,

    async run(work, options = {}) {
      const outer = current();
      if (outer === undefined) return runOutermost(work, options);
      if (options.isolation !== undefined) {
        throw new ConfigurationError(
          "A `run` inside an open transaction joins it and cannot choose its isolation. " +
            "Give `isolation` to the outermost `run`.",
        );
      }
      return new Committed(await outer.savepoint(work), outer);
    },

    async afterCommit(effect) {
      const scope = current() ?? nearest();
      if (scope === undefined) await effect();
      else scope.afterCommit(effect);
    },
  };
}

async function commit<Handle>(scope: TransactionScope<Handle>, connection: Connection<Handle>): Promise<void> {
  let answer;
  try {
    answer = await connection.commit();
  } catch (cause) {
    scope.unknown();
    connection.release(true);
    throw new CommitOutcomeUnknownError(cause);
  }
  connection.release(false);
  if (answer.outcome === "rolled back") {
    await scope.rolledBack();
    throw answer.cause === undefined ? swallowed() : refused(answer.cause);
  }
  scope.committed();
}

async function rollBack<Handle>(scope: TransactionScope<Handle>, connection: Connection<Handle>): Promise<void> {
  let broken = false;
  scope.end();
  try {
    await connection.rollback();
  } catch {
    // A connection that cannot be rolled back is closed; the server then rolls back by itself.
    broken = true;
  }
  connection.release(broken);
  await scope.rolledBack();
}

function isRetryable(database: Database, error: unknown): boolean {
  for (const cause of causesOf(error)) {
    // The work of another manager inside this one: what it committed must not be done again.
    if (cause instanceof AftercommitError && (cause.state === "committed" || cause.state === "unknown")) return false;
  }
  return database.failure(error).kind === "retryable";
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
