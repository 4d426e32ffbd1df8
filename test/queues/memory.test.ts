/** The queues in memory behave like real ones: at least once, with a lease. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { newJobId } from "../../src/job-id.js";
import { memoryQueues, type MemoryQueues } from "../../src/queues/memory.js";
import type { Message, QueuePolicy, RunningWorker, Settlement, TakenMessage } from "../../src/queues/queues.js";

const policy: QueuePolicy = { name: "q", timeout: 0.02, retryAfter: 0.05, tries: 3, backoff: [] };

let queues: MemoryQueues;
let workers: RunningWorker[];

beforeEach(() => {
  vi.useFakeTimers();
  queues = memoryQueues();
  workers = [];
});
afterEach(async () => {
  const stopped = Promise.all(workers.map((worker) => worker.stop()));
  await pass(1000);
  await stopped;
  await queues.close();
  vi.useRealTimers();
});

/** Lets time pass. */
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
/** What a handler waits for while time passes. */
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const message = (payload: string, delay?: number): Message => ({
  id: newJobId(),
  payload,
  occurredAt: new Date(),
  ...(delay === undefined ? {} : { delay }),
});
const startWorker = async (handle: (taken: TakenMessage) => Promise<Settlement>, concurrency = 1) => {
  const onError = (error: unknown) => {
    throw error;
  };
  workers.push(await queues.work(policy, { concurrency, onError }, handle));
};
const complete = { do: "complete" } as const;

test("messages are taken in the order in which they arrived, as many at once as asked for", async () => {
  const taken: string[] = [];
  await queues.send(
    policy,
    ["1", "2", "3"].map((payload) => message(payload)),
  );
  await startWorker(async (job) => {
    taken.push(job.message.payload);
    await sleep(10);
    return complete;
  }, 2);
  await pass(5);
  expect(taken).toEqual(["1", "2"]);
  await pass(30);
  expect(taken).toEqual(["1", "2", "3"]);
  expect(queues.waiting("q")).toEqual([]);
});

test("LE-08, LE-10 a job that outlasts its lease goes to another worker, and what the first one says no longer counts", async () => {
  const attempts: number[] = [];
  let firstLost = false;
  let completeSecond: () => void = () => undefined;
  await startWorker(async ({ attempt, leaseLost }) => {
    attempts.push(attempt);
    if (attempt === 2) {
      await new Promise<void>((resolve) => (completeSecond = resolve));
      return complete;
    }
    await new Promise((resolve) => {
      leaseLost.addEventListener("abort", resolve);
    });
    firstLost = true;
    return { do: "fail", error: new Error("late") };
  }, 2);
  await queues.send(policy, [message("1")]);
  await pass(80);
  expect(attempts).toEqual([1, 2]);
  expect(firstLost).toBe(true);
  expect(queues.failed("q")).toEqual([]);
  completeSecond();
  await pass(80);
  expect(attempts).toEqual([1, 2]);
});

test("retry waits, fail gives up, and attempts are counted", async () => {
  const starts: { attempt: number; at: number }[] = [];
  const error = new Error("no");
  await startWorker(({ attempt }) => {
    starts.push({ attempt, at: Date.now() });
    return Promise.resolve(attempt === 1 ? { do: "retry", delay: 0.03, error } : { do: "fail", error });
  });
  await queues.send(policy, [message("1")]);
  await pass(70);
  expect(starts.map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect((starts[1]?.at ?? 0) - (starts[0]?.at ?? 0)).toBe(30);
  expect(queues.failed("q")).toMatchObject([{ message: { payload: "1" }, error }]);
});

test("a delayed message is not taken before its time", async () => {
  const taken: string[] = [];
  await startWorker((job) => {
    taken.push(job.message.payload);
    return Promise.resolve(complete);
  });
  await queues.send(policy, [message("later", 0.03), message("now")]);
  await pass(10);
  expect(taken).toEqual(["now"]);
  await pass(40);
  expect(taken).toEqual(["now", "later"]);
});

test("sending the same message again adds nothing while it is there", async () => {
  const once = message("1");
  await queues.send(policy, [once]);
  await queues.send(policy, [once]);
  expect(queues.waiting("q")).toHaveLength(1);
});

test("a worker that stops takes nothing more and waits for what it has", async () => {
  let finished = false;
  await startWorker(async () => {
    await sleep(20);
    finished = true;
    return complete;
  });
  await queues.send(policy, [message("1"), message("2")]);
  await pass(5);
  const stopped = workers[0]?.stop();
  await pass(30);
  await stopped;
  expect(finished).toBe(true);
  expect(queues.waiting("q")).toHaveLength(1);
});
