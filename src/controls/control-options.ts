import type { Seconds } from "../duration.js";
import type { ControlId } from "./lock-key.js";

/** What every control needs. They save work: correctness never rests on them. */
interface Common<Payload> {
  /** Which jobs this is about: those with the same id. From the payload as a handler gets it. */
  readonly id: (payload: Payload) => ControlId;
  /**
   * What happens when the lock store does not answer: "open" goes on as if there were no control (default); "closed"
   * refuses, so that sending fails, or a job waits.
   */
  readonly ifStoreFails?: "open" | "closed";
}

/** What happens to a job that may not run now: it waits so many seconds, or is skipped for good. */
type Otherwise = Seconds | "skip";

/** Drops jobs that are asked for while one like them waits or runs (F4, F5). */
export interface UniqueOptions<in Payload = never> extends Common<Payload> {
  /**
   * How long the lock lives at most, in seconds: longer than a job waits and runs. It is what frees the id when a job is
   * lost. Queues that can do this by themselves (BullMQ, pg-boss) free it with the job, and do not need it.
   */
  readonly for: Seconds;
  /**
   * "processed" (default): until the job has ended, retries included. "processing": until its handler starts, so that what
   * changes while it runs is not lost (UP-07).
   */
  readonly until?: "processed" | "processing";
}

/** Runs only the last of several jobs that are asked for in quick succession (F6). */
export interface DebounceOptions<in Payload = never> extends Common<Payload> {
  /** How long it must have been quiet, in seconds. */
  readonly for: Seconds;
  /** However often it is asked for, one runs so many seconds after the first. At least `for`. Default: no limit. */
  readonly maxWait?: Seconds;
}

/** Keeps two jobs of one id from running at the same time (F7), as long as the lock lives. */
export interface WithoutOverlappingOptions<in Payload = never> extends Common<Payload> {
  /** How long the lock lives at most, in seconds: more than `timeout`. It is what frees it when a worker is killed. */
  readonly for: Seconds;
  /** What happens to the second. Default: it waits 10 seconds. */
  readonly otherwise?: Otherwise;
  /** Queues that name the same group exclude each other (WO-08). Default: the queue alone. */
  readonly group?: string;
}

/** Lets only so many jobs of one id start in a time. */
export interface RateLimitOptions<in Payload = never> extends Common<Payload> {
  /** How many may start. */
  readonly limit: number;
  /** In how many seconds, from the first of them on. */
  readonly per: Seconds;
  /** What happens to those above. Default: they wait for the rest of the time. */
  readonly otherwise?: Otherwise;
}

/** Starts no job of an id for a while after many errors, as of a service that is down. */
export interface ThrottleErrorsOptions<in Payload = never> extends Common<Payload> {
  /** After how many errors. A job that succeeds sets the count to nothing (MW-05). */
  readonly after: number;
  /** In how many seconds, from the first of them on; for the rest of that time jobs wait. */
  readonly within: Seconds;
}

/** The controls of a queue as they were given. */
export interface ControlOptions<in Payload = never> {
  readonly unique?: UniqueOptions<Payload> | undefined;
  readonly debounce?: DebounceOptions<Payload> | undefined;
  readonly withoutOverlapping?: WithoutOverlappingOptions<Payload> | undefined;
  /** Several: a job starts when all of them let it, and only then counts (MW-03). */
  readonly rateLimit?: RateLimitOptions<Payload> | readonly RateLimitOptions<Payload>[] | undefined;
  readonly throttleErrors?: ThrottleErrorsOptions<Payload> | undefined;
}
