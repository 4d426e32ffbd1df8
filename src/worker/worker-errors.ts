import { AftercommitError } from "../errors.js";

/** The handler ran longer than the queue's `timeout`. Its signal is aborted and its result no longer counts. */
export class JobTimeoutError extends AftercommitError {
  constructor(queue: string, timeout: number) {
    super(
      `The handler of queue "${queue}" ran longer than its timeout of ${timeout} s and was told to stop. What it had ` +
        "committed before stays; nothing that it commits after this counts.",
      { code: "AFTERCOMMIT_JOB_TIMEOUT", state: "unknown" },
    );
  }
}

/** The queue has given, or may have given, the job to another worker. */
export class LeaseLostError extends AftercommitError {
  constructor(queue: string) {
    super(
      `The lease of a job of queue "${queue}" ended while its handler was still running, so the job may be in other ` +
        "hands. Its result no longer counts.",
      { code: "AFTERCOMMIT_LEASE_LOST", state: "unknown" },
    );
  }
}

/** The worker was stopped, and its deadline passed while the handler was still running. The job is delivered again. */
export class WorkerStoppedError extends AftercommitError {
  constructor(queue: string) {
    super(
      `The worker of queue "${queue}" was stopped, and the handler had not ended at the deadline. The job is delivered again.`,
      { code: "AFTERCOMMIT_WORKER_STOPPED", state: "unknown" },
    );
  }
}

/** The job was started as often as its queue allows, and never ended: its workers were lost (AT-06). */
export class TriesExhaustedError extends AftercommitError {
  constructor(queue: string, tries: number) {
    super(
      `A job of queue "${queue}" was started ${tries} times, as often as it may be, and was never completed: its workers ` +
        "were lost or outlived its lease. It was not started again.",
      { code: "AFTERCOMMIT_TRIES_EXHAUSTED", state: "unknown" },
    );
  }
}

/** The queue's `retryFor` was over before the job was started again (AT-03). */
export class RetryTimeOverError extends AftercommitError {
  constructor(queue: string, retryFor: number) {
    super(
      `A job of queue "${queue}" was to be started later than ${retryFor} s after its operation happened, which is as ` +
        "long as it may be tried. It was not started again.",
      { code: "AFTERCOMMIT_RETRY_TIME_OVER", state: "unknown" },
    );
  }
}

/** The handler did not stop when its signal was aborted (LE-13). It goes on in this process, and its job is given back. */
export class HandlerStuckError extends AftercommitError {
  constructor(queue: string, jobId: string, grace: number) {
    super(
      `The handler of job ${jobId} of queue "${queue}" goes on although its signal was aborted ${grace} s ago. Pass ` +
        "`job.signal` to what it waits for. Until it ends it may overlap with the job's next run; `onStuck` can end the process.",
      { code: "AFTERCOMMIT_HANDLER_STUCK", state: "unknown" },
    );
  }
}
