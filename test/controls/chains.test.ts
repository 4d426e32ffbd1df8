/**
 * Chains and batches (F12), made of what is there: a handler enqueues what follows in the transaction of its effect, and
 * a batch counts the rows of its ledger. On SQLite, with the outbox, a ledger, and the queues in memory.
 */
import BetterSqlite3 from "better-sqlite3";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineConnection } from "../../src/connection.js";
import type { ControlEvent } from "../../src/controls/control-events.js";
import { betterSqlite3Database } from "../../src/databases/better-sqlite3.js";
import { idempotencyKey } from "../../src/idempotency-key.js";
import { ledgerDdl } from "../../src/ledger/ddl.js";
import { createLedger, type Ledger } from "../../src/ledger/ledger.js";
import { memoryLocks } from "../../src/locks/memory.js";
import { outboxDdl } from "../../src/outbox/ddl.js";
import { createOutbox } from "../../src/outbox/outbox.js";
import { createRelay, type Relay } from "../../src/outbox/relay.js";
import { memoryQueues, type MemoryQueues } from "../../src/queues/memory.js";
import { definitionOf } from "../../src/queue.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import type { Transaction } from "../../src/transaction.js";
import { startWorker, type Worker } from "../../src/worker/worker.js";
import { statementsOf } from "../ledger/statements.js";

const payload = z.object({ orderId: z.number() });
type Payload = z.output<typeof payload>;

let db: BetterSqlite3.Database;
let transactions: TransactionManager<BetterSqlite3.Database>;
let ledger: Ledger<BetterSqlite3.Database>;
let queues: MemoryQueues;
let relay: Relay;
let workers: Worker[];
let events: ControlEvent[];
let done: string[];
let connection: ReturnType<typeof connect>;

function connect() {
  const outbox = createOutbox({ transactions });
  relay = createRelay({ outbox, pollEvery: 0.01 });
  const onControl = (event: ControlEvent) => events.push(event);
  return defineConnection({ queues, retryAfter: 1, delivery: outbox, locks: memoryLocks(), onControl });
}

const options = { payload, timeout: 0.5, tries: 3, repeatSafety: { by: "ledger" } } as const;
const until = (assert: () => unknown) => vi.waitFor(assert, { timeout: 5000, interval: 10 });

beforeEach(async () => {
  db = new BetterSqlite3(":memory:");
  for (const statement of [...statementsOf(outboxDdl("sqlite")), ...statementsOf(ledgerDdl("sqlite"))])
    db.exec(statement);
  transactions = createTransactionManager(betterSqlite3Database(db));
  ledger = createLedger({ transactions });
  queues = memoryQueues();
  [workers, events, done] = [[], [], []];
  connection = connect();
  await relay.start();
});
afterEach(async () => {
  await relay.stop();
  await Promise.all(workers.map((worker) => worker.stop()));
  await queues.close();
  db.close();
});

/** A link of a chain: does its part once, and asks for the next one in the same transaction. */
const link =
  (name: string, next: (tx: Transaction<BetterSqlite3.Database>, orderId: number) => unknown) =>
  async ({ payload: { orderId } }: { readonly payload: Payload }) => {
    await transactions.run((tx) =>
      ledger.once(tx, idempotencyKey(name, orderId), async () => {
        done.push(name);
        await next(tx, orderId);
      }),
    );
  };
const start = async (...[queue, handler, workerOptions]: Parameters<typeof startWorker<Payload>>) => {
  workers.push(await startWorker(queue, handler, workerOptions));
};
const begin = (queue: ReturnType<typeof chain>["a"], orderId = 1) =>
  transactions.run((tx) => queue.enqueue(tx, { orderId }));
const chain = () => ({
  a: connection.queue("a", options),
  b: connection.queue("b", { ...options, unique: { id: ({ orderId }) => orderId, for: 60 } }),
  c: connection.queue("c", options),
});

test("CH-01 the links run one after the other", async () => {
  const { a, b, c } = chain();
  await start(
    a,
    link("a", (tx, orderId) => b.enqueue(tx, { orderId })),
  );
  await start(
    b,
    link("b", (tx, orderId) => c.enqueue(tx, { orderId })),
  );
  await start(
    c,
    link("c", () => undefined),
  );
  await begin(a);
  await until(() => {
    expect(done).toEqual(["a", "b", "c"]);
  });
});

test("CH-02 when a link fails for good, what follows is never asked for, and the hook is told once", async () => {
  const { a, b, c } = chain();
  const failed: string[] = [];
  await start(
    a,
    link("a", (tx, orderId) => b.enqueue(tx, { orderId })),
  );
  await start(
    b,
    async () => {
      await transactions.run(async (tx) => {
        await c.enqueue(tx, { orderId: 1 });
        throw new Error("no");
      });
    },
    { onFailed: () => failed.push("b") },
  );
  await begin(a);
  await until(() => {
    expect(failed).toEqual(["b"]);
  });
  expect(queues.waiting("c")).toEqual([]);
});

test("CH-03 a link that is delivered once more after it was done asks for nothing a second time", async () => {
  const { a, b } = chain();
  const handler = link("a", (tx, orderId) => b.enqueue(tx, { orderId }));
  await start(a, async (job) => {
    await handler(job);
    // As if the process had died before the queue was told.
    if (job.attempt === 1) throw new Error("killed");
    done.push("again");
  });
  await start(
    b,
    link("b", () => undefined),
  );
  await begin(a);
  await until(() => {
    expect(done).toContain("again");
    expect(done).toContain("b");
  });
  expect(done.filter((name) => name === "b")).toHaveLength(1);
});

test("CH-05 a link that is tried again is followed by the next one when it has succeeded", async () => {
  const { a, b } = chain();
  const handler = link("a", (tx, orderId) => b.enqueue(tx, { orderId }));
  await start(a, (job) => {
    if (job.attempt < 3) throw new Error("not yet");
    return handler(job);
  });
  await start(
    b,
    link("b", () => undefined),
  );
  await begin(a);
  await until(() => {
    expect(done).toEqual(["a", "b"]);
  });
});

test("CH-06, UQ-16 a link that is unique, and there already, is reported instead of cutting the chain silently", async () => {
  const { a, b } = chain();
  const { value: held } = await begin(b);
  await until(() => {
    expect(queues.waiting("b")).toHaveLength(1);
  });
  await start(
    a,
    link("a", (tx, orderId) => b.enqueue(tx, { orderId })),
  );
  await begin(a);
  await until(() => {
    expect(events).toMatchObject([{ what: "deduplicated", queue: "b", existing: held.id }]);
  });
});

test("BA-01, BA-02 a batch counts the rows of its ledger, so a job that is done twice counts once", async () => {
  const { a, b } = chain();
  const finished: number[] = [];
  const size = 3;
  const count = () =>
    db.prepare("select count(*) from aftercommit_ledger where operation_key like 'batch:7:%'").pluck();
  await start(a, async ({ payload: { orderId }, attempt }) => {
    await transactions.run((tx) =>
      ledger.once(tx, idempotencyKey("batch", 7, orderId), async () => {
        if (count().get() === size) await b.enqueue(tx, { orderId: 7 });
      }),
    );
    if (orderId === 1 && attempt === 1) throw new Error("killed");
    done.push(`${orderId} ${attempt}`);
  });
  await start(b, ({ payload: { orderId } }) => finished.push(orderId));
  await transactions.run(async (tx) => {
    for (let orderId = 1; orderId <= size; orderId += 1) await a.enqueue(tx, { orderId });
  });
  await until(() => {
    expect(done.sort()).toEqual(["1 2", "2 1", "3 1"]);
    expect(finished).toEqual([7]);
  });
});

test("BA-03 when a job of a batch has failed for good, the jobs that come after it see that, and the batch is not finished", async () => {
  const { a, b } = chain();
  const cancelled = idempotencyKey("batch", 7, "cancelled");
  const isCancelled = () =>
    db.prepare("select count(*) from aftercommit_ledger where operation_key = ?").pluck().get(cancelled) === 1;
  const handler = async ({ payload: { orderId } }: { readonly payload: Payload }) => {
    if (isCancelled()) {
      done.push(`${orderId} skipped`);
      return;
    }
    if (orderId === 1) throw new Error("no");
    await transactions.run((tx) =>
      ledger.once(tx, idempotencyKey("batch", 7, orderId), () => b.enqueue(tx, { orderId })),
    );
  };
  const onFailed = async () => {
    await transactions.run((tx) => ledger.once(tx, cancelled, () => done.push("cancelled")));
  };
  await transactions.run(async (tx) => {
    for (let orderId = 1; orderId <= 3; orderId += 1) await a.enqueue(tx, { orderId });
  });
  await until(() => {
    expect(queues.waiting("a")).toHaveLength(3);
  });
  // One after the other, in the order in which they came.
  await start(a, handler, { onFailed });
  await until(() => {
    expect(done).toEqual(["cancelled", "2 skipped", "3 skipped"]);
  });
  expect(queues.waiting("b")).toEqual([]);
});

test("BA-05 the jobs of a batch find the row of their batch, whenever they start", async () => {
  const { a } = chain();
  db.exec("create table batches (id integer primary key, size integer not null)");
  const sizes: unknown[] = [];
  await start(a, ({ payload: { orderId } }) => {
    sizes.push(db.prepare("select size from batches where id = ?").pluck().get(orderId));
  });
  await transactions.run(async (tx) => {
    for (let job = 0; job < 3; job += 1) await a.enqueue(tx, { orderId: 7 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    tx.handle.exec("insert into batches values (7, 3)");
  });
  await until(() => {
    expect(sizes).toEqual([3, 3, 3]);
  });
});

test("BA-04 a batch of a transaction that rolls back leaves nothing", async () => {
  const { a } = chain();
  const run = transactions.run(async (tx) => {
    for (let orderId = 1; orderId <= 3; orderId += 1) await a.enqueue(tx, { orderId });
    throw new Error("no");
  });
  await expect(run).rejects.toThrow("no");
  expect(db.prepare("select count(*) from aftercommit_outbox").pluck().get()).toBe(0);
});

test("DB-05, BA-06 a debounced job that is superseded starts nothing that follows it, and whoever counts is told", async () => {
  const debounced = connection.queue("debounced", {
    ...options,
    debounce: { id: ({ orderId }) => orderId, for: 0.2 },
  });
  const { b } = chain();
  await start(
    debounced,
    link("debounced", (tx, orderId) => b.enqueue(tx, { orderId })),
  );
  await start(
    b,
    link("b", () => undefined),
  );
  const [{ value: first }, { value: second }] = [await begin(debounced), await begin(debounced)];
  await until(() => {
    expect(events).toMatchObject([{ what: "superseded", id: first.id, by: second.id }]);
    expect(done).toEqual(["debounced", "b"]);
  });
  expect(definitionOf(debounced).leavesOut).toBe(true);
});

test("CH-04, MW-07 a job that is skipped starts nothing that follows it", async () => {
  const limited = connection.queue("limited", {
    ...options,
    rateLimit: { id: () => "all", limit: 1, per: 60, otherwise: "skip" },
  });
  const { b } = chain();
  await start(
    limited,
    link("limited", (tx, orderId) => b.enqueue(tx, { orderId })),
  );
  await start(
    b,
    link("b", () => undefined),
  );
  await begin(limited, 1);
  await begin(limited, 2);
  await until(() => {
    expect(events).toMatchObject([{ what: "skipped", queue: "limited", control: "rateLimit" }]);
    expect(done).toEqual(["limited", "b"]);
  });
});
