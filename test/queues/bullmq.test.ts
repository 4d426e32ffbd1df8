/** What only BullMQ does, and the worker on it. */
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineConnection } from "../../src/connection.js";
import { afterCommit } from "../../src/delivery.js";
import { ConfigurationError } from "../../src/errors.js";
import { newJobId } from "../../src/job-id.js";
import { bullmqQueues } from "../../src/queues/bullmq.js";
import { definitionOf } from "../../src/queue.js";
import { startWorker, type FailedJob, type Job, type Worker } from "../../src/worker/worker.js";
import type { OpenedQueues } from "./subject.js";
import { bullmq } from "./subjects.js";

const payload = z.object({ orderId: z.number() });
type Payload = z.output<typeof payload>;

describe.skipIf(!bullmq.available)("bullmq", () => {
  let opened: OpenedQueues;
  let workers: Worker[];
  let failed: FailedJob<Payload>[];
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => unhandled.push(error);

  beforeEach(async () => {
    opened = await bullmq.open();
    [workers, failed] = [[], []];
    process.on("unhandledRejection", onUnhandled);
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await opened.close();
    process.off("unhandledRejection", onUnhandled);
    expect(unhandled).toEqual([]);
  });

  function define({ timeout = 0.5, retryAfter = 1.2, tries = 3, backoff = [] as number[] } = {}) {
    const connection = defineConnection({ queues: opened.queues, retryAfter, delivery: afterCommit() });
    return connection.queue("orders", {
      payload,
      timeout,
      tries,
      backoff,
      repeatSafety: { by: "tolerated", reason: "a test" },
    });
  }
  const start = async (queue: ReturnType<typeof define>, handler: (job: Job<Payload>) => unknown) => {
    const worker = await startWorker(queue, handler, {
      onFailed: (job) => failed.push(job),
      onError: () => undefined,
      grace: 0.1,
    });
    workers.push(worker);
    return worker;
  };
  const send = async (queue: ReturnType<typeof define>, body: unknown = { orderId: 7 }) => {
    const id = newJobId();
    const message = { id, payload: JSON.stringify(body), occurredAt: new Date() };
    await opened.queues.send(definitionOf(queue).policy, [message]);
    return { id, message };
  };
  const until = (assert: () => unknown) => vi.waitFor(assert, { timeout: 10_000, interval: 10 });

  test("a handler that hangs is told to stop, its job is tried again, and in the end it has failed", async () => {
    const queue = define({ tries: 2 });
    const { id } = await send(queue);
    const reasons: unknown[] = [];
    await start(queue, ({ signal }) => {
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          reasons.push((signal.reason as { code: string }).code);
        });
        // Goes on long after, and then wants to complete.
        setTimeout(resolve, 2000);
      });
    });
    await until(() => {
      expect(failed).toMatchObject([{ id, attempt: 2, error: { code: "AFTERCOMMIT_JOB_TIMEOUT" } }]);
    });
    expect(reasons).toEqual(["AFTERCOMMIT_JOB_TIMEOUT", "AFTERCOMMIT_JOB_TIMEOUT"]);
    await until(async () => {
      expect(await opened.failed("orders")).toBe(1);
    });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    // What the two wanted to complete in the end did not count.
    expect(await opened.failed("orders")).toBe(1);
  });

  test("PL-06 a payload that does not fit fails at once", async () => {
    const queue = define();
    await send(queue, { orderId: "seven" });
    let starts = 0;
    await start(queue, () => (starts += 1));
    await until(() => {
      expect(failed).toMatchObject([{ attempt: 1, error: { code: "AFTERCOMMIT_INVALID_PAYLOAD" } }]);
    });
    expect(starts).toBe(0);
  });

  test("AT-01, AT-02 tries and waits are the queue's, and the hook is told once", async () => {
    const queue = define({ tries: 3, backoff: [0.2, 0.4] });
    await send(queue);
    const starts: number[] = [];
    await start(queue, () => {
      starts.push(Date.now());
      throw new Error("no");
    });
    await until(() => {
      expect(failed).toHaveLength(1);
    });
    expect(starts).toHaveLength(3);
    expect((starts[1] ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(195);
    expect((starts[2] ?? 0) - (starts[1] ?? 0)).toBeGreaterThanOrEqual(395);
    expect(failed).toMatchObject([{ attempt: 3, error: { message: "no" } }]);
  });

  test("a message that is resent is not run again while its completed job is kept", async () => {
    const queue = define();
    const { message } = await send(queue);
    let starts = 0;
    await start(queue, () => (starts += 1));
    await until(() => {
      expect(starts).toBe(1);
    });
    await opened.queues.send(definitionOf(queue).policy, [message]);
    const { id } = await send(queue);
    expect(id).not.toBe(message.id);
    await until(() => {
      expect(starts).toBe(2);
    });
  });
});

test("sending to a Redis that does not answer is an error in time", async () => {
  const silent = createServer((socket) => {
    socket.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as { port: number };
  const queues = bullmqQueues({ connection: { host: "127.0.0.1", port }, sendTimeout: 0.2 });
  const policy = { name: "orders", timeout: 1, retryAfter: 2, tries: 1, backoff: [] };
  const message = { id: newJobId(), payload: "1", occurredAt: new Date() };
  await expect(queues.send(policy, [message])).rejects.toThrow(/has not confirmed .* "orders" in 0.2 s/);
  silent.close();
  void queues.close();
});

test("a name that BullMQ would refuse is refused with a sentence", async () => {
  const queues = bullmqQueues({ connection: { host: "127.0.0.1", port: 1, lazyConnect: true } });
  const policy = { name: "a:b", timeout: 1, retryAfter: 2, tries: 1, backoff: [] };
  await expect(queues.send(policy, [])).rejects.toThrow(ConfigurationError);
});
