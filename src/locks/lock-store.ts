/** The port that a lock store implements: values that expire, changed only by who knows what is there. */

import type { Seconds } from "../duration.js";

/** A value that has not expired. */
export interface LockEntry {
  readonly value: string;
  /** Until it expires. */
  readonly remaining: Seconds;
}

export interface LockChange {
  /** What must be there now; `undefined` for nothing, or nothing that has not expired. */
  readonly from: string | undefined;
  /** What is to be there; `undefined` removes it. */
  readonly to: string | undefined;
  /** After so long the new value is as if it were not there. Of no meaning for a removal. */
  readonly ttl: Seconds;
}

export type LockAnswer =
  | { readonly changed: true }
  /** Nothing was changed, because this was there; `undefined` where it was nothing, or is nothing by now. */
  | { readonly changed: false; readonly current: LockEntry | undefined };

/**
 * Where the controls keep what they know. Keys are ASCII text without spaces, at most 200 characters.
 *
 * Values may be lost at any time (eviction, a failover, a flush): the controls then do more work than needed, and
 * nothing wrong.
 */
export interface LockStore {
  /** For messages to people, such as "redis". */
  readonly library: string;

  read(key: string): Promise<LockEntry | undefined>;

  /** Changes a value if, and only if, what is there is what the caller expects. One of several at once succeeds. */
  compareAndSet(key: string, change: LockChange): Promise<LockAnswer>;
}
