/** Queues whose jobs call a service: what their definitions and their workers see to. */
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineConnection } from "../../src/connection.js";
import { afterCommit } from "../../src/delivery.js";
import { effectsDdl } from "../../src/effects/ddl.js";
import { createEffects } from "../../src/effects/effects.js";
import { idempotencyKey } from "../../src/idempotency-key.js";
import { newJobId } from "../../src/job-id.js";
import { memoryQueues } from "../../src/queues/memory.js";
import { definitionOf, type RepeatSafety } from "../../src/queue.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import { startWorker, type FailedJob } from "../../src/worker/worker.js";
import { betterSqlite3Subject } from "../databases/subjects/better-sqlite3.js";
import { statementsOf } from "../ledger/statements.js";

async function withEffects<T>(
  use: (parts: Awaited<ReturnType<typeof open>>) => Promise<T>,
  options: { readonly table: boolean } = { table: true },
): Promise<T> {
  const parts = await open(options.table);
  try {
    return await use(parts);
  } finally {
    await parts.close();
  }
}

async function open(table: boolean) {
  const opened = await betterSqlite3Subject.open();
  if (table) for (const text of statementsOf(effectsDdl("sqlite"))) await opened.database.query(text);
  const effects = createEffects({ transactions: createTransactionManager(opened.database) });
  const queues = memoryQueues();
  return {
    effects,
    queues,
    close: () => opened.close(),
    /** As a program without types would. */
    define: (repeatSafety: unknown, settings: object = {}) =>
      defineConnection({ queues, retryAfter: 90 }).queue("parcels", {
        payload: z.object({ orderId: z.number() }),
        timeout: 30,
        tries: 3,
        delivery: afterCommit(),
        ...settings,
        repeatSafety: repeatSafety as RepeatSafety & { by: "ledger"; reason: string; service: never },
      }),
  };
}

describe("a definition is refused", () => {
  test.each([
    ["review without its service", () => ({ by: "review" }), {}, /needs the `service`/],
    [
      "something else as a service",
      () => ({ by: "review", service: {} }),
      {},
      /must be what `effects.service` has made/,
    ],
    [
      "review of a service that takes keys",
      (effects) => ({ by: "review", service: effects.service("a", { timeout: 5, keysKeptFor: 3600 }) }),
      {},
      /takes an idempotency key.*"external-key", not by "review"/,
    ],
    [
      "keys of a service that takes none",
      (effects) => ({ by: "external-key", service: effects.service("a", { timeout: 5 }) }),
      {},
      /takes no idempotency key.*"review", not by "external-key"/,
    ],
    [
      "a call that may take longer than its job",
      (effects) => ({ by: "review", service: effects.service("a", { timeout: 30 }) }),
      {},
      /timeout \(30\) must be above that of a call to service "a" \(30\)/,
    ],
    [
      "a service that forgets keys before the last try",
      (effects) => ({ by: "external-key", service: effects.service("a", { timeout: 5, keysKeptFor: 300 }) }),
      { tries: 5, backoff: [10, 60] },
      /for 640 s, but service "a" forgets keys after 300 s/,
    ],
  ] as const satisfies [string, (effects: ReturnType<typeof createEffects>) => object, object, RegExp][])(
    "%s",
    async (_, repeatSafety, settings, message) => {
      await withEffects(async ({ effects, define }) => {
        expect(() => define(repeatSafety(effects), settings)).toThrow(message);
        await Promise.resolve();
      });
    },
  );

  test("a service that is defined twice, without a name, a time, or a memory that is long enough", async () => {
    await withEffects(async ({ effects }) => {
      effects.service("a", { timeout: 5 });
      expect(() => effects.service("a", { timeout: 5 })).toThrow(/twice/);
      expect(() => effects.service("", { timeout: 5 })).toThrow(/name/);
      expect(() => effects.service("b", { timeout: 0 })).toThrow(/timeout/);
      expect(() => effects.service("c", { timeout: 5, keysKeptFor: 5 })).toThrow(/above its timeout/);
      await Promise.resolve();
    });
  });
});

test("a worker does not start before the table of its service is right", async () => {
  await withEffects(
    async ({ effects, define }) => {
      const queue = define({ by: "review", service: effects.service("carrier", { timeout: 5 }) });
      await expect(startWorker(queue, () => undefined)).rejects.toThrow(/there is no such table/);
    },
    { table: false },
  );
});

test("EX-05 a job whose effect is unknown is given up at once, also where its handler has wrapped the error", async () => {
  await withEffects(async ({ effects, define, queues }) => {
    const service = effects.service("carrier", { timeout: 5 });
    const queue = define({ by: "review", service });
    let calls = 0;
    const failed: FailedJob<unknown>[] = [];
    const worker = await startWorker(
      queue,
      async ({ payload }) => {
        try {
          await service.call(idempotencyKey("request-shipment", payload.orderId), payload, () => {
            calls += 1;
            throw new Error("socket hang up");
          });
        } catch (error) {
          throw new Error("no parcel", { cause: error });
        }
      },
      { onFailed: (job) => failed.push(job) },
    );
    const id = newJobId();
    await queues.send(definitionOf(queue).policy, [{ id, payload: '{"orderId":1}', occurredAt: new Date() }]);
    await vi.waitFor(() => {
      expect(failed).toMatchObject([{ attempt: 1, error: { cause: { code: "AFTERCOMMIT_NEEDS_REVIEW" } } }]);
    });
    await worker.stop();
    expect(calls).toBe(1);
    expect(await effects.list()).toMatchObject([{ jobId: id, queue: "parcels", lastError: "socket hang up" }]);
  });
});

test("LE-10 the call is told to stop with its job, and is unknown then", async () => {
  await withEffects(async ({ effects, define, queues }) => {
    const service = effects.service("carrier", { timeout: 20 });
    const queue = define({ by: "review", service }, { tries: 1 });
    const failed: FailedJob<unknown>[] = [];
    let called: () => void = () => undefined;
    const calling = new Promise<void>((resolve) => (called = resolve));
    const worker = await startWorker(
      queue,
      ({ payload }) =>
        service.call(idempotencyKey("request-shipment", payload.orderId), payload, ({ signal }) => {
          called();
          return new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              reject(signal.reason as Error);
            });
          });
        }),
      { onFailed: (job) => failed.push(job) },
    );
    await queues.send(definitionOf(queue).policy, [
      { id: newJobId(), payload: '{"orderId":1}', occurredAt: new Date() },
    ]);
    await calling;
    await worker.stop({ deadline: 0.01 });
    expect(failed).toMatchObject([{ error: { code: "AFTERCOMMIT_WORKER_STOPPED" } }]);
    expect(await effects.list()).toMatchObject([{ state: "unknown", needsReview: true }]);
  });
});
