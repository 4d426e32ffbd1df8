import { AsyncLocalStorage } from "node:async_hooks";

/**
 * The signal of the job in whose handler the running code was started. Once it is aborted, the job may be in other hands,
 * so what its handler still does must not be committed.
 */
export const runningJob = new AsyncLocalStorage<AbortSignal>();

/** @throws why the job was stopped: `JobTimeoutError`, `LeaseLostError`, `WorkerStoppedError` */
export function assertJobGoesOn(): void {
  runningJob.getStore()?.throwIfAborted();
}
