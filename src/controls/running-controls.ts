import type { Seconds } from "../duration.js";
import type { Settlement, TakenMessage } from "../queues/queues.js";
import type { JobId } from "../job-id.js";
import { LockStoreError, type ControlContext } from "./control-context.js";
import type { ControlName } from "./control-events.js";
import type { ControlOptions } from "./control-options.js";
import type { Debounce } from "./debounce.js";
import { ErrorThrottle } from "./error-throttle.js";
import { RateLimits } from "./rate-limit.js";
import type { UniqueLocks } from "./unique.js";
import { OverlapLocks } from "./without-overlapping.js";

/** A job may run: what is to be done when it has. Or it may not, and this is what becomes of it. */
export type Admission =
  | { readonly runs: true; readonly ended: (end: Ended) => Promise<void> }
  | { readonly runs: false; readonly settlement: Settlement };

export interface Ended {
  /** "failed": the handler threw, or took too long. "given back": it was stopped for no fault of its own. */
  readonly outcome: "done" | "failed" | "given back";
  /** The handler goes on although it was told to stop. */
  readonly isStuck: boolean;
}

/** What an admitted job holds. */
interface Held {
  readonly release: (() => Promise<unknown>) | undefined;
  readonly hadErrors: boolean;
}

/** How long a job waits that may not run now, where nothing else says. */
const defaultWait: Seconds = 10;

/** The controls of a queue at the moment its jobs run. */
export class RunningControls<Payload> {
  readonly #context: ControlContext;
  readonly #options: ControlOptions<Payload>;
  readonly #unique: UniqueLocks<Payload> | undefined;
  readonly #debounce: Debounce<Payload> | undefined;
  readonly #overlap: OverlapLocks<Payload> | undefined;
  readonly #rate: RateLimits<Payload> | undefined;
  readonly #errors: ErrorThrottle<Payload> | undefined;

  constructor(
    context: ControlContext,
    options: ControlOptions<Payload>,
    unique: UniqueLocks<Payload> | undefined,
    debounce: Debounce<Payload> | undefined,
  ) {
    const { withoutOverlapping, rateLimit, throttleErrors } = options;
    this.#context = context;
    this.#options = options;
    this.#unique = unique;
    this.#debounce = debounce;
    this.#overlap = withoutOverlapping && new OverlapLocks(context, withoutOverlapping);
    this.#rate = rateLimit && new RateLimits(context, [rateLimit].flat());
    this.#errors = throttleErrors && new ErrorThrottle(context, throttleErrors);
  }

  /** Asks all controls, those first that take nothing. */
  async admit(taken: TakenMessage, payload: Payload): Promise<Admission> {
    let asked: ControlName = "debounce";
    let release: (() => Promise<unknown>) | undefined;
    const refuse = async (wait: Seconds, otherwise?: Seconds | "skip") => {
      await release?.();
      return this.#refused(taken, asked, otherwise ?? wait);
    };
    try {
      const debounceKey = this.#debounce?.keyOf(payload);
      if (debounceKey !== undefined) {
        const by = await this.#debounce?.supersededBy(debounceKey, taken.message);
        if (by !== undefined) return this.#superseded(taken, by);
      }

      asked = "throttleErrors";
      const errors = await this.#errors?.look(payload);
      if (errors?.wait !== undefined) return await refuse(errors.wait);

      asked = "withoutOverlapping";
      if (this.#overlap !== undefined) {
        release = await this.#overlap.take(payload);
        if (release === undefined) return await refuse(defaultWait, this.#options.withoutOverlapping?.otherwise);
      }

      asked = "rateLimit";
      const refusal = await this.#rate?.count(payload);
      if (refusal !== undefined) return await refuse(refusal.wait, refusal.by.otherwise);

      asked = "debounce";
      if (debounceKey !== undefined) {
        const by = await this.#debounce?.begin(debounceKey, taken.message);
        if (by !== undefined) {
          await release?.();
          return this.#superseded(taken, by);
        }
      }
      if (this.#options.unique?.until === "processing") await this.#freeUnique(taken, payload);
      const held = { release, hadErrors: errors?.any === true };
      return { runs: true, ended: (end) => this.#ended(payload, end, held) };
    } catch (error) {
      if (error instanceof LockStoreError) return refuse(defaultWait);
      // The id could not be told.
      await release?.();
      throw error;
    }
  }

  /** The job is over, and is not started again. */
  async over({ message }: TakenMessage, payload: Payload): Promise<void> {
    if (this.#unique !== undefined) await this.#unique.release(this.#unique.keyOf(payload), message.id);
  }

  async #freeUnique(taken: TakenMessage, payload: Payload): Promise<void> {
    if (this.#unique !== undefined) return this.over(taken, payload);
    await taken.releaseUnique?.().catch((error: unknown) => {
      // The queue frees it when the job has ended.
      this.#context.tell({ what: "store failed", queue: this.#context.queue, control: "unique", error });
    });
  }

  async #ended(payload: Payload, { outcome, isStuck }: Ended, { release, hadErrors }: Held): Promise<void> {
    // While the handler goes on, the end of the lock's time frees it.
    if (!isStuck) await release?.();
    if (outcome === "failed") await this.#errors?.failed(payload);
    else if (outcome === "done" && hadErrors) await this.#errors?.succeeded(payload);
  }

  #superseded({ message: { id } }: TakenMessage, by: JobId): Admission {
    this.#context.tell({ what: "superseded", queue: this.#context.queue, id, by });
    return { runs: false, settlement: { do: "complete" } };
  }

  #refused({ message: { id } }: TakenMessage, control: ControlName, otherwise: Seconds | "skip"): Admission {
    const { queue } = this.#context;
    if (otherwise === "skip") {
      this.#context.tell({ what: "skipped", queue, id, control });
      return { runs: false, settlement: { do: "complete" } };
    }
    // Not all at the same moment when the time is over.
    const delay = otherwise * (1 + Math.random() * 0.05);
    this.#context.tell({ what: "postponed", queue, id, control, delay });
    return { runs: false, settlement: { do: "postpone", delay } };
  }
}
