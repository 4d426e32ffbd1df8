/** What the worker makes of a job, on every queue and its real server: what only real time and real leases show (F9, F10). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineConnection } from "../../src/connection.js";
import { afterCommit } from "../../src/delivery.js";
import { newJobId } from "../../src/job-id.js";
import { definitionOf } from "../../src/queue.js";
import type { QueuePolicy, RunningWorker, Settlement } from "../../src/queues/queues.js";
import { postpone } from "../../src/worker/postpone.js";
import { startWorker, type FailedJob, type Job, type Worker, type WorkerOptions } from "../../src/worker/worker.js";
import type { OpenedQueues } from "../queues/subject.js";
import { queueSubjects } from "../queues/subjects.js";

const payload = z.object({ orderId: z.number() });
type Payload = z.output<typeof payload>;

class CardExpired extends Error {}

describe.each(queueSubjects)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: OpenedQueues;
    let stops: (() => Promise<void>)[];
    let failed: FailedJob<Payload>[];
    let number = 0;

    beforeAll(async () => {
      opened = await subject.open();
    });
    beforeEach(() => {
      [stops, failed] = [[], []];
    });
    afterEach(() => Promise.all(stops.map((stop) => stop())));
    afterAll(() => opened.close());

    async function define(options: { readonly tries?: number; readonly retryFor?: number } = {}) {
      const connection = defineConnection({ queues: opened.queues, retryAfter: 10, delivery: afterCommit() });
      const queue = connection.queue(`jobs-${(number += 1).toString()}`, {
        payload,
        timeout: 5,
        repeatSafety: { by: "tolerated", reason: "a test" },
        ...options,
      });
      await opened.prepare?.(definitionOf(queue).policy);
      return queue;
    }
    type Defined = Awaited<ReturnType<typeof define>>;

    const start = async (
      queue: Defined,
      handler: (job: Job<Payload>) => unknown,
      options: WorkerOptions<Payload> = {},
    ): Promise<Worker> => {
      const worker = await startWorker(queue, handler, { onFailed: (job) => failed.push(job), ...options });
      stops.push(() => worker.stop());
      return worker;
    };
    const send = (queue: Defined) =>
      opened.queues.send(definitionOf(queue).policy, [
        { id: newJobId(), payload: '{"orderId":7}', occurredAt: new Date() },
      ]);
    const until = (assert: () => unknown) => vi.waitFor(assert, { timeout: 20_000, interval: 10 });

    test("AT-03 with a time instead of tries it is tried until that is over, and is then kept as failed", async () => {
      // SQS takes a job away after so many starts of its own, so there are no more tries than that there.
      const queue = await define({ retryFor: 1.5, ...(subject.name.startsWith("sqs") ? { tries: 500 } : {}) });
      let starts = 0;
      // Sending takes a while where the queue has to be made first, and the time runs since the operation happened.
      const startedAt = Date.now();
      await send(queue);
      await start(queue, async () => {
        starts += 1;
        await new Promise((resolve) => setTimeout(resolve, 100));
        throw new Error("no");
      });
      await until(() => {
        expect(failed).toHaveLength(1);
      });
      expect(Date.now() - startedAt).toBeGreaterThan(1400);
      expect(starts).toBeGreaterThan(1);
      expect(failed[0]?.attempt).toBeGreaterThanOrEqual(starts);
      await until(async () => {
        expect(await opened.failed(queue.name)).toBe(1);
      });
    });

    test("AT-05 a job that its handler puts off comes back once, after that time, and still has its one try", async () => {
      const isCounted = subject.name.startsWith("sqs");
      const queue = await define({ tries: isCounted ? 2 : 1 });
      const starts: { readonly attempt: number; readonly at: number }[] = [];
      await send(queue);
      await start(queue, ({ attempt }) => {
        starts.push({ attempt, at: Date.now() });
        return starts.length === 1 ? postpone(1) : undefined;
      });
      await until(() => {
        expect(starts).toHaveLength(2);
      });
      expect((starts[1]?.at ?? 0) - (starts[0]?.at ?? 0)).toBeGreaterThanOrEqual(990);
      expect(starts.map(({ attempt }) => attempt)).toEqual([1, isCounted ? 2 : 1]);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(starts).toHaveLength(2);
      expect([failed, await opened.failed(queue.name)]).toEqual([[], 0]);
    });

    test("MW-08 an error that will come each time ends the job at once, and the hook is told once", async () => {
      const queue = await define({ tries: 5 });
      let starts = 0;
      await send(queue);
      const handler = () => {
        starts += 1;
        throw new CardExpired("expired");
      };
      await start(queue, handler, { isFinal: (error) => error instanceof CardExpired });
      await until(async () => {
        expect(await opened.failed(queue.name)).toBe(1);
      });
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(starts).toBe(1);
      expect(failed).toMatchObject([{ attempt: 1, payload: { orderId: 7 }, error: { message: "expired" } }]);
    });

    test("LE-11 who succeeds after its lease completes nothing, and the failure of its successor makes no second job", async () => {
      const policy: QueuePolicy = {
        ...{ name: `late-${(number += 1).toString()}`, timeout: 0.5, retryAfter: 1, tries: 5, backoff: [] },
      };
      await opened.prepare?.(policy);
      const attempts: number[] = [];
      let firstHasEnded = false;
      const handle = async ({ attempt }: { readonly attempt: number }): Promise<Settlement> => {
        attempts.push(attempt);
        if (attempt === 1) {
          await until(() => {
            expect(attempts).toHaveLength(2);
          });
          firstHasEnded = true;
          return { do: "complete" };
        }
        if (attempt > 2) return { do: "complete" };
        await until(() => {
          expect(firstHasEnded).toBe(true);
        });
        // After the queue has heard of the first one's success.
        await new Promise((resolve) => setTimeout(resolve, 200));
        return { do: "retry", delay: 0, error: new Error("of the second") };
      };
      const workers: RunningWorker[] = [];
      for (let worker = 0; worker < 2; worker += 1) {
        workers.push(await opened.queues.work(policy, { concurrency: 1, onError: () => undefined }, handle));
      }
      stops.push(...workers.map((worker) => () => worker.stop()));
      await opened.queues.send(policy, [{ id: newJobId(), payload: "{}", occurredAt: new Date() }]);
      await until(() => {
        expect(attempts).toEqual([1, 2, 3]);
      });
      await new Promise((resolve) => setTimeout(resolve, 1300));
      expect(attempts).toEqual([1, 2, 3]);
      expect(await opened.failed(policy.name)).toBe(0);
    });
  });
});
