/** A job that is a row of the business transaction: queues in the same database (F18). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineConnection } from "../../src/connection.js";
import { sameTransaction } from "../../src/delivery.js";
import { createLedger, type Ledger } from "../../src/ledger/ledger.js";
import { ledgerDdl } from "../../src/ledger/ddl.js";
import { idempotencyKey } from "../../src/idempotency-key.js";
import { newJobId } from "../../src/job-id.js";
import { definitionOf, type Queue } from "../../src/queue.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import type { Transaction } from "../../src/transaction.js";
import { startWorker, type Worker } from "../../src/worker/worker.js";
import { subjects, type Opened } from "../databases/subjects.js";
import { statementsOf } from "../ledger/statements.js";
import { transactionalSubjects } from "./subjects.js";

const postgres = subjects.find(({ name }) => name === "pg");

describe.skipIf(postgres?.available !== true).each(transactionalSubjects)(
  "$name in the business database",
  (subject) => {
    let opened: Opened;
    let queues: Awaited<ReturnType<typeof subject.open>>;
    let transactions: TransactionManager;
    let ledger: Ledger;
    let queue: Queue<{ orderId: number }, { orderId: number }>;
    let connection: ReturnType<typeof connect>;
    let workers: Worker[];
    let number = 0;

    const connect = () =>
      defineConnection({
        queues: queues.queues,
        retryAfter: 30,
        delivery: sameTransaction(),
      });

    beforeAll(async () => {
      if (postgres === undefined) throw new Error("no subject");
      [opened, queues] = await Promise.all([postgres.open(), subject.open()]);
      transactions = createTransactionManager(opened.database);
      ledger = createLedger({ transactions });
      connection = connect();
      for (const statement of statementsOf(ledgerDdl("postgres"))) await opened.database.query(statement);
      await opened.database.query("create table orders (id integer primary key, done integer not null default 0)");
    });
    beforeEach(async () => {
      workers = [];
      queue = connection.queue(`orders-${(number += 1).toString()}`, {
        payload: z.object({ orderId: z.number() }),
        timeout: 10,
        tries: 3,
        repeatSafety: { by: "ledger" },
      });
      await opened.database.query("delete from orders");
      await opened.database.query("delete from aftercommit_ledger");
    });
    afterEach(() => Promise.all(workers.map((worker) => worker.stop())));
    afterAll(async () => {
      await connection.queues.close();
      await Promise.all([opened.close(), queues.close()]);
    });

    const insert = (tx: Transaction, id: number) => opened.on(tx.handle, `insert into orders values (${id})`);
    const stored = () => queues.stored(queue.name);
    const work = async (handle: (orderId: number) => unknown) => {
      workers.push(await startWorker(queue, ({ payload }) => handle(payload.orderId)));
    };

    test("DQ-01 a worker that polls gets the job after the commit, not before", async () => {
      const taken: number[] = [];
      await work((orderId) => taken.push(orderId));
      const committed = await transactions.run(async (tx) => {
        await insert(tx, 1);
        await queue.enqueue(tx, { orderId: 1 });
        await new Promise((resolve) => setTimeout(resolve, 300));
        expect(taken).toEqual([]);
      });
      expect(committed.value).toBeUndefined();
      await vi.waitFor(() => {
        expect(taken).toEqual([1]);
      });
    });

    test("DQ-02 a rollback leaves no row", async () => {
      const run = transactions.run(async (tx) => {
        await queue.enqueue(tx, { orderId: 1 });
        throw new Error("no");
      });
      await expect(run).rejects.toThrow("no");
      expect(await stored()).toEqual([]);
    });

    test("DQ-03 after the commit the row is there, whatever becomes of the process", async () => {
      let id: string | undefined;
      await transactions.run(async (tx) => {
        ({ id } = await queue.enqueue(tx, { orderId: 1 }));
      });
      expect(await stored()).toEqual([{ id, orderId: 1 }]);
    });

    test("DQ-05 what the library writes on a connection of its own survives the rollback; what is enqueued does not", async () => {
      const run = transactions.run(async (tx) => {
        // Waits for no commit, although it stands between BEGIN and the end.
        await queues.queues.send(definitionOf(queue).policy, [
          { id: newJobId(), payload: '{"orderId":1}', occurredAt: new Date() },
        ]);
        await queue.enqueue(tx, { orderId: 2 });
        throw new Error("no");
      });
      await expect(run).rejects.toThrow("no");
      expect((await stored()).map(({ orderId }) => orderId)).toEqual([1]);
    });

    test.skipIf(subject.name === "graphile-worker")(
      "DQ-06 a unique job of a transaction that is rolled back keeps nobody out",
      async () => {
        const unique = connection.queue(`unique-${(number += 1).toString()}`, {
          payload: z.object({ orderId: z.number() }),
          timeout: 10,
          repeatSafety: { by: "ledger" },
          unique: { id: ({ orderId }) => orderId, for: 60 },
        });
        const run = transactions.run(async (tx) => {
          await unique.enqueue(tx, { orderId: 1 });
          throw new Error("no");
        });
        await expect(run).rejects.toThrow("no");
        const ask = () => transactions.run((tx) => unique.enqueue(tx, { orderId: 1 }));
        const { value: first } = await ask();
        const { value: second } = await ask();
        expect(first.outcome).toBe("enqueued");
        expect(second).toMatchObject({ outcome: "deduplicated", existing: first.id });
        expect(await queues.stored(unique.name)).toEqual([{ id: first.id, orderId: 1 }]);
      },
    );

    test("DQ-07 a savepoint that is rolled back takes only its own jobs with it", async () => {
      await transactions.run(async (tx) => {
        await queue.enqueue(tx, { orderId: 1 });
        await tx
          .savepoint(async (nested) => {
            await queue.enqueue(nested, { orderId: 2 });
            throw new Error("no");
          })
          .catch(() => undefined);
        await queue.enqueue(tx, { orderId: 3 });
      });
      expect((await stored()).map(({ orderId }) => orderId).sort()).toEqual([1, 3]);
    });

    test("a queue that is refused rolls the business change back", async () => {
      const wrong = connection.queue(subject.refusedName, {
        payload: z.object({}),
        timeout: 10,
        repeatSafety: { by: "tolerated", reason: "a test" },
      });
      const run = transactions.run(async (tx) => {
        await insert(tx, 1);
        await wrong.enqueue(tx, {});
      });
      await expect(run).rejects.toThrow();
      expect((await opened.database.query("select from orders")).rows).toEqual([]);
    });

    test("LG-16, LE-12 a worker that dies between the commit and the acknowledgement does the effect once", async () => {
      let runs = 0;
      await transactions.run(async (tx) => {
        await insert(tx, 1);
        await queue.enqueue(tx, { orderId: 1 });
      });
      const firsts: boolean[] = [];
      await work(async (orderId) => {
        runs += 1;
        const { value } = await transactions.run((tx) =>
          ledger.once(tx, idempotencyKey("done", orderId), () =>
            opened.on(tx.handle, `update orders set done = done + 1 where id = ${orderId}`),
          ),
        );
        firsts.push(value);
        // As if the process had died here, for all that the queue knows.
        if (runs === 1) throw new Error("after the commit");
      });
      await vi.waitFor(() => {
        expect(firsts).toEqual([true, false]);
      });
      expect((await opened.database.query("select done from orders")).rows).toEqual([{ done: 1 }]);
    });

    test("LE-09 a handler that outlasts its time in a transaction has done nothing; the next run does the effect once", async () => {
      const slow = connection.queue("slow", {
        payload: z.object({ orderId: z.number() }),
        timeout: 0.5,
        tries: 2,
        repeatSafety: { by: "ledger" },
      });
      await transactions.run(async (tx) => {
        await insert(tx, 1);
        await slow.enqueue(tx, { orderId: 1 });
      });
      const ends: unknown[] = [];
      const worker = await startWorker(
        slow,
        async ({ attempt, payload: { orderId } }) => {
          const run = transactions.run((tx) =>
            ledger.once(tx, idempotencyKey("slow", orderId), async () => {
              await opened.on(tx.handle, `update orders set done = done + 1 where id = ${orderId}`);
              // Deaf to the signal, and longer than the timeout and the grace.
              if (attempt === 1) await new Promise((resolve) => setTimeout(resolve, 800));
            }),
          );
          ends.push(
            await run.then(
              ({ value }) => `run ${attempt}: ${value ? "first" : "done before"}`,
              (error: unknown) => (error as { code: string }).code,
            ),
          );
        },
        { grace: 0.1, onError: () => undefined },
      );
      workers.push(worker);
      await vi.waitFor(
        () => {
          expect(ends).toHaveLength(2);
        },
        { timeout: 5000 },
      );
      // The second waited for the record of the first, and then took its place.
      expect(ends).toEqual(["AFTERCOMMIT_JOB_TIMEOUT", "run 2: first"]);
      expect((await opened.database.query("select done from orders")).rows).toEqual([{ done: 1 }]);
    });
  },
);
