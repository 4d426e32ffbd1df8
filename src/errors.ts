import type { Committed } from "./committed.js";

/** What is known about the data when an error is thrown. */
export type DataState = "committed" | "rolled back" | "unknown" | "nothing written";

interface Details {
  readonly code: `AFTERCOMMIT_${string}`;
  readonly state: DataState;
  readonly cause?: unknown;
}

/**
 * Base of every error that this package throws.
 *
 * `code` never changes between releases; `state` says what happened to the data; the message says what to do.
 */
export class AftercommitError extends Error {
  readonly code: `AFTERCOMMIT_${string}`;
  readonly state: DataState;

  constructor(message: string, { code, state, ...rest }: Details) {
    super(message, "cause" in rest ? { cause: rest.cause } : undefined);
    this.name = new.target.name;
    this.code = code;
    this.state = state;
  }
}

/**
 * The transaction is committed, but at least one follow-up (`tx.afterCommit`, an after-commit delivery) failed.
 * Every follow-up ran (TX-08).
 */
export class AfterCommitError extends AftercommitError {
  declare readonly state: "committed";
  /** What `run` would have resolved to. */
  readonly committed: Committed<unknown>;
  /** Every error, in the order in which the follow-ups ran. */
  readonly errors: readonly unknown[];

  constructor(committed: Committed<unknown>, errors: readonly unknown[]) {
    super(
      `The transaction is committed, but ${errors.length === 1 ? "a follow-up" : `${errors.length} follow-ups`} after ` +
        `the commit failed: ${errors.map(messageOf).join("; ")}. Do not run the transaction again: its result is in ` +
        "`error.committed`, the failures are in `error.errors`.",
      { code: "AFTERCOMMIT_FOLLOW_UP_FAILED", state: "committed", cause: errors[0] },
    );
    this.committed = committed;
    this.errors = errors;
  }
}

/**
 * The transaction may or may not be committed: COMMIT was sent and no answer came (TX-18), or the transaction had ended
 * behind the manager's back. No follow-up ran.
 */
export class CommitOutcomeUnknownError extends AftercommitError {
  declare readonly state: "unknown";

  constructor(cause: unknown) {
    super(
      `Nobody knows whether the transaction is committed (${messageOf(cause)}). ` +
        "No follow-up ran. Read the data before you try again, or try again with an operation that counts once (a ledger).",
      { code: "AFTERCOMMIT_COMMIT_OUTCOME_UNKNOWN", state: "unknown", cause },
    );
  }
}

/**
 * The work returned normally, but the database rolled it back: COMMIT answered ROLLBACK (TX-13), COMMIT was refused
 * (TX-12), or the connection was lost before the COMMIT was sent. `cause` is the database's error where there is one.
 */
export class RolledBackError extends AftercommitError {
  declare readonly state: "rolled back";

  constructor(message: string, cause?: unknown) {
    super(message, {
      code: "AFTERCOMMIT_ROLLED_BACK",
      state: "rolled back",
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

/** An aborted transaction whose COMMIT the server answers with ROLLBACK. */
export function swallowed(cause?: unknown): RolledBackError {
  return new RolledBackError(
    "The database rolled the transaction back instead of committing it: a statement in it had failed and its error was " +
      "swallowed. Nothing is stored, no follow-up ran. Let errors of statements through, or give a statement that may " +
      "fail a savepoint of its own.",
    cause,
  );
}

/** @param cause why the database did not commit */
export function refused(cause: unknown): RolledBackError {
  return new RolledBackError(
    `The database did not commit the transaction (${messageOf(cause)}). Nothing is stored, no follow-up ran. ` +
      "Run it again if the cause may pass.",
    cause,
  );
}

/** A transaction or its database handle was used after it had ended, usually by a promise that nobody awaits (TX-16). */
export class TransactionClosedError extends AftercommitError {
  /** @param use what was tried, as the subject of a sentence */
  constructor(use: string) {
    super(
      `${use} came after its transaction had ended. ` +
        "Await everything that uses the transaction before the transaction's function returns.",
      { code: "AFTERCOMMIT_TRANSACTION_CLOSED", state: "nothing written" },
    );
  }
}

/** A transaction asked for more jobs than its manager allows (`mostJobs`, AC-14). The job was not enqueued. */
export class TooManyJobsError extends AftercommitError {
  constructor(queue: string, most: number) {
    super(
      `This transaction has asked for ${most} jobs, as many as its manager allows (\`mostJobs\`), and now for another one ` +
        `in queue "${queue}". They are held in memory until the commit, and then sent in one burst. Let one job stand ` +
        "for many, or enqueue them in several transactions. The job was not enqueued.",
      { code: "AFTERCOMMIT_TOO_MANY_JOBS", state: "nothing written" },
    );
  }
}

/** A part of an idempotency key is missing, or does not come from the business operation. */
export class InvalidKeyError extends AftercommitError {
  constructor(message: string) {
    super(message, { code: "AFTERCOMMIT_INVALID_KEY", state: "nothing written" });
  }
}

/** One thing that is wrong with a payload. */
export interface PayloadIssue {
  readonly message: string;
  /** Where, as `address.street`; empty for the payload itself. */
  readonly path: string;
}

/** The payload does not fit its schema, or does not survive JSON. Nothing was written or dispatched. */
export class InvalidPayloadError extends AftercommitError {
  readonly queue: string;
  readonly issues: readonly PayloadIssue[];

  constructor(queue: string, issues: readonly PayloadIssue[]) {
    const list = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
    super(
      `The payload for queue "${queue}" is not valid as JSON: ${list}. Nothing was written. ` +
        "Give a payload that fits the schema after JSON.stringify and JSON.parse.",
      { code: "AFTERCOMMIT_INVALID_PAYLOAD", state: "nothing written" },
    );
    this.queue = queue;
    this.issues = issues;
  }
}

/** Something is set up wrongly; it refuses to start. The message says what to change. */
export class ConfigurationError extends AftercommitError {
  constructor(message: string, cause?: unknown) {
    super(message, {
      code: "AFTERCOMMIT_CONFIGURATION",
      state: "nothing written",
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Where libraries keep the error that they wrap: the language's own place, TypeORM's, Sequelize's, Prisma's. */
const places = ["cause", "driverError", "original", "meta", "driverAdapterError"] as const;

/** The error and what caused it, outermost first: ORMs and this package wrap the driver's error. */
export function* causesOf(error: unknown): Generator<object> {
  // Eight is far above what libraries nest, and ends a cycle.
  for (let depth = 0, current = error; depth < 8; depth += 1) {
    if (typeof current !== "object" || current === null) return;
    yield current;
    const wrapper = current as Partial<Record<(typeof places)[number], unknown>>;
    current = places.map((place) => wrapper[place]).find((inner) => typeof inner === "object" && inner !== null);
  }
}
