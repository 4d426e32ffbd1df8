import { AftercommitError } from "../errors.js";
import type { IdempotencyKey } from "../idempotency-key.js";

/**
 * The key is in the ledger with another payload (LG-13): two different operations were given one key, or one operation
 * was asked for again with other values. The effect was not done, and what was done the first time stands.
 */
export class KeyReusedError extends AftercommitError {
  readonly key: IdempotencyKey;

  constructor(key: IdempotencyKey) {
    super(
      `The operation "${key}" is in the ledger already, with another payload than now. Its effect was not done again. ` +
        "Find out which of the two is right: same operation, same key, same values; another operation needs another key.",
      { code: "AFTERCOMMIT_KEY_REUSED", state: "nothing written" },
    );
    this.key = key;
  }
}

/**
 * The operation happened before what the ledger (or the record of effects) still remembers, so nobody can tell whether it
 * was done (RT-02, RT-04). Nothing was written. Have a person look at it; a worker gives up the job at once.
 */
export class OperationTooOldError extends AftercommitError {
  readonly key: IdempotencyKey;
  readonly occurredAt: Date;

  constructor(key: IdempotencyKey, occurredAt: Date, retention: number) {
    super(
      `The operation "${key}" happened at ${occurredAt.toISOString()}, longer ago than records are kept here ` +
        `(${retention} s), so it may have been done already. It was not done now. Check by hand, or keep records longer.`,
      { code: "AFTERCOMMIT_OPERATION_TOO_OLD", state: "nothing written" },
    );
    this.key = key;
    this.occurredAt = occurredAt;
  }
}

/** The effect changed another number of rows than it must (LG-12), such as none because the balance is missing. */
export class EffectMissedError extends AftercommitError {
  readonly key: IdempotencyKey;
  readonly rows: number;

  constructor(key: IdempotencyKey, expected: number, rows: number, cause?: unknown) {
    super(
      `The effect of "${key}" changed ${rows} rows instead of ${expected}, so the transaction is not committed and the ` +
        "operation counts as not done. See that the rows exist before the operation, or state how many it changes.",
      { code: "AFTERCOMMIT_EFFECT_MISSED", state: "rolled back", ...(cause === undefined ? {} : { cause }) },
    );
    this.key = key;
    this.rows = rows;
  }
}
