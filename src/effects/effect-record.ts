import type { JobId } from "../job-id.js";

/**
 * What is known of an effect in another service:
 * - "intended": written down before the call; no answer was written down yet;
 * - "done", "refused": the service has answered clearly;
 * - "unknown": it was called, and its answer did not come or was not clear;
 * - "not sent": nothing had reached the service, so it may be called again.
 */
export type EffectState = "intended" | "done" | "refused" | "unknown" | "not sent";

/** A record as it is shown to people. */
export interface EffectRecord {
  readonly key: string;
  readonly service: string;
  readonly state: EffectState;
  /** Whether it waits for a person: nobody knows what became of it, and nobody may call again. */
  readonly needsReview: boolean;
  /** What the service was asked, as JSON text. */
  readonly request: string;
  /** Of "done": what the call returned, as JSON text; of "refused": the reason. */
  readonly answer: string | undefined;
  readonly lastError: string | undefined;
  /** What a person has said when it was resolved. */
  readonly note: string | undefined;
  /** How often the service was called, or was about to be. */
  readonly calls: number;
  /** The job in whose handler the last call was made, and its queue; none outside of a worker. */
  readonly queue: string | undefined;
  readonly jobId: JobId | undefined;
  /** When the last call was written down; of a service with keys: the first one. */
  readonly intendedAt: Date;
  readonly decidedAt: Date | undefined;
}

/** What a person has found out about an effect. */
export type Resolution =
  /** It has happened. `result` is what the call would have returned, where the handler needs it. */
  | { readonly as: "done"; readonly result?: unknown; readonly note?: string }
  /** It has not happened, and shall not: the handler gets this as the service's refusal. */
  | { readonly as: "refused"; readonly reason: string; readonly note?: string }
  /** It has not happened, and the next run of the job is to call the service again. */
  | { readonly as: "not sent"; readonly note?: string };
