import { setMaxListeners } from "node:events";
import type { Admission, Ended } from "../controls/running-controls.js";
import type { Seconds } from "../duration.js";
import { requireSeconds } from "../duration.js";
import { NeedsReviewError } from "../effects/effect-errors.js";
import { insideOfService } from "../effects/service.js";
import { causesOf, ConfigurationError, InvalidPayloadError } from "../errors.js";
import { failPoint } from "../fail-points.js";
import type { JobId } from "../job-id.js";
import { jobObserver } from "../job-observer.js";
import { OperationTooOldError } from "../ledger/ledger-errors.js";
import { definitionOf, type Queue, type QueueDefinition } from "../queue.js";
import type { QueuePolicy, RunningWorker, Settlement, TakenMessage } from "../queues/queues.js";
import { unpackPayload } from "../standard-schema.js";
import { JobRun, type RunEnd } from "./job-run.js";
import { Postponement } from "./postpone.js";
import {
  JobTimeoutError,
  RetryTimeOverError,
  TriesExhaustedError,
  WorkerStoppedError,
  type HandlerStuckError,
} from "./worker-errors.js";

/** A job as its handler gets it. */
export interface Job<out Payload> {
  /** What the queue's schema made of the payload. */
  readonly payload: Payload;
  /** The same in every delivery of this message, and another one when the operation is asked for again: no key. */
  readonly id: JobId;
  /** 1 for the first start; lost workers count. */
  readonly attempt: number;
  /** When the business operation happened, as it was enqueued. */
  readonly occurredAt: Date;
  /** Aborts at the timeout, when the lease is lost and at the deadline of a stop. Pass it to everything that waits. */
  readonly signal: AbortSignal;
}

/** A job that is not started again. */
export interface FailedJob<out Payload> {
  /** What the schema made of the payload, whatever the handler did to its own; nothing where that is what failed. */
  readonly payload: Payload | undefined;
  readonly id: JobId;
  readonly attempt: number;
  readonly occurredAt: Date;
  /**
   * Why: the handler's last error, `InvalidPayloadError`, `JobTimeoutError`, `TriesExhaustedError`,
   * `RetryTimeOverError`. Never missing (PV-13).
   */
  readonly error: unknown;
}

export interface WorkerOptions<Payload = unknown> {
  /** How many jobs are handled at once in this process. Default 1. */
  readonly concurrency?: number;
  /**
   * How many seconds a handler has to end once its signal is aborted; after that its job is given back while it goes on.
   * Default: half of what is between the timeout and the lease, and 5 at most.
   */
  readonly grace?: Seconds;
  /**
   * Whether an error of the handler will come each time, such as a card that has expired or a row that is gone: then the
   * job has failed at once, whatever `tries` it has left (MW-08). Default: none will.
   */
  readonly isFinal?: (error: unknown) => boolean;
  /**
   * Called when a job is given up, before the queue is told; again when the process dies in between. What it throws goes
   * to `onError`. It may take as long as the lease lasts.
   */
  readonly onFailed?: (failed: FailedJob<Payload>) => unknown;
  /**
   * Called when a handler does not stop in its grace (LE-13). Nothing but the end of the process stops it for sure:
   * `() => process.exit(1)` under a supervisor. Default: `onError`.
   */
  readonly onStuck?: (error: HandlerStuckError) => unknown;
  /** Told of everything that has no other place, such as a lost connection. Default: a warning of the process. */
  readonly onError?: (error: unknown) => void;
}

export interface Worker {
  /**
   * Takes no more jobs, and resolves when those that run have ended. Call it on SIGTERM (AT-11).
   *
   * @param options.deadline seconds after which the signals of those still running are aborted and they are given back.
   *   Default: none, the queue's timeout ends them
   */
  stop(options?: { readonly deadline?: Seconds }): Promise<void>;
}

/**
 * Starts to handle the jobs of a queue in this process, on the queue library's own worker.
 *
 * The handler of a job whose signal is aborted has lost it: what it returns does not count, and what it still wants to
 * commit by `transactions.run` is rolled back, with everything that it has started and not awaited. So a job that takes
 * too long does not do its work beside its own retry.
 *
 * A job that throws `NeedsReviewError` or `OperationTooOldError` is given up at once: a person has to decide.
 *
 * @throws ConfigurationError when the lease that the queue has in force is not above the timeout, when the table of the
 *   effects that its `repeatSafety` names is not right, and for wrong options
 */
export async function startWorker<Payload>(
  queue: Queue<never, Payload>,
  handler: (job: Job<Payload>) => unknown,
  options: WorkerOptions<Payload> = {},
): Promise<Worker> {
  const definition = definitionOf(queue);
  const { policy, queues } = definition;
  if (typeof handler !== "function") throw new ConfigurationError("A worker needs a function that handles its jobs.");
  const { concurrency = 1 } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new ConfigurationError(`\`concurrency\` must be a whole number from 1, not ${String(concurrency)}.`);
  }
  const { repeatSafety } = definition;
  const service = "service" in repeatSafety ? repeatSafety.service : undefined;
  if (service !== undefined) await insideOfService(service).verify();
  const lease = await queues.effectiveLease(policy);
  const settler = new Handling(definition, handler, {
    ...options,
    grace: checkedGrace(policy, lease, options.grace),
    lease,
  });
  const running = await queues.work(policy, { concurrency, onError: settler.onError }, (taken) =>
    settler.handle(taken),
  );
  return { stop: (stopOptions = {}) => settler.stop(running, stopOptions.deadline) };
}

function checkedGrace({ name, timeout }: QueuePolicy, lease: Seconds, given: Seconds | undefined): Seconds {
  if (!(timeout < lease)) {
    throw new ConfigurationError(
      `Queue "${name}" does not start: its timeout (${timeout} s) must be below the lease that the queue has in force ` +
        `(${lease} s), or a job that runs longer is given to a second worker while the first still runs.`,
    );
  }
  if (given === undefined) return Math.min((lease - timeout) / 2, 5);
  requireSeconds(given, "`grace`");
  if (!(timeout + given < lease)) {
    throw new ConfigurationError(
      `Queue "${name}" does not start: its timeout (${timeout} s) and the grace (${given} s) together must be below the ` +
        `lease that the queue has in force (${lease} s).`,
    );
  }
  return given;
}

/** What happens to a job from the moment it was taken until the queue is told how it ended. */
class Handling<Payload> {
  readonly #definition: QueueDefinition<Payload>;
  readonly #handler: (job: Job<Payload>) => unknown;
  readonly #options: WorkerOptions<Payload> & { readonly grace: Seconds; readonly lease: Seconds };
  readonly #runs = new Set<JobRun>();
  #deadlineHasPassed = false;

  constructor(
    definition: QueueDefinition<Payload>,
    handler: (job: Job<Payload>) => unknown,
    options: WorkerOptions<Payload> & { readonly grace: Seconds; readonly lease: Seconds },
  ) {
    this.#definition = definition;
    this.#handler = handler;
    this.#options = options;
  }

  /** Never throws: it is called where nobody could catch it. */
  readonly onError = (error: unknown): void => {
    try {
      (this.#options.onError ?? warn)(error);
    } catch (own) {
      warn(own);
    }
  };

  handle(taken: TakenMessage): Promise<Settlement> {
    const handle = () => this.#handle(taken);
    return jobObserver()?.handling(this.#definition, taken, handle) ?? handle();
  }

  async #handle(taken: TakenMessage): Promise<Settlement> {
    const { controls } = this.#definition;
    const leaseEnd = Date.now() + this.#options.lease * 1000;
    let payload: Payload;
    try {
      payload = await this.#unpack(taken);
    } catch (error) {
      // It will not fit the next time either (PL-06). A schema that throws may have had a bad moment.
      const isFinal = error instanceof InvalidPayloadError;
      return isFinal ? this.#giveUp(taken, undefined, error, leaseEnd) : this.#again(taken, undefined, error, leaseEnd);
    }
    const settlement = await this.#settlementOf(taken, payload, leaseEnd);
    // Before the queue is told: if the process dies in between, what the job had locked is free at once.
    if ((settlement.do === "complete" || settlement.do === "fail") && !taken.leaseLost.aborted) {
      await this.#guarded(() => controls?.over(taken, payload));
    }
    return settlement;
  }

  async #settlementOf(taken: TakenMessage, payload: Payload, leaseEnd: number): Promise<Settlement> {
    const { policy, controls } = this.#definition;
    const { attempt } = taken;
    if (attempt > policy.tries) {
      return this.#giveUp(taken, payload, new TriesExhaustedError(policy.name, policy.tries), leaseEnd);
    }
    if (policy.retryFor !== undefined && isOver(policy.retryFor, taken)) {
      return this.#giveUp(taken, payload, new RetryTimeOverError(policy.name, policy.retryFor), leaseEnd);
    }
    let admission: Admission | undefined;
    try {
      admission = await controls?.admit(taken, payload);
    } catch (error) {
      return this.#again(taken, payload, error, leaseEnd);
    }
    if (admission?.runs === false) return admission.settlement;

    // The controls find their locks by the payload when the job has ended.
    const own = admission === undefined ? payload : await this.#unpack(taken).catch(() => payload);
    const ended = await this.#run(taken, own);
    await admission?.ended({
      outcome: outcomeOf(ended),
      isStuck: ended.end === "stopped" && ended.stuck !== undefined,
    });
    if (ended.end === "returned") {
      const { value } = ended;
      return value instanceof Postponement ? { do: "postpone", delay: value.delay } : { do: "complete" };
    }
    // Whoever has the job now decides; this is only for the record.
    if (ended.end === "stopped" && ended.leaseLost) return { do: "retry", delay: 0, error: ended.error };
    const again = await this.#unpack(taken).catch(() => undefined);
    if (ended.end === "threw" && this.#isFinal(ended.error)) return this.#giveUp(taken, again, ended.error, leaseEnd);
    return this.#again(taken, again, ended.error, leaseEnd);
  }

  /** Anew: a handler may change the payload that it was given, and nobody else is to see that (AT-09). */
  #unpack({ message }: TakenMessage): Promise<Payload> {
    const { policy, schema } = this.#definition;
    return unpackPayload(policy.name, schema, message.payload);
  }

  #isFinal(error: unknown): boolean {
    if (isForPeople(error)) return true;
    try {
      return this.#options.isFinal?.(error) === true;
    } catch (own) {
      this.onError(own);
      return false;
    }
  }

  /** Tries again, if the job may be started once more. */
  async #again(
    taken: TakenMessage,
    payload: Payload | undefined,
    error: unknown,
    leaseEnd: number,
  ): Promise<Settlement> {
    const { policy } = this.#definition;
    if (taken.attempt >= policy.tries || (policy.retryFor !== undefined && isOver(policy.retryFor, taken))) {
      return this.#giveUp(taken, payload, error, leaseEnd);
    }
    // A stop is no fault of the job, so it need not wait; but its start counts, as that of a lost worker does.
    const delay = error instanceof WorkerStoppedError ? 0 : delayAfter(policy, taken.attempt);
    return { do: "retry", delay, error };
  }

  async #giveUp(
    { message: { id, occurredAt }, attempt, leaseLost }: TakenMessage,
    payload: Payload | undefined,
    error: unknown,
    leaseEnd: number,
  ): Promise<Settlement> {
    if (!leaseLost.aborted) await this.#tellFailed({ id, payload, attempt, occurredAt, error }, leaseEnd);
    return { do: "fail", error };
  }

  async #run({ message, attempt, leaseLost }: TakenMessage, payload: Payload): Promise<RunEnd> {
    const { policy } = this.#definition;
    const { id, occurredAt } = message;
    const { grace } = this.#options;
    const run = new JobRun({ queue: policy.name, jobId: id, timeout: policy.timeout, grace, leaseLost });
    // A handler passes the signal to whatever it waits for; the warning about many listeners is not for it.
    setMaxListeners(0, run.signal);
    this.#runs.add(run);
    // The queue library had taken it already when the worker was stopped.
    if (this.#deadlineHasPassed) run.stop(new WorkerStoppedError(policy.name));
    await failPoint("worker:before-handler");
    const ended = await run.of((signal) => this.#handler({ payload, id, attempt, occurredAt, signal }));
    await failPoint("worker:after-handler");
    this.#runs.delete(run);
    if (ended.end === "stopped") {
      const { stuck } = ended;
      if (ended.leaseLost) this.onError(ended.error);
      if (stuck !== undefined) void this.#guarded(() => (this.#options.onStuck ?? this.onError)(stuck));
    }
    return ended;
  }

  /** Bounded by the lease: a hook that hangs must not keep the job, nor the worker from stopping. */
  async #tellFailed(failed: FailedJob<Payload>, leaseEnd: number): Promise<void> {
    const { onFailed } = this.#options;
    if (onFailed === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(
        () => {
          this.onError(
            new Error(`\`onFailed\` of queue "${this.#definition.policy.name}" took longer than the lease.`),
          );
          resolve();
        },
        Math.max(leaseEnd - Date.now(), 0),
      );
    });
    await Promise.race([this.#guarded(() => onFailed(failed)), tooLong]);
    clearTimeout(timer);
  }

  async #guarded(hook: () => unknown): Promise<void> {
    try {
      await hook();
    } catch (error) {
      this.onError(error);
    }
  }

  async stop(running: RunningWorker, deadline: Seconds | undefined): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    if (deadline !== undefined) {
      timer = setTimeout(() => {
        this.#deadlineHasPassed = true;
        for (const run of this.#runs) run.stop(new WorkerStoppedError(this.#definition.policy.name));
      }, deadline * 1000);
    }
    try {
      await running.stop();
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Whether no further try can change it, because a person has to decide. */
function isForPeople(error: unknown): boolean {
  for (const cause of causesOf(error)) {
    if (cause instanceof NeedsReviewError || cause instanceof OperationTooOldError) return true;
  }
  return false;
}

function outcomeOf(ended: RunEnd): Ended["outcome"] {
  if (ended.end === "returned") return ended.value instanceof Postponement ? "given back" : "done";
  return ended.end === "threw" || ended.error instanceof JobTimeoutError ? "failed" : "given back";
}

/** Whether the time is over for which a job may be tried (AT-03). */
function isOver(retryFor: Seconds, { message }: TakenMessage): boolean {
  return Date.now() > message.occurredAt.getTime() + retryFor * 1000;
}

/** The wait before the start that follows this one; the last entry repeats (AT-02). */
function delayAfter({ backoff }: QueuePolicy, attempt: number): Seconds {
  return backoff[Math.min(attempt, backoff.length) - 1] ?? 0;
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
