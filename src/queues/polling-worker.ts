import { setTimeout as sleep } from "node:timers/promises";
import type { Seconds } from "../duration.js";
import type { RunningWorker, WorkOptions } from "./queues.js";

export interface Polling<Taken> extends WorkOptions {
  /** How long to wait before it looks again when there was less than there was room for. */
  readonly pollingInterval: Seconds;
  /** Takes up to `room` jobs. `stopped` aborts when nobody wants them any more. */
  readonly take: (room: number, stopped: AbortSignal) => Promise<readonly Taken[]>;
  /** Handles and settles one. `takenAt`: when it was asked for, in milliseconds; its lease runs since then at the latest. */
  readonly handle: (taken: Taken, takenAt: number) => Promise<void>;
}

/** A queue that cannot be reached is not asked more often than this. */
const afterError: Seconds = 1;

/** Takes jobs while there is room for them, and handles them side by side. */
export class PollingWorker<Taken> implements RunningWorker {
  readonly #polling: Polling<Taken>;
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #loop: Promise<void>;

  constructor(polling: Polling<Taken>) {
    this.#polling = polling;
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
    await Promise.all(this.#running);
  }

  async #run(): Promise<void> {
    const { concurrency, take, pollingInterval, onError } = this.#polling;
    const { signal } = this.#stopped;
    const isStopped = () => signal.aborted;
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => {
        resolve();
      });
    });
    while (!isStopped()) {
      const room = concurrency - this.#running.size;
      if (room === 0) {
        await Promise.race([...this.#running, stopped]);
        continue;
      }
      const takenAt = Date.now();
      let pause = 0;
      try {
        const jobs = await take(room, signal);
        for (const job of jobs) this.#start(job, takenAt);
        if (jobs.length < room) pause = pollingInterval;
      } catch (error) {
        if (!isStopped()) onError(error);
        pause = Math.max(pollingInterval, afterError);
      }
      if (pause > 0) await sleep(pause * 1000, undefined, { signal }).catch(() => undefined);
    }
  }

  #start(job: Taken, takenAt: number): void {
    const handled = this.#polling
      .handle(job, takenAt)
      .catch(this.#polling.onError)
      .finally(() => this.#running.delete(handled));
    this.#running.add(handled);
  }
}
