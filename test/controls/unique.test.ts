/** `unique`, by locks of a store, on the queues in memory (F4, F5). The queues that do it themselves: native.test.ts. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { defineConnection } from "../../src/connection.js";
import { LockStoreError } from "../../src/controls/control-context.js";
import { afterCommit } from "../../src/delivery.js";
import { AfterCommitError, ConfigurationError, InvalidKeyError } from "../../src/errors.js";
import { newJobId } from "../../src/job-id.js";
import { createOutbox } from "../../src/outbox/outbox.js";
import { definitionOf } from "../../src/queue.js";
import type { Transaction } from "../../src/transaction.js";
import { pass, payloadSchema, Setting, sleep, type Payload } from "./setting.js";

let setting: Setting;
beforeEach(() => {
  vi.useFakeTimers();
  setting = new Setting();
});
afterEach(async () => {
  await setting.close();
  vi.useRealTimers();
});

const unique = { id: ({ product }: Payload) => product, for: 3600 };
const define = (options: Parameters<Setting["define"]>[1] = {}, more: object = {}) =>
  setting.define({ unique: { ...unique, ...more } }, options);
const desk = { product: "desk" };

test("UQ-01 of two like it one is sent, and the second one's receipt names the first", async () => {
  const queue = define();
  const first = await setting.dispatch(queue, desk);
  const second = await setting.dispatch(queue, desk);
  expect(first).toMatchObject({ outcome: "enqueued", existing: undefined });
  expect(second).toMatchObject({ outcome: "deduplicated", existing: first.id });
  expect(setting.waiting()).toEqual([desk]);
  expect(setting.events).toEqual([{ what: "deduplicated", queue: "index", id: second.id, existing: first.id }]);
});

test("UQ-02 other ids are other jobs, and so is the same id of another queue", async () => {
  const [queue, other] = [define(), define({ name: "other" })];
  await setting.dispatch(queue, desk);
  await setting.dispatch(queue, { product: "chair" });
  await setting.dispatch(other, desk);
  expect(setting.waiting()).toEqual([desk, { product: "chair" }]);
  expect(setting.waiting("other")).toEqual([desk]);
});

test("UQ-03, UP-02 while the handler runs: one that is unique until processed is dropped, until processing it is sent", async () => {
  for (const [until, outcome] of [
    ["processed", "deduplicated"],
    ["processing", "enqueued"],
  ] as const) {
    const queue = define({ name: until }, { until });
    await setting.start(queue, () => sleep(5));
    await setting.dispatch(queue, desk);
    await pass(1);
    expect((await setting.dispatch(queue, desk)).outcome).toBe(outcome);
    await pass(20);
    expect((await setting.dispatch(queue, desk)).outcome).toBe("enqueued");
  }
});

test("UQ-04, UQ-05 between two tries it is dropped; after the last one has failed it is accepted", async () => {
  const queue = define({ tries: 2, backoff: [10] });
  await setting.start(queue, () => {
    throw new Error("no");
  });
  await setting.dispatch(queue, desk);
  await pass(5);
  expect((await setting.dispatch(queue, desk)).outcome).toBe("deduplicated");
  await pass(10);
  expect(setting.failed).toHaveLength(1);
  expect((await setting.dispatch(queue, desk)).outcome).toBe("enqueued");
});

test("UQ-06, UQ-15 a job whose worker was lost keeps its lock until it has ended or is given up", async () => {
  const queue = define({ tries: 1, retryAfter: 60 });
  await setting.dispatch(queue, desk);
  const never = () => new Promise<never>(() => undefined);
  await setting.queues.work(definitionOf(queue).policy, { concurrency: 1, onError: () => undefined }, never);
  await pass(10);
  expect((await setting.dispatch(queue, desk)).outcome).toBe("deduplicated");
  let starts = 0;
  await setting.start(queue, () => (starts += 1));
  await pass(60);
  // Its only start was the lost one: it fails without having run, and is free then.
  expect([starts, setting.failed.length]).toEqual([0, 1]);
  expect((await setting.dispatch(queue, desk)).outcome).toBe("enqueued");
});

test("UQ-07, UQ-14 after its time the id is free although the job waits: the limit of a lock", async () => {
  const queue = define({}, { for: 1 });
  await setting.dispatch(queue, desk);
  await pass(2);
  expect((await setting.dispatch(queue, desk)).outcome).toBe("enqueued");
  expect(setting.waiting()).toHaveLength(2);
});

test("UQ-08, UQ-09 who has lost the lock does not free the one of a successor", async () => {
  const queue = define();
  let ended = 0;
  await setting.start(
    queue,
    async ({ payload }) => {
      await sleep(payload.n ?? 0);
      ended += 1;
    },
    2,
  );
  await setting.dispatch(queue, { product: "desk", n: 5 });
  await pass(1);
  setting.flush();
  const second = await setting.dispatch(queue, { product: "desk", n: 20 });
  expect(second.outcome).toBe("enqueued");
  await pass(10);
  expect(ended).toBe(1);
  expect(await setting.dispatch(queue, desk)).toMatchObject({ outcome: "deduplicated", existing: second.id });
});

test("UQ-10, UP-08 a rollback, of the whole or of a savepoint, has locked nothing", async () => {
  const queue = define();
  const fail = async (tx: Transaction) => {
    await queue.enqueue(tx, desk);
    throw new Error("no");
  };
  await setting.transactions.run(fail).catch(() => undefined);
  await setting.transactions.run(async (tx) => {
    await tx.savepoint(fail).catch(() => undefined);
  });
  expect((await setting.dispatch(queue, desk)).outcome).toBe("enqueued");
});

test("UQ-11 who commits gets the job, also when another asked first and rolls back later", async () => {
  const queue = define();
  const receipts: string[] = [];
  let fail: () => void = () => undefined;
  const first = setting.transactions.run(async (tx) => {
    await queue.enqueue(tx, { product: "desk", n: 1 });
    await new Promise<void>((_, reject) => {
      fail = () => {
        reject(new Error("no"));
      };
    });
  });
  await pass(1);
  await setting.transactions.run(async (tx) => {
    const receipt = await queue.enqueue(tx, { product: "desk", n: 2 });
    receipts.push(receipt.outcome);
    tx.afterCommit(() => receipts.push(receipt.outcome));
  });
  fail();
  await expect(first).rejects.toThrow("no");
  expect(setting.waiting()).toEqual([{ product: "desk", n: 2 }]);
  expect(receipts).toEqual(["staged", "enqueued"]);
});

test("UQ-12 of equal jobs of one transaction the first is sent", async () => {
  const queue = define();
  const { value } = await setting.transactions.run(async (tx) => [
    await queue.enqueue(tx, { product: "desk", n: 1 }),
    await queue.enqueue(tx, { product: "chair" }),
    await queue.enqueue(tx, { product: "desk", n: 2 }),
  ]);
  expect(value.map(({ outcome }) => outcome)).toEqual(["enqueued", "enqueued", "deduplicated"]);
  expect(value[2]?.existing).toBe(value[0]?.id);
  expect(setting.waiting()).toEqual([{ product: "desk", n: 1 }, { product: "chair" }]);
});

test("UQ-13 a job that never had the lock ends, and another one's lock is held all the same", async () => {
  const queue = define();
  setting.down = new Error("the store is down");
  await setting.dispatch(queue, { product: "desk", n: 1 });
  setting.down = undefined;
  const holder = await setting.dispatch(queue, { product: "desk", n: 20 });
  await setting.start(queue, ({ payload }) => sleep(payload.n ?? 0), 2);
  await pass(5);
  expect(await setting.dispatch(queue, desk)).toMatchObject({ outcome: "deduplicated", existing: holder.id });
});

test("UQ-17 a run that outlasts its lease is run a second time although it is unique: no lock stops that", async () => {
  const queue = define({ tries: 2, retryAfter: 40, timeout: 30 });
  await setting.dispatch(queue, desk);
  const frozen = () => new Promise<never>(() => undefined);
  await setting.queues.work(definitionOf(queue).policy, { concurrency: 1, onError: () => undefined }, frozen);
  await pass(1);
  let starts = 0;
  await setting.start(queue, () => (starts += 1));
  await pass(45);
  expect(starts).toBe(1);
});

test("a job that a relay sends once more finds its own lock, and keeps out whoever it kept out", async () => {
  const queue = define();
  const definition = definitionOf(queue);
  const message = { id: newJobId(), payload: JSON.stringify(desk), occurredAt: new Date() };
  await definition.send([message]);
  await definition.send([{ ...message }]);
  expect(setting.events).toEqual([]);
  expect(await setting.dispatch(queue, desk)).toMatchObject({ outcome: "deduplicated", existing: message.id });
});

test("what does not fit the schema, as a relay may have it, is sent without a lock: its worker says what is wrong", async () => {
  const queue = define();
  await definitionOf(queue).send([{ id: newJobId(), payload: "7", occurredAt: new Date() }]);
  await setting.start(queue, () => undefined);
  await pass(1);
  expect(setting.failed).toMatchObject([{ error: { code: "AFTERCOMMIT_INVALID_PAYLOAD" } }]);
});

describe("until processing", () => {
  test("UP-01 while it waits others are dropped", async () => {
    const queue = define({}, { until: "processing" });
    await setting.dispatch(queue, desk);
    expect((await setting.dispatch(queue, desk)).outcome).toBe("deduplicated");
  });

  test("UP-03 a job that was put off by another control keeps its lock until it starts", async () => {
    const queue = setting.define({
      unique: { ...unique, until: "processing" },
      rateLimit: { id: () => "all", limit: 1, per: 60 },
    });
    await setting.start(queue, () => sleep(5));
    await setting.dispatch(queue, { product: "chair" });
    await setting.dispatch(queue, desk);
    await pass(10);
    expect(setting.told).toEqual(["postponed rateLimit"]);
    expect((await setting.dispatch(queue, desk)).outcome).toBe("deduplicated");
    await pass(55);
    expect((await setting.dispatch(queue, desk)).outcome).toBe("enqueued");
  });

  test("UP-04 a job that is skipped frees its lock", async () => {
    const queue = setting.define({
      unique: { ...unique, until: "processing" },
      rateLimit: { id: () => "all", limit: 1, per: 60, otherwise: "skip" },
    });
    await setting.start(queue, () => undefined);
    await setting.dispatch(queue, { product: "chair" });
    await setting.dispatch(queue, desk);
    await pass(1);
    expect(setting.told).toEqual(["skipped rateLimit"]);
    expect((await setting.dispatch(queue, desk)).outcome).toBe("enqueued");
  });

  test("UP-05 a try that follows does not free the lock of a job that came meanwhile", async () => {
    const queue = define({ tries: 2, backoff: [10] }, { until: "processing" });
    const worker = await setting.start(queue, ({ payload, attempt }) => {
      if (payload.n === 1 && attempt === 1) throw new Error("no");
    });
    await setting.dispatch(queue, { product: "desk", n: 1 });
    await pass(1);
    // Waits longer than the first one's second try.
    const second = await setting.dispatch(queue, { product: "desk", n: 2 }, { delay: 60 });
    expect(second.outcome).toBe("enqueued");
    await pass(20);
    expect(await setting.dispatch(queue, desk)).toMatchObject({ outcome: "deduplicated", existing: second.id });
    await worker.stop();
  });

  test("UP-06 a job that is given up before it started frees its lock", async () => {
    const queue = define({ tries: 1, retryAfter: 40 }, { until: "processing" });
    await setting.dispatch(queue, desk);
    const never = () => new Promise<never>(() => undefined);
    await setting.queues.work(definitionOf(queue).policy, { concurrency: 1, onError: () => undefined }, never);
    await pass(1);
    await setting.start(queue, () => undefined);
    await pass(45);
    expect(setting.failed).toHaveLength(1);
    expect((await setting.dispatch(queue, desk)).outcome).toBe("enqueued");
  });

  test("UP-07 what changes while it runs is seen by a second run", async () => {
    const queue = define({}, { until: "processing" });
    let state = 1;
    const seen: number[] = [];
    await setting.start(queue, async () => {
      const read = state;
      await sleep(5);
      seen.push(read);
    });
    await setting.dispatch(queue, desk);
    await pass(1);
    state = 2;
    await setting.dispatch(queue, desk);
    await pass(20);
    expect(seen).toEqual([1, 2]);
  });
});

describe("when something is down", () => {
  test("a queue that refuses the job leaves nothing locked", async () => {
    const queue = define();
    const send = setting.queues.send.bind(setting.queues);
    setting.queues.send = () => Promise.reject(new Error("the queue is down"));
    await expect(setting.dispatch(queue, desk)).rejects.toThrow("the queue is down");
    setting.queues.send = send;
    expect((await setting.dispatch(queue, desk)).outcome).toBe("enqueued");
  });

  test("a lock store that is down: open sends all the same, closed refuses", async () => {
    const open = define();
    const closed = define({ name: "closed" }, { ifStoreFails: "closed" });
    setting.down = new Error("connection refused");
    expect((await setting.dispatch(open, desk)).outcome).toBe("enqueued");
    expect((await setting.dispatch(open, desk)).outcome).toBe("enqueued");
    expect(setting.told).toEqual(["store failed unique", "store failed unique"]);
    await expect(setting.dispatch(closed, desk)).rejects.toThrow(LockStoreError);
    const run = setting.transactions.run((tx) => closed.enqueue(tx, desk));
    await expect(run).rejects.toThrow(AfterCommitError);
    expect(setting.waiting("closed")).toEqual([]);
  });

  test("a store that hangs is given up after two seconds", async () => {
    const queue = define();
    setting.locks.compareAndSet = () => new Promise(() => undefined);
    const sending = setting.dispatch(queue, desk);
    await pass(3);
    expect((await sending).outcome).toBe("enqueued");
  });
});

test("an id that cannot be told is refused before anything is staged", async () => {
  const queue = setting.define({ unique: { ...unique, id: ({ n }) => n as number } });
  await expect(setting.dispatch(queue, desk)).rejects.toThrow(InvalidKeyError);
  await expect(setting.transactions.run((tx) => queue.enqueue(tx, desk))).rejects.toThrow(InvalidKeyError);
  expect(setting.waiting()).toEqual([]);
});

test("behind an outbox whose jobs mark their rows it is refused: the row of a job that is left out would never be", () => {
  const { transactions } = setting;
  const delivery = createOutbox({ transactions, markedByJob: { resendAfter: 60 } });
  expect(() => setting.define({ unique }, { delivery })).toThrow("has `markedByJob`");
});

test("without a lock store it is refused", () => {
  const connection = defineConnection({ queues: setting.queues, retryAfter: 90, delivery: afterCommit() });
  const options = { payload: payloadSchema, timeout: 30, repeatSafety: { by: "overwrite" } } as const;
  expect(() => connection.queue("index", { ...options, unique })).toThrow("Give the queue, or its connection, `locks`");
});

const all = () => "all";

test.each([
  ["no time", { unique: { id: all } }, "`unique.for` of queue"],
  ["a time of nothing", { unique: { id: all, for: 0 } }, "`unique.for` of queue"],
  ["no id", { unique: { for: 1 } }, "every control needs `id`"],
  ["an until that is none", { unique: { id: all, for: 1, until: "start" } }, "`unique.until` must be"],
  ["open and closed", { unique: { id: all, for: 1, ifStoreFails: "maybe" } }, '"open" or "closed"'],
  ["DB-09 unique and debounce", { unique, debounce: { id: all, for: 1 } }, "unique or debounced, not both"],
  ["a short limit", { debounce: { id: all, for: 30, maxWait: 20 } }, "must be at least `debounce.for`"],
  ["a lock below the timeout", { withoutOverlapping: { id: all, for: 30 } }, "above the timeout (30)"],
  ["MW-02 a limit of nothing", { rateLimit: { id: all, limit: 0, per: 1 } }, "`rateLimit.limit` must be"],
  ["no errors", { throttleErrors: { id: all, after: 0, within: 1 } }, "`throttleErrors.after` must be"],
])("a definition with %s is refused, also without types", (_, controls, message) => {
  expect(() => setting.define(controls as never)).toThrow(ConfigurationError);
  expect(() => setting.define(controls as never)).toThrow(message);
});
