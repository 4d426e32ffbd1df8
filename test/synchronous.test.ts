/**
 * What runs at once, at the commit, or later, beside a transaction (F22). There is no synchronous queue here, on purpose: it
 * would hide in development what a worker sees in production. What comes nearest to it are listeners, effects after the
 * commit, and the queues in memory.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineConnection } from "../src/connection.js";
import { afterCommit } from "../src/delivery.js";
import { AfterCommitError } from "../src/errors.js";
import { createEvents } from "../src/events.js";
import { memoryQueues, type MemoryQueues } from "../src/queues/memory.js";
import type { Queue } from "../src/queue.js";
import { createTransactionManager, type TransactionManager } from "../src/transaction-manager.js";
import { execute } from "../src/transaction-statements.js";
import { startWorker } from "../src/worker/worker.js";
import { subjects, type Opened } from "./databases/subjects.js";

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each(subjects)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: Opened;
    let transactions: TransactionManager;
    let queues: MemoryQueues;
    let mails: Queue<{ orderId: number }, { orderId: number }>;

    beforeAll(async () => {
      opened = await subject.open();
      transactions = createTransactionManager(opened.database);
      await opened.database.query("create table orders (id integer primary key)");
    });
    beforeEach(async () => {
      await opened.database.query("delete from orders");
      queues = memoryQueues();
      mails = defineConnection({ queues, retryAfter: 90 }).queue("mails", {
        payload: z.object({ orderId: z.number() }),
        timeout: 30,
        repeatSafety: { by: "tolerated", reason: "a test" },
        delivery: afterCommit(),
      });
    });
    afterAll(() => opened.close());

    const stored = async () => {
      const { rows } = await opened.database.query<{ id: number }>("select id from orders order by id");
      return rows.map(({ id }) => id);
    };
    const waiting = () => queues.waiting("mails").map(({ payload }) => JSON.parse(payload) as unknown);

    test('SY-01 a listener "now" sees rows that are not committed, and those that are rolled back; one after the commit does not', async () => {
      const events = createEvents({ transactions });
      const confirmed = events.define<{ readonly orderId: number }>("order.confirmed");
      const seenNow: number[][] = [];
      const seenAfter: number[][] = [];
      confirmed.on(
        async (_, tx) => {
          if (tx === undefined) return;
          const { rows } = await execute<{ id: number }>(tx, "select id from orders order by id");
          seenNow.push(rows.map(({ id }) => id));
        },
        { when: "now" },
      );
      confirmed.on(async () => {
        seenAfter.push(await stored());
      });
      const confirm = (orderId: number, rollBack: boolean) =>
        transactions.run(async (tx) => {
          await execute(tx, `insert into orders values (${orderId.toString()})`);
          await confirmed.emit({ orderId }, tx);
          if (rollBack) throw new Error("no");
        });
      await errorOf(confirm(1, true));
      await confirm(2, false);
      expect(seenNow).toEqual([[1], [2]]);
      expect(seenAfter).toEqual([[2]]);
    });

    test("SY-02 what runs right after the commit and throws leaves the data committed, and the error says so", async () => {
      const error = await errorOf(
        transactions.run(async (tx) => {
          await execute(tx, "insert into orders values (1)");
          tx.afterCommit(() => {
            throw new Error("the mail server is down");
          });
          return "confirmed";
        }),
      );
      expect(error).toBeInstanceOf(AfterCommitError);
      expect(error).toMatchObject({ state: "committed", committed: { value: "confirmed" } });
      expect(await stored()).toEqual([1]);
    });

    test("SY-03 the queues in memory, as a fake, have a job only after the commit, and none of what was rolled back", async () => {
      let during: unknown;
      await transactions.run(async (tx) => {
        await mails.enqueue(tx, { orderId: 1 });
        await errorOf(
          tx.savepoint(async (nested) => {
            await mails.enqueue(nested, { orderId: 2 });
            throw new Error("no");
          }),
        );
        during = waiting();
      });
      await errorOf(
        transactions.run(async (tx) => {
          await mails.enqueue(tx, { orderId: 3 });
          throw new Error("no");
        }),
      );
      expect(during).toEqual([]);
      expect(waiting()).toEqual([{ orderId: 1 }]);
    });

    test("SY-04 work that was put off in a transaction that is rolled back does not run, also not at the next commit", async () => {
      const ran: number[] = [];
      const later = (n: number) => transactions.afterCommit(() => ran.push(n));
      await errorOf(
        transactions.run(async () => {
          await later(1);
          throw new Error("no");
        }),
      );
      await transactions.run(() => later(2));
      expect(ran).toEqual([2]);
    });

    test("SY-06 a delay counts in the queues in memory as well", async () => {
      const starts: number[] = [];
      const worker = await startWorker(mails, ({ payload: { orderId } }) => starts.push(orderId));
      await transactions.run(async (tx) => {
        await mails.enqueue(tx, { orderId: 1 }, { delay: 3600 });
        await mails.enqueue(tx, { orderId: 2 }, { delay: 0.02 });
        await mails.enqueue(tx, { orderId: 3 });
      });
      while (starts.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      await worker.stop();
      expect(starts.sort()).toEqual([2, 3]);
      expect(waiting()).toEqual([{ orderId: 1 }]);
      await queues.close();
    });
  });
});
