/** Jobs about rows of the business database, on real databases and BullMQ on a real Redis: what they find (F9, F21). */
import { Queue as BullQueue, Worker as BullWorker } from "bullmq";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineConnection } from "../../src/connection.js";
import { afterCommit, type Delivery } from "../../src/delivery.js";
import { idempotencyKey } from "../../src/idempotency-key.js";
import { ledgerDdl } from "../../src/ledger/ddl.js";
import { createLedger } from "../../src/ledger/ledger.js";
import { outboxDdl } from "../../src/outbox/ddl.js";
import { createOutbox } from "../../src/outbox/outbox.js";
import { createRelay } from "../../src/outbox/relay.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import type { Transaction } from "../../src/transaction.js";
import { startWorker, type FailedJob, type Job, type WorkerOptions } from "../../src/worker/worker.js";
import { subjects, type Opened } from "../databases/subjects.js";
import { statementsOf } from "../ledger/statements.js";
import type { OpenedQueues } from "../queues/subject.js";
import { bullmq } from "../queues/subjects.js";

const payload = z.object({ orderId: z.number(), points: z.number() });
type Payload = z.output<typeof payload>;

class OrderIsGone extends Error {}

describe.each(subjects.filter(({ name }) => name !== "pglite"))("$name and bullmq", (subject) => {
  describe.skipIf(!subject.available || !bullmq.available)("on their servers", () => {
    let opened: Opened;
    let queues: OpenedQueues;
    let transactions: TransactionManager;
    let stops: (() => Promise<unknown>)[];
    let failed: FailedJob<Payload>[];
    let number = 0;

    beforeAll(async () => {
      [opened, queues] = await Promise.all([subject.open(), bullmq.open()]);
      transactions = createTransactionManager(opened.database);
      const { dialect } = opened.database;
      for (const statement of [...statementsOf(outboxDdl(dialect)), ...statementsOf(ledgerDdl(dialect))]) {
        await opened.database.query(statement);
      }
      await opened.database.query("create table orders (id integer primary key, points integer not null)");
      await opened.database.query("create table granted (order_id integer not null, points integer not null)");
    });
    beforeEach(async () => {
      [stops, failed] = [[], []];
      for (const table of ["orders", "granted", "aftercommit_outbox", "aftercommit_ledger"]) {
        await opened.database.query(`delete from ${table}`);
      }
    });
    afterEach(async () => {
      for (const stop of stops) await stop();
      await vi.waitFor(() => {
        expect(opened.inUse()).toBe(0);
      });
    });
    afterAll(() => Promise.all([opened.close(), queues.close()]));

    const define = (delivery: Delivery, tries = 1) =>
      defineConnection({ queues: queues.queues, retryAfter: 30, delivery }).queue(`rows-${(number += 1).toString()}`, {
        payload,
        timeout: 10,
        tries,
        repeatSafety: { by: "ledger" },
      });
    const start = async (
      queue: ReturnType<typeof define>,
      handler: (job: Job<Payload>) => unknown,
      options: WorkerOptions<Payload> = {},
    ) => {
      const worker = await startWorker(queue, handler, { onFailed: (job) => failed.push(job), ...options });
      stops.unshift(() => worker.stop());
    };
    const insert = (tx: Transaction, id: number) => opened.on(tx.handle, `insert into orders values (${id}, 10)`);
    const found = async (id: number) =>
      (await opened.database.query(`select id from orders where id = ${id}`)).rows.length === 1;
    const until = (assert: () => unknown) => vi.waitFor(assert, { timeout: 10_000, interval: 10 });

    // SQLite has one connection here, which sees what it has not committed.
    test.skipIf(subject.port === undefined)(
      "PL-02 a job that is sent from inside the transaction does not find the new row: the hazard",
      async () => {
        const connection = { host: "127.0.0.1", port: 6379, maxRetriesPerRequest: null };
        const options = { connection, prefix: queues.prefix ?? "" };
        const early = new BullQueue<{ orderId: number }>("early", options);
        const answers: boolean[] = [];
        const worker = new BullWorker<{ orderId: number }>(
          "early",
          async ({ data }) => answers.push(await found(data.orderId)),
          options,
        );
        await transactions.run(async (tx) => {
          await insert(tx, 1);
          await early.add("early", { orderId: 1 });
          await until(() => {
            expect(answers).toHaveLength(1);
          });
        });
        await worker.close();
        await early.obliterate({ force: true });
        await early.close();
        expect(answers).toEqual([false]);
        expect(await found(1)).toBe(true);
      },
    );

    test.each(["after commit", "outbox", "outbox, sent at once"] as const)(
      "PL-03 a job that was enqueued finds the row (%s)",
      async (how) => {
        const immediate = how === "outbox, sent at once" ? { immediate: {} } : {};
        const outbox = createOutbox({ transactions, ...immediate });
        const queue = define(how === "after commit" ? afterCommit() : outbox);
        const relay = createRelay({ outbox, pollEvery: 0.02 });
        await relay.start();
        stops.push(
          () => relay.stop(),
          () => outbox.idle(),
        );
        const answers: boolean[] = [];
        await start(queue, async ({ payload: { orderId } }) => answers.push(await found(orderId)));
        for (let id = 1; id <= 5; id += 1) {
          await transactions.run(async (tx) => {
            await insert(tx, id);
            await queue.enqueue(tx, { orderId: id, points: 10 });
            await new Promise((resolve) => setTimeout(resolve, 20));
          });
        }
        await until(() => {
          expect(answers).toEqual([true, true, true, true, true]);
        });
      },
    );

    test("PL-04 a row that was deleted before its job ran: the handler says whether that has failed, at once, or is well", async () => {
      const queue = define(afterCommit(), 5);
      for (const id of [1, 2]) {
        await transactions.run(async (tx) => {
          await insert(tx, id);
          await queue.enqueue(tx, { orderId: id, points: 10 });
        });
      }
      await opened.database.query("delete from orders");
      const log: string[] = [];
      await start(
        queue,
        async ({ payload: { orderId }, attempt }) => {
          if (await found(orderId)) return;
          log.push(`order ${orderId} is gone, attempt ${attempt}`);
          if (orderId === 1) throw new OrderIsGone();
        },
        { isFinal: (error) => error instanceof OrderIsGone },
      );
      await until(async () => {
        expect(log.sort()).toEqual(["order 1 is gone, attempt 1", "order 2 is gone, attempt 1"]);
        expect(await queues.failed(queue.name)).toBe(1);
      });
      expect(failed).toMatchObject([{ payload: { orderId: 1 }, attempt: 1 }]);
    });

    test("PL-05 an amount that changes after the job was asked for is not the one that is granted", async () => {
      const queue = define(afterCommit());
      const ledger = createLedger({ transactions });
      await transactions.run(async (tx) => {
        await insert(tx, 1);
        await queue.enqueue(tx, { orderId: 1, points: 10 });
      });
      await opened.database.query("update orders set points = 99");
      await start(queue, async ({ payload: { orderId, points } }) => {
        await transactions.run((tx) =>
          ledger.once(tx, idempotencyKey("grant", orderId), () =>
            opened.on(tx.handle, `insert into granted values (${orderId}, ${points})`),
          ),
        );
      });
      await until(async () => {
        expect((await opened.database.query("select order_id, points from granted")).rows).toEqual([
          { order_id: 1, points: 10 },
        ]);
      });
    });

    test("AT-12 what a handler had begun when it threw is rolled back before the next job, and is no part of that one", async () => {
      const queue = define(afterCommit());
      await start(queue, async ({ payload: { orderId } }) => {
        await transactions.run(async (tx) => {
          await insert(tx, orderId);
          await tx.savepoint((frame) => insert(frame, orderId + 100));
          if (orderId % 2 === 1) throw new Error("no");
        });
      });
      for (let orderId = 1; orderId <= 6; orderId += 1) {
        await transactions.run((tx) => queue.enqueue(tx, { orderId, points: 0 }));
      }
      await until(async () => {
        const { rows } = await opened.database.query<{ id: number }>("select id from orders order by id");
        expect(rows.map(({ id }) => id)).toEqual([2, 4, 6, 102, 104, 106]);
        expect(failed.map((job) => job.payload?.orderId).sort()).toEqual([1, 3, 5]);
      });
    });
  });
});
