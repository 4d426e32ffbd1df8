/** What only Graphile Worker's tables have. The rest is in the suite of all queues. */
import { Logger, run } from "graphile-worker";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { newJobId } from "../../src/job-id.js";
import type { Message, QueuePolicy, RunningWorker, Settlement, TakenMessage } from "../../src/queues/queues.js";
import { graphileWorker, openGraphile } from "./graphile-worker.js";

describe.skipIf(!graphileWorker.available)("graphile-worker", () => {
  let opened: Awaited<ReturnType<typeof openGraphile>>;
  let policy: QueuePolicy;
  let taken: TakenMessage[];
  let workers: RunningWorker[];
  let number = 0;

  beforeAll(async () => {
    opened = await openGraphile();
  });
  beforeEach(() => {
    policy = { name: `task-${(number += 1).toString()}`, timeout: 0.5, retryAfter: 1, tries: 5, backoff: [] };
    [taken, workers] = [[], []];
  });
  afterEach(() => Promise.all(workers.map((worker) => worker.stop())));
  afterAll(() => opened.close());

  const message = (payload: unknown): Message => ({
    id: newJobId(),
    payload: JSON.stringify(payload),
    occurredAt: new Date("2026-11-30T12:34:56.789Z"),
  });
  const work = async (handle: (one: TakenMessage) => Settlement | Promise<Settlement>) => {
    const options = { concurrency: 1, onError: () => undefined };
    const worker = await opened.queues.work(policy, options, async (one) => {
      taken.push(one);
      return handle(one);
    });
    workers.push(worker);
  };
  const row = async (id: string) => {
    const { rows } = await opened.pool.query<{ attempts: number; max_attempts: number; last_error: string | null }>(
      `select attempts, max_attempts, last_error from ${opened.schema}.jobs where key = $1`,
      [id],
    );
    return rows[0];
  };

  test("AT-06 a job whose worker was lost at its last try is taken once more, for the worker to tell of its end", async () => {
    policy = { ...policy, tries: 1 };
    const job = message(1);
    await opened.queues.send(policy, [job]);
    let letFirstEnd: () => void = () => undefined;
    const firstMayEnd = new Promise<void>((resolve) => (letFirstEnd = resolve));
    const handle = async ({ attempt }: TakenMessage): Promise<Settlement> => {
      if (attempt > 1) return { do: "fail", error: new Error("lost") };
      await firstMayEnd;
      return { do: "complete" };
    };
    await work(handle);
    await vi.waitFor(() => {
      expect(taken).toHaveLength(1);
    });
    await work(handle);
    await vi.waitFor(
      async () => {
        expect(await row(job.id)).toMatchObject({ attempts: 2, max_attempts: 2 });
      },
      { timeout: 5000 },
    );
    letFirstEnd();
    await Promise.all(workers.map((worker) => worker.stop()));
    // What the first said came too late.
    expect(await row(job.id)).toMatchObject({ attempts: 2 });
  });

  test("a job that is put off has not been started, for all that is counted", async () => {
    const job = message(1);
    await opened.queues.send(policy, [job]);
    await work(() => (taken.length < 4 ? { do: "postpone", delay: 0 } : { do: "complete" }));
    await vi.waitFor(async () => {
      expect(await row(job.id)).toBeUndefined();
    });
    expect(taken.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
  });

  test("the error of a failed job is kept, also one that PostgreSQL does not take as it is", async () => {
    const job = message(1);
    await opened.queues.send(policy, [job]);
    await work(() => ({ do: "fail", error: new Error("a\0b") }));
    await vi.waitFor(async () => {
      expect((await row(job.id))?.last_error).toContain("Error: ab");
    });
  });

  test("its own runner works beside these workers on other tasks", async () => {
    const own: unknown[] = [];
    const runner = await run({
      pgPool: opened.pool,
      schema: opened.schema,
      logger: new Logger(() => () => undefined),
      pollInterval: 50,
      noHandleSignals: true,
      taskList: { own: (payload) => void own.push(payload) },
    });
    await work(() => ({ do: "complete" }));
    await opened.queues.send(policy, [message("ours")]);
    await runner.addJob("own", "theirs");
    await vi.waitFor(
      () => {
        expect(taken.map((one) => one.message.payload)).toEqual(['"ours"']);
        expect(own).toEqual(["theirs"]);
      },
      { timeout: 5000 },
    );
    await runner.stop();
  });

  test("a lease of more than four hours is refused: Graphile Worker would end it", async () => {
    const long = { ...policy, retryAfter: 4 * 3600 + 1 };
    await expect(opened.queues.send(long, [message(1)])).rejects.toThrow("at most four hours");
    expect(() => opened.queues.effectiveLease(long)).toThrow("at most four hours");
  });
});
