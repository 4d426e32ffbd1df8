import { AftercommitError, messageOf } from "../errors.js";
import type { IdempotencyKey } from "../idempotency-key.js";

/**
 * The key was used before with another request (EX-11): two different operations were given one key, or one was asked for
 * again with other values. The service was not called.
 */
export class RequestChangedError extends AftercommitError {
  readonly key: IdempotencyKey;
  readonly service: string;

  constructor(key: IdempotencyKey, service: string) {
    super(
      `"${service}" was asked for "${key}" before, with another request than now, so it was not called. Find out which of ` +
        "the two is right: same operation, same key, same values; another operation needs another key.",
      { code: "AFTERCOMMIT_REQUEST_CHANGED", state: "nothing written" },
    );
    this.key = key;
    this.service = service;
  }
}

/**
 * Nobody knows whether the service has done it, and it must not be asked again (EX-05, EX-06). A worker gives up the job
 * at once: no further try could change this.
 */
export class NeedsReviewError extends AftercommitError {
  readonly key: IdempotencyKey;
  readonly service: string;

  constructor(key: IdempotencyKey, service: string, cause?: unknown) {
    super(
      `Nobody knows whether "${service}" has done "${key}"${cause === undefined ? "" : ` (${messageOf(cause)})`}, so it is ` +
        "not asked again. Look there whether it has, write down what you find (`aftercommit review resolve`, " +
        "`effects.resolve`), and run the job again.",
      { code: "AFTERCOMMIT_NEEDS_REVIEW", state: "unknown", ...(cause === undefined ? {} : { cause }) },
    );
    this.key = key;
    this.service = service;
  }
}

/** Another worker is calling the service for this operation (EX-09), or was killed while it did. Try again later. */
export class EffectUnderWayError extends AftercommitError {
  readonly key: IdempotencyKey;
  readonly service: string;

  constructor(key: IdempotencyKey, service: string) {
    super(
      `"${service}" is being asked for "${key}" by somebody else at this moment, or was when that process died. It was not ` +
        "called a second time. Try again when that call's time is over.",
      { code: "AFTERCOMMIT_EFFECT_UNDER_WAY", state: "unknown" },
    );
    this.key = key;
    this.service = service;
  }
}

/** The service has answered, and its answer could not be written down as it is. */
export class EffectNotRecordedError extends AftercommitError {
  readonly key: IdempotencyKey;
  readonly service: string;

  constructor(key: IdempotencyKey, service: string, what: string, cause?: unknown) {
    super(`"${service}" has answered for "${key}", and ${what}`, {
      code: "AFTERCOMMIT_EFFECT_NOT_RECORDED",
      state: "unknown",
      ...(cause === undefined ? {} : { cause }),
    });
    this.key = key;
    this.service = service;
  }
}
