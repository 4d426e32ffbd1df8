/** Controls on real queues: `unique` by BullMQ and pg-boss themselves, the others by locks in Redis. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Queue as BullQueue } from "bullmq";
import { defineConnection } from "../../src/connection.js";
import type { ControlEvent } from "../../src/controls/control-events.js";
import type { ControlOptions } from "../../src/controls/control-options.js";
import { afterCommit, sameTransaction, type Delivery } from "../../src/delivery.js";
import { ConfigurationError } from "../../src/errors.js";
import { newJobId } from "../../src/job-id.js";
import { outboxDdl } from "../../src/outbox/ddl.js";
import { createOutbox } from "../../src/outbox/outbox.js";
import { createRelay } from "../../src/outbox/relay.js";
import { pgBossQueues } from "../../src/queues/pg-boss.js";
import type { Queues } from "../../src/queues/queues.js";
import { definitionOf, type Queue } from "../../src/queue.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { startWorker, type Job, type Worker } from "../../src/worker/worker.js";
import { subjects as databases, type Opened } from "../databases/subjects.js";
import { statementsOf } from "../ledger/statements.js";
import { ioredis, type OpenedLocks } from "../locks/subjects.js";
import { bullmq, openBoss } from "../queues/subjects.js";
import { payloadSchema, type Payload } from "./setting.js";

const postgres = databases.find(({ name }) => name === "pg");
const available = ioredis.available && postgres?.available === true;
const sleep = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000));
const until = (assert: () => unknown, seconds = 10) => vi.waitFor(assert, { timeout: seconds * 1000, interval: 10 });

interface OpenedQueue {
  readonly queues: Queues;
  /** Another adapter for the same queues. */
  again(): Queues;
  remove(name: string, id: string): Promise<unknown>;
  close(): Promise<unknown>;
}

const openers: readonly (readonly [string, () => Promise<OpenedQueue>])[] = [
  [
    "bullmq",
    async () => {
      const opened = await bullmq.open();
      const connection = { host: "127.0.0.1", port: 6379 };
      return {
        queues: opened.queues,
        again: () => opened.queues,
        async remove(name, id) {
          const own = new BullQueue(name, { connection, prefix: opened.prefix ?? "" });
          await own.remove(id);
          await own.close();
        },
        close: () => opened.close(),
      };
    },
  ],
  [
    "pg-boss",
    async () => {
      const { boss, schema, close } = await openBoss();
      const again = () => pgBossQueues({ boss, schema, pollingInterval: 0.05 });
      const queues = again();
      return {
        queues,
        again,
        remove: (name, id) => boss.deleteJob(name, id),
        close: async () => {
          await queues.close();
          await close();
        },
      };
    },
  ],
];

describe.each(openers)("%s", (library, open) => {
  describe.skipIf(!available)("on its server", () => {
    let opened: OpenedQueue;
    let locks: OpenedLocks;
    let database: Opened;
    let transactions: TransactionManager;
    let events: ControlEvent[];
    let workers: Worker[];
    let number = 0;

    beforeAll(async () => {
      if (postgres === undefined) throw new Error("no subject");
      [opened, locks, database] = await Promise.all([open(), ioredis.open(), postgres.open()]);
      transactions = createTransactionManager(database.database);
      for (const statement of statementsOf(outboxDdl("postgres"))) await database.database.query(statement);
    });
    beforeEach(() => {
      [events, workers] = [[], []];
    });
    afterEach(() => Promise.all(workers.map((worker) => worker.stop())));
    afterAll(() => Promise.all([opened.close(), locks.close(), database.close()]));

    const define = (
      controls: ControlOptions<Payload>,
      delivery: Delivery = afterCommit(),
      {
        name = `index-${(number += 1).toString()}`,
        ...others
      }: { name?: string; tries?: number; backoff?: number } = {},
    ): Queue<Payload, Payload> =>
      defineConnection({
        queues: opened.queues,
        retryAfter: 30,
        locks: locks.store,
        onControl: (event) => events.push(event),
      }).queue(name, {
        payload: payloadSchema,
        timeout: 20,
        repeatSafety: { by: "overwrite" },
        delivery,
        ...others,
        ...(controls as object),
      });
    const work = async (queue: Queue<never, Payload>, handler: (job: Job<Payload>) => unknown, concurrency = 1) => {
      workers.push(await startWorker(queue, handler, { concurrency }));
    };
    const dispatch = async (queue: Queue<Payload>, payload: Payload) =>
      queue.dispatch(await transactions.run(() => payload));

    const unique = { id: ({ product }: Payload) => product, for: 60 };
    const desk = { product: "desk" };

    test("UQ-01, UQ-02, UQ-12 of two like it one is sent, and the receipt names the job that is there", async () => {
      const queue = define({ unique });
      const { value } = await transactions.run(async (tx) => [
        await queue.enqueue(tx, { product: "desk", n: 1 }),
        await queue.enqueue(tx, { product: "chair" }),
        await queue.enqueue(tx, { product: "desk", n: 2 }),
      ]);
      const [first, , third] = value;
      expect(value.map(({ outcome }) => outcome)).toEqual(["enqueued", "enqueued", "deduplicated"]);
      expect(third?.existing).toBe(first?.id);
      expect(await dispatch(queue, desk)).toMatchObject({ outcome: "deduplicated", existing: first?.id });
      expect(events).toMatchObject([
        { what: "deduplicated", queue: queue.name, id: third?.id, existing: first?.id },
        { what: "deduplicated", queue: queue.name, existing: first?.id },
      ]);
      const ran: (number | undefined)[] = [];
      await work(queue, ({ payload }) => ran.push(payload.n));
      await until(() => {
        expect(ran).toHaveLength(2);
      });
      await until(async () => {
        expect((await dispatch(queue, desk)).outcome).toBe("enqueued");
      });
    });

    test.each([
      ["processed", "deduplicated"],
      ["processing", "enqueued"],
    ] as const)(
      "UQ-03, UQ-04, UP-01, UP-02 unique until %s: what is asked for while it runs is %s",
      async (mode, outcome) => {
        const queue = define({ unique: { ...unique, until: mode } }, afterCommit(), { tries: 2, backoff: 3 });
        let end: () => void = () => undefined;
        const ended = new Promise<void>((resolve) => (end = resolve));
        const ran: string[] = [];
        await work(queue, async ({ payload: { n = 0 }, attempt }) => {
          ran.push(`${n} ${attempt}`);
          if (n !== 1 || attempt > 1) return;
          await ended;
          throw new Error("no");
        });
        await dispatch(queue, { product: "desk", n: 1 });
        await until(() => {
          expect(ran).toEqual(["1 1"]);
        });
        expect((await dispatch(queue, { product: "desk", n: 2 })).outcome).toBe(outcome);
        expect((await dispatch(queue, { product: "desk", n: 3 })).outcome).toBe("deduplicated");
        end();
        if (mode === "processed") {
          await sleep(0.5);
          expect((await dispatch(queue, { product: "desk", n: 4 })).outcome).toBe("deduplicated");
        }
        await until(() => {
          expect(ran).toContain("1 2");
        });
        expect(ran).toHaveLength(mode === "processed" ? 2 : 3);
      },
    );

    test("UQ-05 after the last try has failed the id is free", async () => {
      const queue = define({ unique });
      await work(queue, () => {
        throw new Error("no");
      });
      await dispatch(queue, desk);
      await until(async () => {
        expect((await dispatch(queue, desk)).outcome).toBe("enqueued");
      });
    });

    test.each(["processed", "processing"] as const)("a job that is deleted frees its id (until %s)", async (mode) => {
      const queue = define({ unique: { ...unique, until: mode } });
      const first = await dispatch(queue, desk);
      expect((await dispatch(queue, desk)).outcome).toBe("deduplicated");
      await opened.remove(queue.name, first.id);
      expect((await dispatch(queue, desk)).outcome).toBe("enqueued");
    });

    test("UQ-10, UQ-11 a rollback has locked nothing", async () => {
      const queue = define({ unique });
      const run = transactions.run(async (tx) => {
        await queue.enqueue(tx, desk);
        throw new Error("no");
      });
      await expect(run).rejects.toThrow("no");
      expect((await dispatch(queue, desk)).outcome).toBe("enqueued");
    });

    test("a message that is sent once more is no duplicate of itself", async () => {
      const queue = define({ unique });
      const definition = definitionOf(queue);
      const id = newJobId();
      const message = { id, payload: JSON.stringify(desk), occurredAt: new Date() };
      await definition.send([message]);
      await definition.send([{ ...message }]);
      expect(events).toEqual([]);
      expect(definition.policy.uniqueUntil).toBe("processed");
      expect(await dispatch(queue, desk)).toMatchObject({ outcome: "deduplicated", existing: id });
    });

    test("behind an outbox the relay decides, and tells", async () => {
      const outbox = createOutbox({ transactions });
      const queue = define({ unique }, outbox);
      const relay = createRelay({ outbox, pollEvery: 0.02 });
      const { value } = await transactions.run(async (tx) => [
        await queue.enqueue(tx, { product: "desk", n: 1 }),
        await queue.enqueue(tx, { product: "desk", n: 2 }),
      ]);
      expect(value.map(({ outcome }) => outcome)).toEqual(["staged", "staged"]);
      await relay.start();
      await until(() => {
        expect(events).toMatchObject([{ what: "deduplicated", id: value[1]?.id, existing: value[0]?.id }]);
      });
      // A relay that stops has marked what it sent.
      await relay.stop();
      expect(await outbox.list({ state: "waiting", queue: queue.name })).toEqual([]);
    });

    test.each(["processed", "processing"] as const)(
      "UQ-01, UP-02 with a lock in Redis instead of the queue's own, of many at once one is sent (until %s)",
      async (mode) => {
        const queues: Queues = { ...opened.queues };
        delete queues.sendUnique;
        const connection = defineConnection({ queues, retryAfter: 30, locks: locks.store, delivery: afterCommit() });
        const queue = connection.queue(`locked-${(number += 1).toString()}`, {
          payload: payloadSchema,
          timeout: 20,
          repeatSafety: { by: "overwrite" },
          unique: { ...unique, until: mode },
        });
        const atOnce = () =>
          Promise.all(Array.from({ length: 20 }, (_one, n) => dispatch(queue, { product: "desk", n })));
        const receipts = await atOnce();
        const [sent, ...others] = receipts.sort((a, b) => b.outcome.localeCompare(a.outcome));
        expect(sent?.outcome).toBe("enqueued");
        expect(others.map(({ outcome, existing }) => [outcome, existing])).toEqual(
          others.map(() => ["deduplicated", sent?.id]),
        );
        let starts = 0;
        let end: () => void = () => undefined;
        const ended = new Promise<void>((resolve) => (end = resolve));
        await work(queue, async () => {
          starts += 1;
          await ended;
        });
        await until(() => {
          expect(starts).toBe(1);
        });
        const outcomes = (await atOnce()).filter(({ outcome }) => outcome === "enqueued");
        expect(outcomes).toHaveLength(mode === "processing" ? 1 : 0);
        end();
        await until(async () => {
          expect((await dispatch(queue, desk)).outcome).toBe("enqueued");
        });
      },
    );

    test("DB-02, DB-04 debounced by locks in Redis, the last of a burst runs", async () => {
      const queue = define({ debounce: { id: ({ product }) => product, for: 1 } });
      const ran: (number | undefined)[] = [];
      await work(queue, ({ payload }) => ran.push(payload.n));
      for (let n = 1; n <= 5; n += 1) await dispatch(queue, { product: "desk", n });
      await until(() => {
        expect(events.filter(({ what }) => what === "superseded")).toHaveLength(4);
        expect(ran).toEqual([5]);
      });
    });

    test("WO-01, WO-04 without overlapping, put off without a try, both run and never at once", async () => {
      const queue = define({ withoutOverlapping: { id: ({ product }) => product, for: 25, otherwise: 0.3 } });
      let [running, most, done] = [0, 0, 0];
      const attempts: number[] = [];
      await work(
        queue,
        async ({ attempt }) => {
          attempts.push(attempt);
          running += 1;
          most = Math.max(most, running);
          await sleep(0.8);
          running -= 1;
          done += 1;
        },
        2,
      );
      await dispatch(queue, { product: "desk", n: 1 });
      await dispatch(queue, { product: "desk", n: 2 });
      await until(() => {
        expect(done).toBe(2);
      }, 15);
      expect([most, attempts]).toEqual([1, [1, 1]]);
      expect(events.length).toBeGreaterThan(0);
      expect(new Set(events.map(({ what }) => what))).toEqual(new Set(["postponed"]));
    });

    test("MW-01 no more than allowed start in the time", async () => {
      const queue = define({ rateLimit: { id: () => "all", limit: 2, per: 2 } });
      const starts: number[] = [];
      await work(queue, () => starts.push(Date.now()), 4);
      for (let n = 0; n < 4; n += 1) await dispatch(queue, { product: "desk", n });
      await until(() => {
        expect(starts).toHaveLength(4);
      }, 15);
      expect((starts[2] ?? 0) - (starts[0] ?? 0)).toBeGreaterThan(1500);
    });

    if (library === "pg-boss") {
      test("in the same transaction the row is the lock: it is there with the commit, and not without", async () => {
        const delivery = sameTransaction();
        const queue = define({ unique }, delivery);
        await definitionOf(queue).send([]);
        const fail = transactions.run(async (tx) => {
          await queue.enqueue(tx, desk);
          throw new Error("no");
        });
        await expect(fail).rejects.toThrow("no");
        const { value: first } = await transactions.run((tx) => queue.enqueue(tx, desk));
        const { value: second } = await transactions.run((tx) => queue.enqueue(tx, desk));
        expect(first.outcome).toBe("enqueued");
        expect(second).toMatchObject({ outcome: "deduplicated", existing: first.id });
        expect(events).toMatchObject([{ what: "deduplicated", id: second.id, existing: first.id }]);
      });

      test("what pg-boss cannot do in the transaction is refused", () => {
        expect(() => define({ debounce: { id: () => "all", for: 1 } }, sameTransaction())).toThrow(
          "cannot be debounced",
        );
      });

      test("a queue that exists with another policy is refused, in both directions", async () => {
        const [plain, only] = [define({}), define({ unique })];
        await dispatch(plain, desk);
        await dispatch(only, desk);
        // As after a restart, when nothing is known of what exists.
        const queues = opened.again();
        const connection = defineConnection({ queues, retryAfter: 30, delivery: afterCommit() });
        const options = { payload: payloadSchema, timeout: 20, repeatSafety: { by: "overwrite" } } as const;
        await expect(dispatch(connection.queue(plain.name, { ...options, unique }), desk)).rejects.toThrow(
          ConfigurationError,
        );
        await expect(dispatch(connection.queue(only.name, options), desk)).rejects.toThrow('exists with "exclusive"');
      });
    }
  });
});
