/** The port that a queue adapter implements. */

import type { Executor } from "../databases/database.js";
import type { Seconds } from "../duration.js";
import type { JobId } from "../job-id.js";

/** How a queue was defined. Every time in seconds. */
export interface QueuePolicy {
  readonly name: string;
  /** How long a handler may run. Below `retryAfter`. */
  readonly timeout: Seconds;
  /** The lease that the adapter is to set up: after it, a job that was not completed goes to another worker. */
  readonly retryAfter: Seconds;
  /** How often a job may be started in all; lost workers count. */
  readonly tries: number;
  /** A job is not started, nor tried again, later than this after its `occurredAt`. The worker sees to it. */
  readonly retryFor?: Seconds;
  /** The wait before the second start, the third, …; the last entry repeats. Empty: none. */
  readonly backoff: readonly Seconds[];
  /** Set where the queue itself is to be unique (`sendUnique`): until when a job keeps others of its key out. */
  readonly uniqueUntil?: "processed" | "processing";
}

/** A job on its way. Everything in it is fixed when it is enqueued, and the same in every delivery. */
export interface Message {
  readonly id: JobId;
  /** JSON text that fits the queue's schema. */
  readonly payload: string;
  /** When the business operation happened. */
  readonly occurredAt: Date;
  /** Earliest start, counted from the moment the message reaches the queue (AC-13). */
  readonly delay?: Seconds;
  /** Messages with the same key leave an outbox in the order in which they were enqueued. */
  readonly orderKey?: string;
  /** What travels with it for programs that watch, such as the context of a trace. No handler sees it. */
  readonly meta?: Readonly<Record<string, string>>;
  /** Given when it is sent, by the debounce of its queue. Let it travel with the message, or superseded jobs may run. */
  readonly generation?: number;
}

/** A message, and the key of which the queue is to hold one job at a time. ASCII, at most 200 characters. */
export interface UniqueMessage {
  readonly message: Message;
  readonly uniqueKey: string;
}

/** A message that a worker took. Its lease runs since it was taken, not since the handler starts. */
export interface TakenMessage {
  readonly message: Message;
  /** 1 for the first start. Counted when the message is taken (F9). */
  readonly attempt: number;
  /** Aborts when the queue has given, or may have given, the message to another worker. */
  readonly leaseLost: AbortSignal;
  /** Lets the next job of the key in, before this one has ended. Missing where that has happened by itself. */
  readonly releaseUnique?: () => Promise<void>;
}

/** What the adapter is to do with a message that was handled. Without effect when the lease was lost meanwhile. */
export type Settlement =
  | { readonly do: "complete" }
  | { readonly do: "retry"; readonly delay: Seconds; readonly error: unknown }
  /** Start it later. That it was taken is not to count among its `attempt`s, where the queue can do that. */
  | { readonly do: "postpone"; readonly delay: Seconds }
  /** Never start it again; keep it where the queue keeps its failed jobs. */
  | { readonly do: "fail"; readonly error: unknown };

export interface WorkOptions {
  /** How many messages of this queue are handled at once, at most. */
  readonly concurrency: number;
  /** Told of errors that belong to no message, such as a lost connection. The adapter goes on by itself. */
  readonly onError: (error: unknown) => void;
}

export interface RunningWorker {
  /** Takes no more messages, and resolves when those that were taken are settled. */
  stop(): Promise<void>;
}

export interface Queues {
  /** For messages to people, such as "bullmq". */
  readonly library: string;

  /**
   * Resolves when the queue has confirmed every message. When it rejects, any of them may have arrived; sending again
   * the same ids is always right, and adds nothing where the queue can tell.
   */
  send(policy: QueuePolicy, messages: readonly Message[]): Promise<void>;

  /**
   * For queues that live in the business database: writes the messages in the transaction that `executor` runs in.
   * Where it is missing, `sameTransaction()` is refused.
   */
  sendWithin?(executor: Executor, policy: QueuePolicy, messages: readonly Message[]): Promise<void>;

  /**
   * For queues that can themselves keep a second job of a key out, and free the key with the job however that ends, by
   * `policy.uniqueUntil`. Where it is missing, locks of a lock store do it.
   *
   * @param executor set where the messages are written in the transaction that it runs in
   * @returns the messages that were not taken, by their id, with the job that is there; without it where that has just
   *   ended. A message that is sent again is none of them
   */
  sendUnique?(
    policy: QueuePolicy,
    messages: readonly UniqueMessage[],
    executor?: Executor,
  ): Promise<ReadonlyMap<JobId, JobId | undefined>>;

  /** The lease that is in force now, read from the queue where it can be read; compared with `timeout` at start. */
  effectiveLease(policy: QueuePolicy): Promise<Seconds>;

  /** Starts to take messages. `handle` never rejects. */
  work(
    policy: QueuePolicy,
    options: WorkOptions,
    handle: (taken: TakenMessage) => Promise<Settlement>,
  ): Promise<RunningWorker>;

  /** Closes what the adapter itself has opened. */
  close(): Promise<void>;
}

/** A queue that can write its messages in a business transaction. */
export type TransactionalQueues = Queues & Required<Pick<Queues, "sendWithin">>;
