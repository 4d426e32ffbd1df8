/** What the worker makes of a job, on the queues in memory, with time in the test's hands (F9, F10). */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineConnection } from "../../src/connection.js";
import { afterCommit } from "../../src/delivery.js";
import { ConfigurationError, InvalidPayloadError } from "../../src/errors.js";
import { newJobId } from "../../src/job-id.js";
import { memoryQueues, type MemoryQueues } from "../../src/queues/memory.js";
import { definitionOf, type Queue } from "../../src/queue.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import { HandlerStuckError, JobTimeoutError, TriesExhaustedError } from "../../src/worker/worker-errors.js";
import { postpone } from "../../src/worker/postpone.js";
import { startWorker, type FailedJob, type Job, type Worker, type WorkerOptions } from "../../src/worker/worker.js";
import { fakeDatabase } from "../transaction-manager/fake-database.js";

const payload = z.object({ orderId: z.number(), at: z.string().optional() });
type Payload = z.output<typeof payload>;

let queues: MemoryQueues;
let workers: Worker[];
let errors: unknown[];
let failed: FailedJob<Payload>[];
const unhandled: unknown[] = [];
const onUnhandled = (error: unknown) => unhandled.push(error);

beforeEach(() => {
  vi.useFakeTimers();
  queues = memoryQueues();
  [workers, errors, failed] = [[], [], []];
  process.on("unhandledRejection", onUnhandled);
});
afterEach(async () => {
  const stopped = Promise.all(workers.map((worker) => worker.stop({ deadline: 0 })));
  await pass(60);
  await stopped;
  await queues.close();
  vi.useRealTimers();
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", onUnhandled);
  expect(unhandled).toEqual([]);
});

/** Lets seconds pass. */
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);
/** What a handler waits for while time passes. */
const sleep = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000));
const never = () => new Promise<never>(() => undefined);

interface Definition {
  readonly tries?: number;
  readonly retryFor?: number;
  readonly backoff?: readonly number[];
  readonly timeout?: number;
  readonly retryAfter?: number;
}

function define({ timeout = 10, retryAfter = 30, ...others }: Definition = {}) {
  const connection = defineConnection({ queues, retryAfter, delivery: afterCommit() });
  return connection.queue("orders", {
    payload,
    timeout,
    repeatSafety: { by: "tolerated", reason: "a test" },
    ...others,
  });
}

async function start(
  queue: Queue<never, Payload>,
  handler: (job: Job<Payload>) => unknown,
  options: WorkerOptions<Payload> = {},
): Promise<Worker> {
  const onError = (error: unknown) => errors.push(error);
  const worker = await startWorker(queue, handler, { onFailed: (job) => failed.push(job), onError, ...options });
  workers.push(worker);
  return worker;
}

async function send(
  queue: Queue<never, Payload>,
  body: unknown = { orderId: 7 },
  { occurredAt = new Date(1_000), ...others }: { readonly occurredAt?: Date; readonly delay?: number } = {},
) {
  const id = newJobId();
  await queues.send(definitionOf(queue).policy, [{ id, payload: JSON.stringify(body), occurredAt, ...others }]);
  return id;
}

test("a job has its payload, its id, its attempt, the time of its operation and a signal", async () => {
  const queue = define();
  const id = await send(queue);
  const jobs: Job<Payload>[] = [];
  await start(queue, (job) => jobs.push(job));
  await pass(1);
  expect(jobs).toMatchObject([{ payload: { orderId: 7 }, id, attempt: 1, occurredAt: new Date(1_000) }]);
  expect(jobs[0]?.signal.aborted).toBe(false);
  expect(queues.waiting("orders")).toEqual([]);
  expect(failed).toEqual([]);
});

test("AT-01 a job that always throws is started as often as allowed, and then the hook is told once", async () => {
  const queue = define({ tries: 3 });
  const id = await send(queue);
  let starts = 0;
  await start(queue, () => {
    starts += 1;
    throw new Error(`start ${starts}`);
  });
  await pass(5);
  expect(starts).toBe(3);
  expect(failed).toMatchObject([{ id, attempt: 3, payload: { orderId: 7 }, error: { message: "start 3" } }]);
  expect(queues.waiting("orders")).toEqual([]);
  expect(queues.failed("orders")).toHaveLength(1);
});

test("AT-02 the last wait repeats", async () => {
  const queue = define({ tries: 4, backoff: [10, 60] });
  await send(queue);
  const starts: number[] = [];
  await start(queue, () => {
    starts.push(Date.now());
    throw new Error("no");
  });
  await pass(300);
  expect(starts.slice(1).map((at, index) => Math.round((at - (starts[index] ?? 0)) / 1000))).toEqual([10, 60, 60]);
});

test("AT-03 with a time instead of tries it is tried until that is over, and then fails without being started", async () => {
  const queue = define({ retryFor: 100, backoff: [40] });
  await send(queue, undefined, { occurredAt: new Date() });
  let starts = 0;
  await start(queue, () => {
    starts += 1;
    throw new Error(`start ${starts}`);
  });
  await pass(99);
  expect([starts, failed]).toEqual([3, []]);
  await pass(60);
  expect(starts).toBe(3);
  expect(failed).toMatchObject([{ attempt: 4, error: { code: "AFTERCOMMIT_RETRY_TIME_OVER" } }]);
});

test("AT-03 an error after that time is the last one, and tries end it sooner where both are given", async () => {
  const late = define({ retryFor: 5 });
  await send(late, undefined, { occurredAt: new Date() });
  await start(late, async () => {
    await sleep(8);
    throw new Error("late");
  });
  await pass(10);
  expect(failed).toMatchObject([{ attempt: 1, error: { message: "late" } }]);
  const both = defineConnection({ queues, retryAfter: 30, delivery: afterCommit() }).queue("both", {
    ...{ payload, timeout: 10, tries: 2, retryFor: 1000 },
    repeatSafety: { by: "tolerated", reason: "a test" },
  });
  await send(both, undefined, { occurredAt: new Date() });
  await start(both, () => {
    throw new Error("no");
  });
  await pass(10);
  expect(failed[1]).toMatchObject({ attempt: 2, error: { message: "no" } });
});

test("AT-04 what is put off is no try: three errors end a job of three tries, however often it was put off", async () => {
  const queue = define({ tries: 3 });
  await send(queue);
  let starts = 0;
  const attempts: number[] = [];
  await start(queue, ({ attempt }) => {
    starts += 1;
    attempts.push(attempt);
    if (starts <= 2) return postpone(5);
    throw new Error(`error ${starts - 2}`);
  });
  await pass(30);
  expect(attempts).toEqual([1, 1, 1, 2, 3]);
  expect(failed).toMatchObject([{ attempt: 3, error: { message: "error 3" } }]);
});

test("AT-05 a job that its handler puts off comes back once, after that time, with what was done before", async () => {
  const queue = define();
  const id = await send(queue);
  const starts: number[] = [];
  const done: string[] = [];
  await start(queue, ({ attempt }) => {
    starts.push(Date.now());
    done.push(`start ${starts.length}, attempt ${attempt}`);
    return starts.length === 1 ? postpone(20) : undefined;
  });
  await pass(19);
  expect(done).toEqual(["start 1, attempt 1"]);
  expect(queues.waiting("orders")).toMatchObject([{ id }]);
  await pass(60);
  expect(done).toEqual(["start 1, attempt 1", "start 2, attempt 1"]);
  expect((starts[1] ?? 0) - (starts[0] ?? 0)).toBe(20_000);
  expect([queues.waiting("orders"), failed]).toEqual([[], []]);
  expect(() => postpone(0)).toThrow(ConfigurationError);
});

test("AT-06, PV-13 a job whose workers were lost fails without being started once more, and the hook is told why", async () => {
  const queue = define({ tries: 1 });
  await send(queue);
  // A worker that takes the job and is never heard of again.
  const onError = (error: unknown) => errors.push(error);
  await queues.work(definitionOf(queue).policy, { concurrency: 1, onError }, never);
  await pass(1);
  let starts = 0;
  await start(queue, () => (starts += 1));
  await pass(60);
  expect(starts).toBe(0);
  expect(failed).toMatchObject([{ attempt: 2, error: { code: "AFTERCOMMIT_TRIES_EXHAUSTED" } }]);
  expect(failed[0]?.error).toBeInstanceOf(TriesExhaustedError);
});

test("AT-07 a job that takes too long and has tries left is started again when its first run has ended, after its wait", async () => {
  const queue = define({ tries: 2, backoff: [7] });
  await send(queue);
  const log: string[] = [];
  const at = (what: string) => log.push(`${what} at ${(Date.now() - begin) / 1000}`);
  const begin = Date.now();
  await start(queue, async ({ attempt, signal }) => {
    at(`start ${attempt}`);
    if (attempt === 2) return;
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
    });
    await sleep(2);
    at("end 1");
  });
  await pass(30);
  expect(log).toEqual(["start 1 at 0", "end 1 at 12", "start 2 at 19"]);
  expect(failed).toEqual([]);
});

test("AT-08 a job that takes too long on its last try has failed", async () => {
  const queue = define();
  await send(queue);
  await start(queue, async ({ signal }) => {
    await new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        reject(signal.reason as Error);
      });
    });
  });
  await pass(9);
  expect(failed).toEqual([]);
  await pass(2);
  expect(failed[0]?.error).toBeInstanceOf(JobTimeoutError);
});

test("AT-09 the hook sees the payload as it was sent, not what the handler made of its own", async () => {
  const queue = define({ tries: 2 });
  await send(queue, { orderId: 7, at: "noon" });
  const seen: Payload[] = [];
  await start(queue, ({ payload: own }) => {
    seen.push({ ...own });
    own.orderId = 99;
    delete own.at;
    throw new Error("no");
  });
  await pass(1);
  expect(seen).toEqual([
    { orderId: 7, at: "noon" },
    { orderId: 7, at: "noon" },
  ]);
  expect(failed.map((job) => job.payload)).toEqual([{ orderId: 7, at: "noon" }]);
});

test("AT-10 a job that was sent with a delay and has no wait between its tries is tried again at once", async () => {
  const queue = define({ tries: 2 });
  const begin = Date.now();
  await send(queue, undefined, { delay: 20 });
  const starts: number[] = [];
  await start(queue, () => {
    starts.push(Math.round((Date.now() - begin) / 1000));
    throw new Error("no");
  });
  await pass(60);
  expect(starts).toEqual([20, 20]);
});

test("MW-08 an error that will come each time ends the job at once, and the hook is told once", async () => {
  class CardExpired extends Error {}
  const queue = define({ tries: 5, backoff: [1] });
  await send(queue, { orderId: 1 });
  await send(queue, { orderId: 2 });
  const starts: number[] = [];
  const handler = ({ payload: { orderId }, attempt }: Job<Payload>) => {
    starts.push(orderId);
    if (orderId === 1) throw new CardExpired("expired");
    if (attempt === 1) throw new Error("busy");
  };
  await start(queue, handler, { isFinal: (error) => error instanceof CardExpired });
  await pass(30);
  expect(starts).toEqual([1, 2, 2]);
  expect(failed).toMatchObject([{ attempt: 1, payload: { orderId: 1 }, error: { message: "expired" } }]);
  expect(queues.failed("orders")).toHaveLength(1);
});

test("a test for final errors that breaks is reported, and the job is tried again", async () => {
  const queue = define({ tries: 2 });
  await send(queue);
  const isFinal = () => {
    throw new Error("the test broke");
  };
  const handler = ({ attempt }: Job<Payload>) => {
    if (attempt === 1) throw new Error("no");
  };
  await start(queue, handler, { isFinal });
  await pass(1);
  expect(errors).toMatchObject([{ message: "the test broke" }]);
  expect(failed).toEqual([]);
});

test("AT-11 a worker that is stopped lets its job end, and completes it", async () => {
  const queue = define();
  await send(queue);
  await send(queue);
  let ended = 0;
  const worker = await start(queue, async () => {
    await sleep(5);
    ended += 1;
  });
  await pass(1);
  let stopped = false;
  const stopping = worker.stop().then(() => (stopped = true));
  await pass(3);
  expect([stopped, ended]).toEqual([false, 0]);
  await pass(3);
  await stopping;
  expect(ended).toBe(1);
  expect(queues.waiting("orders")).toHaveLength(1);
});

test("a stop with a deadline tells the handler, and gives the job back", async () => {
  const queue = define({ tries: 2 });
  const id = await send(queue);
  let reason: unknown;
  const worker = await start(queue, async ({ signal }) => {
    signal.addEventListener("abort", () => {
      reason = signal.reason;
    });
    await never();
  });
  await pass(1);
  const stopping = worker.stop({ deadline: 2 });
  await pass(2 + 5 + 1);
  await stopping;
  expect(reason).toMatchObject({ code: "AFTERCOMMIT_WORKER_STOPPED" });
  expect(queues.waiting("orders")).toMatchObject([{ id }]);
  expect(failed).toEqual([]);
});

test("PL-06 a payload that does not fit its schema fails at once, and is not tried again", async () => {
  const queue = define({ tries: 5 });
  await send(queue, { orderId: "seven" });
  let starts = 0;
  await start(queue, () => (starts += 1));
  await pass(1);
  expect(starts).toBe(0);
  expect(failed).toMatchObject([{ attempt: 1, payload: undefined }]);
  expect(failed[0]?.error).toBeInstanceOf(InvalidPayloadError);
  expect(queues.waiting("orders")).toEqual([]);
});

test("LE-10 a handler that goes on after its time cannot complete the job, and the next run decides", async () => {
  const queue = define({ tries: 2 });
  await send(queue);
  const ends: string[] = [];
  await start(queue, async ({ attempt }) => {
    if (attempt === 1) await sleep(20);
    ends.push(`run ${attempt}`);
  });
  await pass(10 + 5 + 1);
  // The second run has ended while the first goes on.
  expect(ends).toEqual(["run 2"]);
  await pass(10);
  expect(ends).toEqual(["run 2", "run 1"]);
  expect(queues.waiting("orders")).toEqual([]);
  expect(queues.failed("orders")).toEqual([]);
});

test("LE-10 what a handler wants to commit after its time is rolled back", async () => {
  const queue = define({ tries: 2 });
  await send(queue);
  const database = fakeDatabase();
  const transactions = createTransactionManager(database);
  const outcomes: unknown[] = [];
  await start(queue, async ({ attempt }) => {
    const run = transactions.run(async (tx) => {
      if (attempt === 1) await sleep(20);
      tx.handle.insert(`run ${attempt}`);
    });
    outcomes.push(
      await run.then(
        () => "committed",
        (error: unknown) => error,
      ),
    );
  });
  await pass(30);
  expect(outcomes[0]).toBe("committed");
  expect(outcomes[1]).toBeInstanceOf(JobTimeoutError);
  expect(database.rows).toEqual(["run 2"]);
});

test("LE-10 after a pause of the process nothing is committed, although no timer has run yet", async () => {
  const queue = define({ timeout: 10, tries: 1 });
  await send(queue);
  const database = fakeDatabase();
  const transactions = createTransactionManager(database);
  let outcome: unknown;
  await start(queue, async () => {
    const run = transactions.run((tx) => {
      vi.setSystemTime(Date.now() + 60_000);
      tx.handle.insert("late");
    });
    outcome = await run.catch((error: unknown) => error);
  });
  await pass(1);
  expect(outcome).toBeInstanceOf(JobTimeoutError);
  expect(database.rows).toEqual([]);
  expect(failed).toHaveLength(1);
});

test("what a handler that ended in time has left behind may still commit", async () => {
  const queue = define({ timeout: 10 });
  await send(queue);
  const database = fakeDatabase();
  const transactions = createTransactionManager(database);
  await start(queue, () => {
    setTimeout(() => {
      void transactions.run((tx) => {
        tx.handle.insert("later");
      });
    }, 20_000);
  });
  await pass(25);
  expect(database.rows).toEqual(["later"]);
});

test("a handler is in no transaction of whoever sent its job", async () => {
  const queue = define();
  const transactions = createTransactionManager(fakeDatabase());
  const seen: unknown[] = [];
  await start(queue, async () => {
    seen.push(transactions.current());
    await transactions.afterCommit(() => seen.push("at once"));
  });
  await transactions.run((tx) => {
    tx.afterCommit(() => send(queue));
  });
  await transactions.run(async () => {
    await send(queue);
    await pass(1);
  });
  expect(seen).toEqual([undefined, "at once", undefined, "at once"]);
});

test("LE-13 a handler that ignores its signal is reported after its grace", async () => {
  const queue = define();
  await send(queue);
  const stuck: unknown[] = [];
  await start(queue, never, { grace: 3, onStuck: (error) => stuck.push(error) });
  await pass(12);
  expect(stuck).toEqual([]);
  await pass(2);
  expect(stuck[0]).toBeInstanceOf(HandlerStuckError);
  expect(failed[0]?.error).toBeInstanceOf(JobTimeoutError);
});

test("a handler that rejects long after its time disturbs nobody", async () => {
  const queue = define({ tries: 1 });
  await send(queue);
  await start(queue, async () => {
    await sleep(20);
    throw new Error("late");
  });
  await pass(25);
  expect(failed).toHaveLength(1);
  expect(failed[0]?.error).toBeInstanceOf(JobTimeoutError);
});

test("the signal aborts when the lease is lost, and what the handler then says does not count", async () => {
  const queue = define({ tries: 3 });
  const { policy } = definitionOf(queue);
  const lost = new AbortController();
  const settled: unknown[] = [];
  const leaky = {
    ...queues,
    work: async (...[, , handle]: Parameters<typeof queues.work>) => {
      const message = { id: newJobId(), payload: '{"orderId":1}', occurredAt: new Date() };
      settled.push(await handle({ message, attempt: 1, leaseLost: lost.signal }));
      return { stop: () => Promise.resolve() };
    },
  };
  const connection = defineConnection({ queues: leaky, retryAfter: 30, delivery: afterCommit() });
  const other = connection.queue("orders", {
    ...policy,
    payload,
    timeout: 10,
    repeatSafety: { by: "tolerated", reason: "a test" },
  });
  const seen: unknown[] = [];
  const starting = start(other, async ({ signal }) => {
    await sleep(5);
    seen.push((signal.reason as { code: string }).code);
  });
  await pass(2);
  lost.abort();
  await pass(5);
  await starting;
  expect(seen).toEqual(["AFTERCOMMIT_LEASE_LOST"]);
  expect(settled).toMatchObject([{ do: "retry" }]);
  expect(errors).toMatchObject([{ code: "AFTERCOMMIT_LEASE_LOST" }]);
  expect(failed).toEqual([]);
});

test("LE-02, LE-03 a worker does not start when the lease in force is not above the timeout", async () => {
  for (const lease of [10, 5]) {
    const weak = { ...queues, effectiveLease: () => Promise.resolve(lease) };
    const connection = defineConnection({ queues: weak, retryAfter: 30, delivery: afterCommit() });
    const queue = connection.queue("orders", {
      payload,
      timeout: 10,
      repeatSafety: { by: "tolerated", reason: "a test" },
    });
    const starting = startWorker(queue, () => undefined);
    await expect(starting).rejects.toThrow(ConfigurationError);
    await expect(startWorker(queue, () => undefined)).rejects.toThrow(new RegExp(`10 s.*${lease} s`));
  }
});

test.each([
  ["a grace that does not fit", { grace: 20 }],
  ["LE-04 a timeout that leaves no time for the grace", { grace: 20.1 }],
  ["a grace of nothing", { grace: 0 }],
  ["no concurrency", { concurrency: 0 }],
  ["half a job", { concurrency: 1.5 }],
])("%s is refused", async (_, options) => {
  await expect(startWorker(define(), () => undefined, options)).rejects.toThrow(ConfigurationError);
});

test("a hook that throws or hangs stops nothing", async () => {
  const queue = define();
  await send(queue);
  await send(queue);
  let told = 0;
  const onFailed = async () => {
    told += 1;
    if (told === 1) throw new Error("the hook broke");
    await never();
  };
  await start(
    queue,
    () => {
      throw new Error("no");
    },
    { onFailed },
  );
  await pass(40);
  expect(queues.failed("orders")).toHaveLength(2);
  expect(errors.map((error) => (error as Error).message)).toEqual([
    "the hook broke",
    '`onFailed` of queue "orders" took longer than the lease.',
  ]);
});
