import { vi } from "vitest";
import { z } from "zod";
import { defineConnection } from "../../src/connection.js";
import type { ControlEvent } from "../../src/controls/control-events.js";
import type { ControlOptions } from "../../src/controls/control-options.js";
import { afterCommit, type Delivery } from "../../src/delivery.js";
import type { LockStore } from "../../src/locks/lock-store.js";
import { memoryLocks } from "../../src/locks/memory.js";
import { memoryQueues, type MemoryQueues } from "../../src/queues/memory.js";
import type { EnqueueOptions, Queue } from "../../src/queue.js";
import type { Receipt } from "../../src/receipt.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import { startWorker, type FailedJob, type Job, type Worker } from "../../src/worker/worker.js";
import { fakeDatabase } from "../transaction-manager/fake-database.js";

export const payloadSchema = z.object({ product: z.string(), n: z.number().optional() });
export type Payload = z.output<typeof payloadSchema>;

export interface DefineOptions {
  readonly name?: string;
  readonly tries?: number;
  readonly backoff?: readonly number[];
  readonly timeout?: number;
  readonly retryAfter?: number;
  readonly delivery?: Delivery;
}

/** Queues and locks in memory, with time in the test's hands. */
export class Setting {
  readonly transactions = createTransactionManager(fakeDatabase());
  readonly queues: MemoryQueues = memoryQueues();
  readonly events: ControlEvent[] = [];
  readonly failed: FailedJob<Payload>[] = [];
  readonly errors: unknown[] = [];
  readonly #workers: Worker[] = [];
  #inner: LockStore = memoryLocks();
  /** While it is set, the store answers with it. */
  down: Error | undefined;

  readonly locks: LockStore = {
    library: "memory",
    read: (key) => this.#ask(() => this.#inner.read(key)),
    compareAndSet: (key, change) => this.#ask(() => this.#inner.compareAndSet(key, change)),
  };

  #ask<T>(ask: () => Promise<T>): Promise<T> {
    return this.down === undefined ? ask() : Promise.reject(this.down);
  }

  /** Loses all locks. */
  flush(): void {
    this.#inner = memoryLocks();
  }

  define(controls: ControlOptions<Payload>, options: DefineOptions = {}): Queue<Payload, Payload> {
    const { name = "index", retryAfter = 90, ...others } = options;
    const { queues, locks } = this;
    const onControl = (event: ControlEvent) => this.events.push(event);
    const connection = defineConnection({ queues, retryAfter, locks, onControl, delivery: afterCommit() });
    return connection.queue(name, {
      payload: payloadSchema,
      timeout: 30,
      repeatSafety: { by: "overwrite" },
      ...others,
      ...(controls as object),
    });
  }

  async start(queue: Queue<never, Payload>, handler: (job: Job<Payload>) => unknown, concurrency = 1): Promise<Worker> {
    const worker = await startWorker(queue, handler, {
      concurrency,
      onFailed: (job) => this.failed.push(job),
      onError: (error) => this.errors.push(error),
    });
    this.#workers.push(worker);
    return worker;
  }

  /** Asks for a job about something that is committed. */
  async dispatch(queue: Queue<Payload>, payload: Payload, options?: EnqueueOptions): Promise<Receipt> {
    return queue.dispatch(await this.transactions.run(() => payload), options);
  }

  waiting(name = "index"): unknown[] {
    return this.queues.waiting(name).map(({ payload }) => JSON.parse(payload) as unknown);
  }

  /** What was told, without ids. */
  get told(): string[] {
    return this.events.map((event) => ("control" in event ? `${event.what} ${event.control}` : event.what));
  }

  async close(): Promise<void> {
    const stopped = Promise.all(this.#workers.map((worker) => worker.stop({ deadline: 0 })));
    await pass(200);
    await stopped;
    await this.queues.close();
  }
}

/** Lets seconds pass. */
export const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);
/** What a handler waits for while time passes. */
export const sleep = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000));
