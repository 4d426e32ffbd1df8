/** Spans and metrics through OpenTelemetry's real SDK, over real databases and queues. */
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineConnection } from "../../src/connection.js";
import { afterCommit, sameTransaction } from "../../src/delivery.js";
import { idempotencyKey } from "../../src/idempotency-key.js";
import { ledgerDdl } from "../../src/ledger/ddl.js";
import { createLedger } from "../../src/ledger/ledger.js";
import { memoryLocks } from "../../src/locks/memory.js";
import { startTelemetry } from "../../src/opentelemetry.js";
import { outboxDdl } from "../../src/outbox/ddl.js";
import { createOutbox } from "../../src/outbox/outbox.js";
import { createRelay, type Relay } from "../../src/outbox/relay.js";
import { definitionOf } from "../../src/queue.js";
import { memoryQueues } from "../../src/queues/memory.js";
import type { Queues } from "../../src/queues/queues.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { startWorker, type Worker } from "../../src/worker/worker.js";
import { subjects, type Opened } from "../databases/subjects.js";
import { statementsOf } from "../ledger/statements.js";
import { queueSubjects, transactionalSubjects } from "../queues/subjects.js";
import { idsOf, startSdk } from "./recorded.js";

const payload = z.object({ n: z.number() });
const until = (assert: () => unknown) => vi.waitFor(assert, { timeout: 20_000, interval: 20 });
const sqlite = subjects.find(({ name }) => name === "better-sqlite3") ?? expect.fail();

let sdk: ReturnType<typeof startSdk>;
let opened: Opened;
let transactions: TransactionManager;
/** What is to end after a test, the last first. */
let endings: (() => unknown)[];

const open = async (subject = sqlite) => {
  opened = await subject.open();
  for (const statement of statementsOf(outboxDdl(opened.database.dialect))) await opened.database.query(statement);
  for (const statement of statementsOf(ledgerDdl(opened.database.dialect))) await opened.database.query(statement);
  transactions = createTransactionManager(opened.database);
};
const running = <T extends Relay | Worker>(one: T): T => {
  endings.push(() => one.stop());
  return one;
};
const observe = (options: Parameters<typeof startTelemetry>[0] = {}) => {
  const end = startTelemetry(options);
  endings.push(end);
  return end;
};
const startRelay = async (outbox: ReturnType<typeof createOutbox>) => {
  const relay = running(createRelay({ outbox, pollEvery: 0.02, listen: false, onError: () => undefined }));
  await relay.start();
};

beforeEach(() => {
  sdk = startSdk();
  endings = [];
});
afterEach(async () => {
  for (const end of endings.reverse()) await end();
  await sdk.stop();
});

describe.each(queueSubjects)("through $name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    test("a trace goes from the request through the relay into each run of the handler", async () => {
      await open();
      const its = await subject.open();
      const { queues } = its;
      endings.push(
        () => its.close(),
        () => opened.close(),
      );
      observe();
      const outbox = createOutbox({ transactions });
      const queue = defineConnection({ queues, retryAfter: 10 }).queue("orders", {
        payload,
        timeout: 5,
        tries: 2,
        repeatSafety: { by: "overwrite" },
        delivery: outbox,
      });
      await its.prepare?.(definitionOf(queue).policy);
      const { value: receipt } = await sdk.inSpan("request", () =>
        transactions.run((tx) => queue.enqueue(tx, { n: 1 })),
      );
      await sdk.inSpan("start of the program", () => startRelay(outbox));
      let runs = 0;
      running(
        await startWorker(queue, async () => {
          runs += 1;
          const is = runs;
          await sdk.inSpan(`work ${is}`, () => Promise.resolve());
          if (is === 1) throw new RangeError("not yet");
        }),
      );
      await until(() => {
        expect(sdk.spans("process orders")).toHaveLength(2);
      });

      const request = idsOf(sdk.spans("request")[0]);
      const [create] = sdk.spans("create orders");
      expect(create?.kind).toBe(SpanKind.PRODUCER);
      expect(create?.parentSpanContext).toMatchObject(request);
      expect(create?.attributes).toMatchObject({
        "messaging.destination.name": "orders",
        "messaging.message.id": receipt.id,
        "messaging.operation.type": "create",
      });

      const [send] = sdk.spans("send orders");
      expect(send?.parentSpanContext).toBeUndefined();
      expect(send?.links).toMatchObject([
        { context: idsOf(create), attributes: { "messaging.message.id": receipt.id } },
      ]);
      expect(send?.attributes).toMatchObject({ "aftercommit.sender": "relay", "messaging.batch.message_count": 1 });

      const [first, second] = sdk.spans("process orders");
      for (const run of [first, second]) {
        expect(run?.kind).toBe(SpanKind.CONSUMER);
        expect(run?.parentSpanContext).toMatchObject(idsOf(create));
        expect(run?.spanContext().traceId).toBe(request.traceId);
        expect(run?.attributes).toMatchObject({ "messaging.message.id": receipt.id });
      }
      expect(first?.attributes).toMatchObject({
        "aftercommit.attempt": 1,
        "aftercommit.settlement": "retry",
        "error.type": "RangeError",
      });
      expect(first?.status).toEqual({ code: SpanStatusCode.ERROR, message: "not yet" });
      expect(second?.attributes).toMatchObject({ "aftercommit.attempt": 2, "aftercommit.settlement": "complete" });
      expect(sdk.spans("work 2")[0]?.parentSpanContext).toMatchObject(idsOf(second));

      const destination = { "messaging.destination.name": "orders" };
      expect(await sdk.measured("aftercommit.jobs.staged")).toMatchObject([{ attributes: destination, value: 1 }]);
      expect(await sdk.measured("aftercommit.jobs.dispatched")).toMatchObject([
        { attributes: { ...destination, "aftercommit.sender": "relay" }, value: 1 },
      ]);
      const handled = await sdk.measured("aftercommit.jobs.handled");
      expect(handled.map(({ attributes, value }) => [attributes["aftercommit.settlement"], value])).toEqual([
        ["retry", 1],
        ["complete", 1],
      ]);
      expect(await sdk.measured("messaging.process.duration")).toMatchObject([
        { attributes: { ...destination, "aftercommit.settlement": "retry" }, value: { count: 1 } },
        { attributes: { ...destination, "aftercommit.settlement": "complete" }, value: { count: 1 } },
      ]);
    });
  });
});

describe.each(subjects)("the outbox on $name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    beforeAll(() => open(subject));
    afterAll(() => opened.close());

    test("keeps the context, alone and among others, and its backlog is measured", async () => {
      const outbox = createOutbox({ transactions });
      const queues = memoryQueues();
      const define = (name: string) =>
        defineConnection({ queues, retryAfter: 90 }).queue(name, {
          payload,
          timeout: 30,
          repeatSafety: { by: "overwrite" },
          delivery: outbox,
        });
      const [orders, idle] = [define("orders"), define("idle")];
      const end = observe({ outboxes: [outbox] });
      await sdk.inSpan("one", () => transactions.run((tx) => orders.enqueue(tx, { n: 0 })));
      await sdk.inSpan("three", () =>
        transactions.run(async (tx) => {
          for (const n of [1, 2, 3]) await orders.enqueue(tx, { n }, { orderKey: "key" });
        }),
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
      const gauge = async (name: string) =>
        Object.fromEntries(
          (await sdk.measured(name)).map(({ attributes, value }) => [attributes["messaging.destination.name"], value]),
        ) as Record<string, number>;
      expect(await gauge("aftercommit.outbox.waiting")).toEqual({ orders: 4, [idle.name]: 0 });
      const { orders: age = Number.NaN } = await gauge("aftercommit.outbox.oldest_age");
      expect(age).toBeGreaterThanOrEqual(0.05);
      expect(age).toBeLessThan(60);
      expect(await gauge("aftercommit.outbox.failed")).toEqual({ orders: 0, idle: 0 });

      end();
      // What was staged without an observer has no context; the row is like any other.
      await transactions.run((tx) => orders.enqueue(tx, { n: 4 }));
      observe({ outboxes: [outbox] });
      await startRelay(outbox);
      await until(async () => {
        expect(await gauge("aftercommit.outbox.waiting")).toEqual({ orders: 0, idle: 0 });
      });
      expect(await gauge("aftercommit.outbox.oldest_age")).toEqual({ orders: 0, idle: 0 });

      const traces = new Map(["one", "three"].map((name) => [idsOf(sdk.spans(name)[0]).traceId, name]));
      const seen = queues.waiting("orders").map(({ payload: text, meta }) => {
        const { n } = JSON.parse(text) as { n: number };
        return [n, meta === undefined ? undefined : traces.get(meta["traceparent"]?.split("-")[1] ?? "")];
      });
      expect(seen.sort()).toEqual([
        [0, "one"],
        [1, "three"],
        [2, "three"],
        [3, "three"],
        [4, undefined],
      ]);
    });
  });
});

describe("on SQLite", () => {
  beforeEach(() => open());
  afterEach(() => opened.close());

  const define = (queues: Queues, delivery: ReturnType<typeof afterCommit> | ReturnType<typeof createOutbox>) =>
    defineConnection({ queues, retryAfter: 90 }).queue("orders", {
      payload,
      timeout: 30,
      repeatSafety: { by: "ledger" },
      delivery,
    });
  const down = (): Queues => ({
    ...memoryQueues(),
    send: () => Promise.reject(new TypeError("the queue is down")),
  });

  test("what is sent after the commit is sent within the request, and a failure is its span's", async () => {
    observe();
    const queue = define(down(), afterCommit());
    const request = sdk.inSpan("request", () => transactions.run((tx) => queue.enqueue(tx, { n: 1 })));
    await expect(request).rejects.toThrow("the queue is down");
    const [send] = sdk.spans("send orders");
    expect(send?.parentSpanContext).toMatchObject(idsOf(sdk.spans("request")[0]));
    expect(send?.status.code).toBe(SpanStatusCode.ERROR);
    expect(send?.attributes).toMatchObject({ "aftercommit.sender": "after commit", "error.type": "TypeError" });
    expect(await sdk.measured("aftercommit.jobs.dispatched")).toEqual([]);
  });

  test("what is sent at once, and marked, is told apart from what a relay sends", async () => {
    observe();
    const outbox = createOutbox({ transactions, immediate: {} });
    const queue = define(memoryQueues(), outbox);
    await transactions.run((tx) => queue.enqueue(tx, { n: 1 }));
    await outbox.idle();
    expect(await sdk.measured("aftercommit.jobs.dispatched")).toMatchObject([
      { attributes: { "aftercommit.sender": "immediate" }, value: 1 },
    ]);
  });

  test("OB-02 what was rolled back was staged, and never dispatched", async () => {
    observe();
    const queue = define(memoryQueues(), afterCommit());
    const run = transactions.run(async (tx) => {
      await queue.enqueue(tx, { n: 1 });
      throw new Error("no");
    });
    await expect(run).rejects.toThrow("no");
    expect(await sdk.measured("aftercommit.jobs.staged")).toMatchObject([{ value: 1 }]);
    expect(await sdk.measured("aftercommit.jobs.dispatched")).toEqual([]);
    expect(sdk.spans("send orders")).toEqual([]);
  });

  test("LG-01 a duplicate that the ledger stops is counted, and stands in the span of its run", async () => {
    observe();
    const ledger = createLedger({ transactions });
    const queues = memoryQueues();
    const queue = define(queues, afterCommit());
    let effects = 0;
    running(
      await startWorker(queue, async ({ payload: { n } }) => {
        await transactions.run((tx) => ledger.once(tx, idempotencyKey("count", n), () => (effects += 1)));
      }),
    );
    for (let time = 0; time < 3; time += 1) await transactions.run((tx) => queue.enqueue(tx, { n: 7 }));
    await until(() => {
      expect(sdk.spans("process orders")).toHaveLength(3);
    });
    expect(effects).toBe(1);
    expect(await sdk.measured("aftercommit.duplicates.stopped")).toEqual([
      { attributes: { "messaging.system": "memory", "messaging.destination.name": "orders" }, value: 2 },
    ]);
    expect(sdk.spans("process orders").map(({ events }) => events.map(({ name }) => name))).toEqual([
      [],
      ["aftercommit.duplicate_stopped"],
      ["aftercommit.duplicate_stopped"],
    ]);
  });

  test("UQ-01 what a control leaves out is no dispatch", async () => {
    observe();
    const queue = defineConnection({ queues: memoryQueues(), retryAfter: 90, locks: memoryLocks() }).queue("orders", {
      payload,
      timeout: 30,
      repeatSafety: { by: "overwrite" },
      delivery: afterCommit(),
      unique: { id: ({ n }) => n, for: 60 },
    });
    for (let time = 0; time < 3; time += 1) await transactions.run((tx) => queue.enqueue(tx, { n: 7 }));
    expect(await sdk.measured("aftercommit.jobs.dispatched")).toMatchObject([{ value: 1 }]);
    expect(await sdk.measured("aftercommit.jobs.left_out")).toMatchObject([
      { attributes: { "aftercommit.outcome": "deduplicated" }, value: 2 },
    ]);
  });

  test("it is started once, and nothing is told when it has ended", async () => {
    const end = observe();
    expect(() => startTelemetry()).toThrow("observed already");
    end();
    const queues = memoryQueues();
    const queue = define(queues, afterCommit());
    await sdk.inSpan("request", () => transactions.run((tx) => queue.enqueue(tx, { n: 1 })));
    expect(sdk.spans("create orders")).toEqual([]);
    expect(queues.waiting("orders")).toHaveLength(1);
    expect(queues.waiting("orders")[0]).not.toHaveProperty("meta");
  });

  test("without a propagator nothing travels, and everything runs", async () => {
    await sdk.stop();
    observe();
    const queues = memoryQueues();
    const queue = define(queues, afterCommit());
    await transactions.run((tx) => queue.enqueue(tx, { n: 1 }));
    expect(queues.waiting("orders")[0]).not.toHaveProperty("meta");
    let runs = 0;
    running(await startWorker(queue, () => (runs += 1)));
    await until(() => {
      expect(runs).toBe(1);
    });
  });
});

const postgres = subjects.find(({ name }) => name === "pg") ?? expect.fail();

describe.skipIf(!postgres.available).each(transactionalSubjects)("in the transaction, $name", (subject) => {
  test("a job counts as dispatched when its transaction has committed", async () => {
    await open(postgres);
    const its = await subject.open();
    const { queues } = its;
    endings.push(
      () => its.close(),
      () => opened.close(),
    );
    observe();
    const queue = defineConnection({ queues, retryAfter: 90 }).queue("orders", {
      payload,
      timeout: 30,
      repeatSafety: { by: "overwrite" },
      delivery: sameTransaction(),
    });
    const request = (fails: boolean) =>
      sdk.inSpan("request", () =>
        transactions.run(async (tx) => {
          await queue.enqueue(tx, { n: 1 });
          if (fails) throw new Error("no");
        }),
      );
    await queues.send(definitionOf(queue).policy, []);
    await expect(request(true)).rejects.toThrow("no");
    expect(await sdk.measured("aftercommit.jobs.dispatched")).toEqual([]);
    await request(false);
    expect(await sdk.measured("aftercommit.jobs.dispatched")).toMatchObject([
      { attributes: { "aftercommit.sender": "same transaction" }, value: 1 },
    ]);
    const [send] = sdk.spans("send orders");
    expect(send?.parentSpanContext).toMatchObject(idsOf(sdk.spans("request")[1]));
  });
});
