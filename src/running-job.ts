import { AsyncLocalStorage } from "node:async_hooks";

/** The job in whose handler the running code was started. */
export interface RunningJob {
  readonly queue: string;
  readonly id: string;
  /** Aborts when the job is stopped. */
  readonly signal: AbortSignal;

  /** @throws why the job was stopped: `JobTimeoutError`, `LeaseLostError`, `WorkerStoppedError` */
  assertGoesOn(): void;
}

export const runningJob = new AsyncLocalStorage<RunningJob>();

/**
 * Once a job was stopped it may be in other hands, so what its handler still does must not be committed. Does nothing
 * outside of a job.
 *
 * @throws why the job was stopped
 */
export function assertJobGoesOn(): void {
  runningJob.getStore()?.assertGoesOn();
}
