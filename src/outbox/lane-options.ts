import type { Seconds } from "../duration.js";
import type { JobId } from "../job-id.js";

export interface LaneOptions {
  readonly batch: number;
  readonly pollEvery: Seconds;
  readonly lease: Seconds;
  readonly sendTimeout: Seconds;
  readonly tries: number;
  /** Set when jobs mark their rows: how long they have for it. */
  readonly resendAfter: Seconds | undefined;
  /** The wait after the first failure, and the longest; it doubles in between. */
  readonly backoff: { readonly first: Seconds; readonly longest: Seconds };
  readonly onError: (error: unknown, about: RelayErrorContext) => void;
  readonly onGivenUp: (row: GivenUp) => void;
}

/** What a relay was doing when something failed. */
export interface RelayErrorContext {
  /** None for what concerns the relay as a whole. */
  readonly queue?: string;
  /** "lease lost" means that rows were sent, and another relay may send them again. */
  readonly doing: "claim" | "send" | "mark" | "listen" | "prune" | "lease lost";
}

/** A row that is not tried any more. */
export interface GivenUp {
  readonly queue: string;
  readonly id: JobId;
  readonly attempts: number;
  readonly error: unknown;
}
