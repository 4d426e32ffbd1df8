import { ambient } from "../ambient.js";
import type { Seconds } from "../duration.js";
import { runningJob, type RunningJob } from "../running-job.js";
import { HandlerStuckError, JobTimeoutError, LeaseLostError } from "./worker-errors.js";

/** How a handler's run ended. "stopped": its signal was aborted; `stuck` where it goes on all the same. */
export type RunEnd =
  | { readonly end: "returned"; readonly value: unknown }
  | { readonly end: "threw"; readonly error: unknown }
  | {
      readonly end: "stopped";
      readonly error: unknown;
      readonly leaseLost: boolean;
      readonly stuck?: HandlerStuckError;
    };

export interface RunLimits {
  readonly queue: string;
  readonly jobId: string;
  readonly timeout: Seconds;
  /** How long the handler may take to end once its signal is aborted. */
  readonly grace: Seconds;
  readonly leaseLost: AbortSignal;
}

/** One run of a handler, with the signal by which it is told to stop. */
export class JobRun implements RunningJob {
  readonly #limits: RunLimits;
  readonly #controller = new AbortController();
  readonly #timeIsUpAt: number;
  /** The handler has ended in time. What it has left behind in the process may go on. */
  #isOver = false;

  constructor(limits: RunLimits) {
    this.#limits = limits;
    this.#timeIsUpAt = Date.now() + limits.timeout * 1000;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get queue(): string {
    return this.#limits.queue;
  }

  get id(): string {
    return this.#limits.jobId;
  }

  /** Tells the handler to stop. The first reason counts. */
  stop(reason: Error): void {
    if (!this.signal.aborted) this.#controller.abort(reason);
  }

  /** Looks at the clock too: after a pause of the process, or of its event loop, code may run before the timers do. */
  assertGoesOn(): void {
    if (Date.now() > this.#timeIsUpAt && !this.#isOver) this.#timeIsUp();
    this.signal.throwIfAborted();
  }

  #timeIsUp(): void {
    this.stop(new JobTimeoutError(this.#limits.queue, this.#limits.timeout));
  }

  /**
   * Runs the handler until it ends, or until the grace after its signal was aborted has passed. Whatever it does after
   * that is of no consequence, also when it rejects.
   */
  async of(handler: (signal: AbortSignal) => unknown): Promise<RunEnd> {
    const { queue, jobId, timeout, grace, leaseLost } = this.#limits;
    const { signal } = this;
    const timer = setTimeout(() => {
      this.#timeIsUp();
    }, timeout * 1000);
    const onLeaseLost = () => {
      this.stop(new LeaseLostError(queue));
    };
    if (leaseLost.aborted) onLeaseLost();
    else leaseLost.addEventListener("abort", onLeaseLost, { once: true });
    const patience = patienceAfter(signal, grace);

    try {
      const handled = start(() => handler(signal), this);
      const ended = await Promise.race([handled, patience.over]);
      if (!signal.aborted && ended !== "over") return { end: "returned", value: ended.value };
      const stopped = this.#stopped();
      return ended === "over" ? { ...stopped, stuck: new HandlerStuckError(queue, jobId, grace) } : stopped;
    } catch (error) {
      return signal.aborted ? this.#stopped() : { end: "threw", error };
    } finally {
      this.#isOver = true;
      clearTimeout(timer);
      patience.end();
      leaseLost.removeEventListener("abort", onLeaseLost);
    }
  }

  #stopped() {
    const error: unknown = this.signal.reason;
    return { end: "stopped", error, leaseLost: error instanceof LeaseLostError } as const;
  }
}

/**
 * The handler starts outside of any transaction: a queue in memory is woken by whoever sent the job, and what runs then
 * is in the sender's async context. In a promise, so that a handler that throws at once is one that rejects.
 */
function start(handler: () => unknown, job: RunningJob): Promise<{ readonly value: unknown }> {
  return ambient.exit(() => runningJob.run(job, async () => ({ value: await handler() })));
}

/** A promise that resolves some time after the signal was aborted. */
function patienceAfter(signal: AbortSignal, grace: Seconds) {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: () => void = () => undefined;
  const over = new Promise<"over">((resolve) => {
    onAbort = () => {
      timer = setTimeout(() => {
        resolve("over");
      }, grace * 1000);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  const end = () => {
    signal.removeEventListener("abort", onAbort);
    clearTimeout(timer);
  };
  return { over, end };
}
