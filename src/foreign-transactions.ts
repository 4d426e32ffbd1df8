import { ambient } from "./ambient.js";
import { Committed } from "./committed.js";
import type { Database, ForeignTransaction } from "./databases/database.js";
import { AfterCommitError, CommitOutcomeUnknownError, refused, RolledBackError, swallowed } from "./errors.js";
import { assertJobGoesOn } from "./running-job.js";
import { TransactionScope, type Root } from "./transaction-scope.js";

interface Options {
  readonly effectOrder: "registration" | "inner first";
  readonly mostJobs: number | undefined;
  readonly onRollbackEffectError: (error: unknown) => void;
}

/**
 * Scopes for transactions that others open and end. Effects, enqueued jobs and savepoints work as in one's own; the
 * owner's COMMIT is prepared and proved like one's own.
 */
export class ForeignTransactions<Handle> {
  readonly #database: Database<Handle>;
  readonly #options: Options;
  readonly #scopes = new WeakMap<object, TransactionScope<Handle>>();

  constructor(database: Database<Handle>, options: Options) {
    this.#database = database;
    this.#options = options;
  }

  /** The scope of the innermost frame that the running code is in, if a transaction of somebody else is open. */
  current(): TransactionScope<Handle> | undefined {
    const foreign = this.#database.foreign?.();
    if (foreign === undefined) return undefined;
    const { connection, frames } = foreign;
    let root: Root<Handle> | undefined;
    let innermost: TransactionScope<Handle> | undefined;
    for (const frame of frames) {
      let scope = this.#scopes.get(frame);
      if (scope === undefined) {
        root = innermost?.root ?? {
          database: this.#database,
          connection,
          onRollbackEffectError: this.#options.onRollbackEffectError,
          mostJobs: this.#options.mostJobs,
          jobs: 0,
          savepoints: 0,
        };
        scope = new TransactionScope(root, around(innermost));
        this.#scopes.set(frame, scope);
        if (innermost === undefined) this.#watch(foreign, scope);
      }
      innermost = scope;
    }
    return innermost;
  }

  #watch(foreign: ForeignTransaction<Handle>, scope: TransactionScope<Handle>): void {
    foreign.watch({
      committing: () => this.#prepareCommit(foreign, scope),
      committed: async () => {
        scope.committed();
        const errors = await scope.runCommitEffects(this.#options.effectOrder);
        if (errors.length > 0) throw new AfterCommitError(new Committed(undefined, undefined), errors);
      },
      released: (frame) => this.#scopes.get(frame)?.released(),
      rolledBack: async (frame) => {
        const ended = this.#scopes.get(frame);
        if (ended !== undefined && ended.state !== "unknown") await ended.rolledBack();
      },
    });
  }

  async #prepareCommit(foreign: ForeignTransaction<Handle>, scope: TransactionScope<Handle>): Promise<void> {
    try {
      scope.assertNothingIsRunning();
      assertJobGoesOn();
      scope.end();
      if (scope.root.lost !== undefined) throw refused(scope.root.lost.cause);
      await scope.writeStaged();
      await foreign.prove();
    } catch (error) {
      if (foreign.isOver(error)) {
        scope.unknown();
        throw new CommitOutcomeUnknownError(error);
      }
      throw this.#database.failure(error).kind === "aborted" && !(error instanceof RolledBackError)
        ? swallowed(error)
        : error;
    }
  }
}

/** A savepoint of the owner may have been opened inside one of ours, and then belongs to it. */
function around<Handle>(outer: TransactionScope<Handle> | undefined): TransactionScope<Handle> | undefined {
  const running = ambient.getStore();
  return outer !== undefined && running?.state === "open" && running.isWithin(outer)
    ? (running as TransactionScope<Handle>)
    : outer;
}
