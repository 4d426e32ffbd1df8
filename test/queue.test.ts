/** Jobs that are asked for in transactions: scenarios AC-02 to AC-13, on the queues in memory. */
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineConnection } from "../src/connection.js";
import { afterCommit, sameTransaction, type Delivery } from "../src/delivery.js";
import {
  AfterCommitError,
  ConfigurationError,
  InvalidPayloadError,
  RolledBackError,
  TooManyJobsError,
  TransactionClosedError,
} from "../src/errors.js";
import { isJobId } from "../src/job-id.js";
import { memoryQueues, type MemoryQueues } from "../src/queues/memory.js";
import type { Message, QueuePolicy } from "../src/queues/queues.js";
import { definitionOf, type EnqueueOptions, type Queue } from "../src/queue.js";
import { createTransactionManager, type TransactionManager } from "../src/transaction-manager.js";
import type { Transaction } from "../src/transaction.js";
import { fakeDatabase, type FakeDatabase, type FakeHandle } from "./transaction-manager/fake-database.js";

interface Payload {
  orderId: number;
}
const schema = z.object({ orderId: z.number() });
const sound = { payload: schema, timeout: 30, repeatSafety: { by: "ledger" } } as const;

let database: FakeDatabase;
let transactions: TransactionManager<FakeHandle>;
let queues: MemoryQueues;
let shipments: Queue<Payload, Payload>;

const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
const waiting = () => queues.waiting("shipments").map(({ payload }) => JSON.parse(payload) as unknown);

beforeEach(() => {
  database = fakeDatabase();
  transactions = createTransactionManager(database);
  queues = memoryQueues();
  shipments = defineConnection({ queues, retryAfter: 90 }).queue("shipments", { ...sound, delivery: afterCommit() });
});

describe("enqueue", () => {
  test("AC-02 the queue is empty until COMMIT, then it has the job", async () => {
    await transactions.run(async (tx) => {
      const { id } = await shipments.enqueue(tx, { orderId: 1 });
      expect(isJobId(id)).toBe(true);
      expect(waiting()).toEqual([]);
    });
    expect(waiting()).toEqual([{ orderId: 1 }]);
  });

  class Order {
    readonly id = 7;
    confirm() {
      return this.id;
    }
  }

  test.each([
    ["an entity", z.instanceof(Order), new Order()],
    ["an entity in a payload", z.object({ order: z.instanceof(Order) }), { order: new Order() }],
    ["a Date", z.object({ at: z.date() }), { at: new Date() }],
    ["a Map", z.object({ lines: z.map(z.string(), z.number()) }), { lines: new Map([["desk", 1]]) }],
    ["a function", z.object({ done: z.function() }), { done: () => undefined }],
  ])(
    "PL-01 %s is no payload: JSON cannot carry it, so it is refused before anything is staged",
    async (_, of, value) => {
      const connection = defineConnection({ queues, retryAfter: 90, delivery: afterCommit() });
      const queue: Queue<unknown> = connection.queue("entities", { ...sound, payload: of as z.ZodType });
      await transactions.run(async (tx) => {
        expect(await caught(queue.enqueue(tx, value))).toBeInstanceOf(InvalidPayloadError);
      });
      expect(queues.waiting("entities")).toEqual([]);
    },
  );

  test("AC-03, AC-04 a rollback, of the whole or of a savepoint, takes its jobs with it", async () => {
    await transactions.run(async (tx) => {
      await shipments.enqueue(tx, { orderId: 1 });
      await caught(
        tx.savepoint(async (nested) => {
          await shipments.enqueue(nested, { orderId: 2 });
          throw new Error("no");
        }),
      );
    });
    await caught(
      transactions.run(async (tx) => {
        await shipments.enqueue(tx, { orderId: 3 });
        throw new Error("no");
      }),
    );
    expect(waiting()).toEqual([{ orderId: 1 }]);
  });

  test("AC-10 the queue is down: the data is committed, the error says so, and the other effects ran", async () => {
    queues.send = () => Promise.reject(new Error("connection refused"));
    let ran = false;
    const error = await caught(
      transactions.run(async (tx) => {
        tx.handle.insert("order");
        await shipments.enqueue(tx, { orderId: 1 });
        tx.afterCommit(() => (ran = true));
      }),
    );
    expect(error).toBeInstanceOf(AfterCommitError);
    expect(database.rows).toEqual(["order"]);
    expect(ran).toBe(true);
  });

  test("AC-12 the payload is the one at the time of the call", async () => {
    await transactions.run(async (tx) => {
      const payload = { orderId: 1 };
      await shipments.enqueue(tx, payload);
      payload.orderId = 2;
    });
    expect(waiting()).toEqual([{ orderId: 1 }]);
  });

  test("AC-13 delay, order key and the instant of the operation travel with the job", async () => {
    const options = { delay: 60, orderKey: "order-1", occurredAt: new Date("2026-10-09T15:30:00Z") };
    await transactions.run((tx) => shipments.enqueue(tx, { orderId: 1 }, options));
    expect(queues.waiting("shipments")).toMatchObject([options]);
  });

  test("all jobs of a transaction for one queue are sent together", async () => {
    const sent: number[] = [];
    const send = queues.send.bind(queues);
    queues.send = (policy: QueuePolicy, messages: readonly Message[]) => {
      sent.push(messages.length);
      return send(policy, messages);
    };
    await transactions.run(async (tx) => {
      for (let orderId = 0; orderId < 100; orderId += 1) await shipments.enqueue(tx, { orderId });
    });
    expect(sent).toEqual([100]);
  });

  test("OB-12, TX-16 something else than an open transaction is refused", async () => {
    const kept: Transaction[] = [];
    await transactions.run((tx) => kept.push(tx));
    const [closed] = kept as [Transaction];
    expect(await caught(shipments.enqueue(closed, { orderId: 1 }))).toBeInstanceOf(TransactionClosedError);
    const handle = { insert: () => undefined } as unknown as Transaction;
    expect(await caught(shipments.enqueue(handle, { orderId: 1 }))).toBeInstanceOf(ConfigurationError);
    expect(waiting()).toEqual([]);
  });

  test.each([
    ["of another type", { orderId: "1" }],
    ["missing", undefined],
    ["that JSON cannot say", { orderId: 1n }],
  ])("a payload %s is refused, and nothing is staged", async (_, payload) => {
    const error = await caught(transactions.run((tx) => shipments.enqueue(tx, payload as unknown as Payload)));
    expect(error).toBeInstanceOf(InvalidPayloadError);
    expect(error).toMatchObject({ queue: "shipments", state: "nothing written" });
    expect(waiting()).toEqual([]);
  });

  test("a payload is checked as it arrives: a Date is text by then", async () => {
    const dated = defineConnection({ queues, retryAfter: 90 }).queue("dated", {
      ...sound,
      payload: z.object({ at: z.date() }),
      delivery: afterCommit(),
    });
    const error = await caught(transactions.run((tx) => dated.enqueue(tx, { at: new Date() })));
    expect(error).toMatchObject({ issues: [{ path: "at" }] });
  });
});

describe("dispatch", () => {
  test("AC-05 a committed value is sent before the call returns", async () => {
    const confirmed = await transactions.run(() => ({ id: 1 }));
    await shipments.dispatch(confirmed.map(({ id }) => ({ orderId: id })));
    expect(waiting()).toEqual([{ orderId: 1 }]);
  });

  test("AC-09 a pending value is sent after the outermost commit, and dropped by a rollback", async () => {
    const confirmAndShip = async (orderId: number) => {
      const confirmed = await transactions.run(() => ({ orderId }));
      await shipments.dispatch(confirmed);
      return confirmed;
    };
    await transactions.run(async (tx) => {
      await confirmAndShip(1);
      await caught(
        tx.savepoint(async () => {
          await confirmAndShip(2);
          throw new Error("no");
        }),
      );
      await tx.savepoint(() => confirmAndShip(3));
      expect(waiting()).toEqual([]);
    });
    expect(waiting()).toEqual([{ orderId: 1 }, { orderId: 3 }]);
  });

  test("a pending value whose transaction was rolled back is refused; one whose transaction committed is sent", async () => {
    const kept = await transactions.run(async () => await transactions.run(() => ({ orderId: 1 })));
    await shipments.dispatch(kept.value);
    expect(waiting()).toEqual([{ orderId: 1 }]);

    const lost: unknown = await transactions
      .run(async () => {
        const pending = await transactions.run(() => ({ orderId: 2 }));
        throw Object.assign(new Error("no"), { pending });
      })
      .catch((error: unknown) => (error as { pending: unknown }).pending);
    expect(await caught(shipments.dispatch(lost as never))).toBeInstanceOf(RolledBackError);
  });
});

describe("same transaction", () => {
  test("F18 the jobs are written before COMMIT, all at once, in the transaction", async () => {
    const tableQueues = {
      ...queues,
      library: "table",
      sendWithin: async (
        executor: { query: (text: string) => Promise<unknown> },
        _: QueuePolicy,
        messages: readonly Message[],
      ) => {
        await executor.query(`insert ${messages.length}`);
      },
    };
    const table = defineConnection({ queues: tableQueues, retryAfter: 90 }).queue("table", {
      ...sound,
      delivery: sameTransaction(),
    });
    await transactions.run(async (tx) => {
      await table.enqueue(tx, { orderId: 1 });
      await table.enqueue(tx, { orderId: 2 });
    });
    expect(database.sent).toEqual(["BEGIN", "insert 2", "COMMIT"]);
  });

  test("queues outside of the database refuse it when the queue is defined", () => {
    const delivery = sameTransaction() as Delivery;
    expect(() => defineConnection({ queues, retryAfter: 90 }).queue("q", { ...sound, delivery })).toThrow(
      ConfigurationError,
    );
  });
});

describe("AC-06 to AC-08 the delivery alone says when a job is sent: no use case, no option of a job does", () => {
  const early = { beforeCommit: true, afterCommit: false } as EnqueueOptions;

  test.each([undefined, early])("a rollback leaves nothing (options: %j)", async (options) => {
    const run = transactions.run(async (tx) => {
      await shipments.enqueue(tx, { orderId: 1 }, options);
      throw new Error("no");
    });
    expect(await caught(run)).toMatchObject({ message: "no" });
    expect(waiting()).toEqual([]);
  });

  test.each([undefined, early])("a commit sends, and not before (options: %j)", async (options) => {
    await transactions.run(async (tx) => {
      await shipments.enqueue(tx, { orderId: 1 }, options);
      expect(waiting()).toEqual([]);
    });
    expect(waiting()).toEqual([{ orderId: 1 }]);
  });

  test("a payload that nobody has committed is not dispatched", async () => {
    await expect(shipments.dispatch({ orderId: 1 } as never)).rejects.toThrow();
    expect(waiting()).toEqual([]);
  });
});

describe("AC-14 a transaction that asks for many jobs", () => {
  const many = (count: number) => async (tx: Transaction) => {
    for (let orderId = 0; orderId < count; orderId += 1) await shipments.enqueue(tx, { orderId });
  };

  test("is stopped at the manager's limit by an error that names it, and nothing is sent", async () => {
    const limited = createTransactionManager(database, { mostJobs: 3 });
    const error = await caught(limited.run(many(4)));
    expect(error).toBeInstanceOf(TooManyJobsError);
    expect(error).toMatchObject({ code: "AFTERCOMMIT_TOO_MANY_JOBS" });
    expect((error as Error).message).toContain("3 jobs");
    expect(waiting()).toEqual([]);
    await limited.run(many(3));
    expect(waiting()).toHaveLength(3);
  });

  test("counts those of its savepoints, begins anew with the next transaction, and is not limited by default", async () => {
    const limited = createTransactionManager(database, { mostJobs: 3 });
    const nested = limited.run(async (tx) => {
      await tx.savepoint(many(2));
      await many(2)(tx);
    });
    expect(await caught(nested)).toBeInstanceOf(TooManyJobsError);
    await limited.run(many(2));
    await transactions.run(many(1000));
    expect(waiting()).toHaveLength(1002);
  });

  test("a limit that is none is refused", () => {
    expect(() => createTransactionManager(database, { mostJobs: 0 })).toThrow(ConfigurationError);
  });
});

describe("a definition that cannot be right is refused, also without types", () => {
  const define = (changes: object) => () =>
    defineConnection({ queues, retryAfter: 90 }).queue("q", { ...sound, delivery: afterCommit(), ...changes } as never);

  test.each([
    ["LE-02 a timeout equal to the lease", { timeout: 90 }, "the timeout (90) must be below"],
    ["LE-03 a timeout above the lease", { timeout: 120 }, "the timeout (120) must be below"],
    ["LE-05 no timeout", { timeout: 0 }, "must be a number of seconds above 0"],
    ["a timeout that is text", { timeout: "30" }, "must be a number of seconds above 0"],
    ["no tries", { tries: 0 }, "`tries` must be a whole number from 1"],
    ["a negative backoff", { backoff: [1, -1] }, "`backoff` must be seconds from 0"],
    ["a lock as the answer", { repeatSafety: { by: "unique" } }, "A lock is no answer"],
    ["no answer", { repeatSafety: undefined }, "`repeatSafety` must say"],
    ["no reason", { repeatSafety: { by: "tolerated", reason: " " } }, "needs a `reason`"],
    ["DB-09 unique and debounced", { unique: { for: 1 }, debounce: { for: 1 } }, "unique or debounced, not both"],
    ["no delivery", { delivery: undefined }, "has no delivery"],
  ])("%s", (_, changes, message) => {
    expect(define(changes)).toThrow(ConfigurationError);
    expect(define(changes)).toThrow(message);
  });

  test.each([
    ["LE-01 a timeout well below the lease", { timeout: 30 }],
    ["LE-06 seconds and seconds: half a second below the lease", { timeout: 89.5 }],
  ])("%s is taken", (_, changes) => {
    expect(definitionOf(define(changes)()).policy).toMatchObject({ retryAfter: 90, ...changes });
  });

  test("a queue that no connection has made", () => {
    expect(definitionOf(shipments).policy).toMatchObject({ name: "shipments", tries: 1, backoff: [] });
    expect(() => definitionOf({ ...shipments })).toThrow(TypeError);
  });

  test("the same name twice", () => {
    const connection = defineConnection({ queues, retryAfter: 90, delivery: afterCommit() });
    connection.queue("twice", sound);
    expect(() => connection.queue("twice", sound)).toThrow("is defined twice");
  });

  test.each([0, Number.NaN, Number.POSITIVE_INFINITY])("a lease of %d seconds", (retryAfter) => {
    expect(() => defineConnection({ queues, retryAfter })).toThrow(ConfigurationError);
  });
});
