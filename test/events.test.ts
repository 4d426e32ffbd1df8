/** Events and their listeners (F3), on every database. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineConnection } from "../src/connection.js";
import { afterCommit } from "../src/delivery.js";
import { AfterCommitError, ConfigurationError, TransactionClosedError } from "../src/errors.js";
import { createEvents, ListenersFailedError, type Events, type EventOptions } from "../src/events.js";
import { memoryLocks } from "../src/locks/memory.js";
import { memoryQueues } from "../src/queues/memory.js";
import { createTransactionManager, type TransactionManager } from "../src/transaction-manager.js";
import type { Transaction } from "../src/transaction.js";
import { execute } from "../src/transaction-statements.js";
import { subjects, type Opened } from "./databases/subjects.js";

interface Confirmed {
  orderId: number;
}

const refuse = new Error("no");
const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each(subjects)("$name", (subject) => {
  const { available, name } = subject;
  describe.skipIf(!available)("events", () => {
    let opened: Opened;
    let transactions: TransactionManager;
    let events: Events;
    /** What listeners heard, and whether the order was stored for others then. */
    let heard: string[];

    beforeAll(async () => {
      opened = await subject.open();
      transactions = createTransactionManager(opened.database);
      events = createEvents({ transactions });
      await opened.database.query("create table orders (id integer not null primary key)");
    });
    beforeEach(async () => {
      heard = [];
      await opened.database.query("delete from orders");
    });
    afterAll(() => opened.close());

    const store = (tx: Transaction, id: number) => execute(tx, `insert into orders values (${id})`);
    const stored = async () => (await opened.database.query("select id from orders")).rows.length;
    const hears =
      (who: string) =>
      ({ orderId }: Confirmed, tx: Transaction | undefined) => {
        heard.push(`${who}: ${orderId}${tx === undefined ? "" : " in the transaction"}`);
      };
    const define = (options?: EventOptions) => events.define<Confirmed>("order.confirmed", options);

    test("EV-01 without a transaction listeners are called at once", async () => {
      const confirmed = define();
      confirmed.on(hears("mail"));
      confirmed.on(hears("audit"), { when: "now" });
      await confirmed.emit({ orderId: 1 });
      expect(heard).toEqual(["mail: 1", "audit: 1"]);
    });

    test("EV-02 a rollback: nobody heard of it", async () => {
      const confirmed = define();
      confirmed.on(hears("mail"));
      const run = transactions.run(async (tx) => {
        await store(tx, 1);
        await confirmed.emit({ orderId: 1 }, tx);
        throw refuse;
      });
      expect(await caught(run)).toBe(refuse);
      expect(heard).toEqual([]);
    });

    test("EV-03 a commit: listeners are called, and jobs that listeners enqueued are sent, after it", async () => {
      const queues = memoryQueues();
      const mails = defineConnection({ queues, retryAfter: 90 }).queue("mails", {
        payload: z.object({ orderId: z.int() }),
        timeout: 30,
        repeatSafety: { by: "tolerated", reason: "a test" },
        delivery: afterCommit(),
      });
      const confirmed = define();
      confirmed.on(async ({ orderId }) => {
        heard.push(`cache: ${orderId}, ${await stored()} stored, ${queues.waiting("mails").length} waiting`);
      });
      confirmed.on((event, tx) => tx && mails.enqueue(tx, event), { when: "now" });
      await transactions.run(async (tx) => {
        await store(tx, 1);
        await confirmed.emit({ orderId: 1 });
        expect(heard).toEqual([]);
        expect(queues.waiting("mails")).toEqual([]);
      });
      expect(heard).toEqual([expect.stringMatching(/^cache: 1, 1 stored/)]);
      expect(queues.waiting("mails")).toMatchObject([{ payload: '{"orderId":1}' }]);
      await queues.close();
    });

    test("EV-04 a listener may say otherwise than its event", async () => {
      const confirmed = define({ when: "now" });
      confirmed.on(hears("ledger"));
      confirmed.on(hears("mail"), { when: "commit" });
      await transactions.run(async (tx) => {
        await store(tx, 1);
        await confirmed.emit({ orderId: 1 }, tx);
        expect(heard).toEqual(["ledger: 1 in the transaction"]);
      });
      expect(heard).toEqual(["ledger: 1 in the transaction", "mail: 1"]);
    });

    test("EV-05 of a savepoint that is rolled back nobody hears, of the transaction around it they do", async () => {
      const confirmed = define();
      confirmed.on(hears("mail"));
      await transactions.run(async (tx) => {
        await caught(
          tx.savepoint(async (nested) => {
            await store(nested, 1);
            await confirmed.emit({ orderId: 1 });
            throw refuse;
          }),
        );
        await store(tx, 2);
        await confirmed.emit({ orderId: 2 }, tx);
      });
      expect(heard).toEqual(["mail: 2"]);
    });

    test("EV-06 a check refuses at once, and nobody hears of it, also when that is caught", async () => {
      const confirmed = define();
      confirmed.on(hears("ledger"), { when: "now" });
      confirmed.on(hears("mail"));
      const end = confirmed.before(({ orderId }) => {
        if (orderId === 1) throw refuse;
      });
      await transactions.run(async (tx) => {
        expect(await caught(confirmed.emit({ orderId: 1 }, tx))).toBe(refuse);
        await store(tx, 2);
        await confirmed.emit({ orderId: 2 }, tx);
      });
      expect(heard).toEqual(["ledger: 2 in the transaction", "mail: 2"]);
      end();
      await confirmed.emit({ orderId: 1 });
      expect(heard.slice(2)).toEqual(["ledger: 1", "mail: 1"]);
    });

    test("EV-06 a listener inside that throws refuses it too", async () => {
      const confirmed = define();
      confirmed.on(hears("mail"));
      confirmed.on(() => Promise.reject(refuse), { when: "now" });
      await transactions.run(async (tx) => {
        await store(tx, 1);
        expect(await caught(confirmed.emit({ orderId: 1 }, tx))).toBe(refuse);
      });
      expect(heard).toEqual([]);
    });

    test("EV-07 what is changed after the event is not heard by listeners after the commit", async () => {
      const confirmed = define();
      confirmed.on(hears("mail"));
      await transactions.run(async (tx) => {
        const event = { orderId: 1 };
        await confirmed.emit(event, tx);
        event.orderId = 2;
      });
      expect(heard).toEqual(["mail: 1"]);
    });

    test("EV-07 what cannot be copied is refused, and nobody hears of it", async () => {
      const done = events.define<{ callback: () => void }>("done");
      done.on(() => heard.push("now"), { when: "now" });
      done.on(() => heard.push("commit"));
      await transactions.run(async (tx) => {
        await expect(done.emit({ callback: () => undefined }, tx)).rejects.toThrow(ConfigurationError);
      });
      expect(heard).toEqual([]);
    });

    test("EV-08 a listener that throws after the commit keeps no other from hearing, and the error says committed", async () => {
      const confirmed = define();
      confirmed.on(() => Promise.reject(refuse));
      confirmed.on(hears("audit"));
      const error = await caught(
        transactions.run(async (tx) => {
          await store(tx, 1);
          await confirmed.emit({ orderId: 1 }, tx);
          return "result";
        }),
      );
      expect(error).toBeInstanceOf(AfterCommitError);
      expect(error).toMatchObject({ state: "committed", errors: [refuse], committed: { value: "result" } });
      expect(heard).toEqual(["audit: 1"]);
      expect(await stored()).toBe(1);
    });

    test("EV-08 the same without a transaction: all are called, and the error holds what they threw", async () => {
      const confirmed = define();
      confirmed.on(() => Promise.reject(refuse));
      confirmed.on(hears("audit"));
      const error = await caught(confirmed.emit({ orderId: 1 }));
      expect(error).toBeInstanceOf(ListenersFailedError);
      expect(error).toMatchObject({ code: "AFTERCOMMIT_LISTENERS_FAILED", errors: [refuse] });
      expect(heard).toEqual(["audit: 1"]);
    });

    test("EV-10 a rollback leaves no lock behind of a unique job that a listener enqueued", async () => {
      const queues = memoryQueues();
      const connection = defineConnection({ queues, retryAfter: 90, locks: memoryLocks(), delivery: afterCommit() });
      const mails = connection.queue("mails", {
        payload: z.object({ orderId: z.int() }),
        timeout: 30,
        repeatSafety: { by: "tolerated", reason: "a test" },
        unique: { id: ({ orderId }) => orderId, for: 3600 },
      });
      const confirmed = define({ when: "now" });
      confirmed.on((event, tx) => tx && mails.enqueue(tx, event));
      const emit = (fails: boolean) =>
        transactions.run(async (tx) => {
          await confirmed.emit({ orderId: 1 }, tx);
          if (fails) throw refuse;
        });
      expect(await caught(emit(true))).toBe(refuse);
      await emit(false);
      expect(queues.waiting("mails")).toHaveLength(1);
      await queues.close();
    });

    test("a listener that is taken off hears nothing more, and a transaction that has ended takes no event", async () => {
      const confirmed = define();
      const off = confirmed.on(hears("mail"));
      let ended: Transaction | undefined;
      await transactions.run((tx) => {
        ended = tx;
      });
      await expect(confirmed.emit({ orderId: 1 }, ended)).rejects.toThrow(TransactionClosedError);
      off();
      await confirmed.emit({ orderId: 2 });
      expect(heard).toEqual([]);
    });

    const locksRows = name === "pg" || name === "mysql2";
    test.skipIf(!locksRows)(
      "EV-09 while a listener inside takes its time, rows stay locked; while one after the commit does, they do not",
      async () => {
        await opened.database.query("insert into orders values (1)");
        const confirmed = define();
        const isLocked = async () => {
          const other = await opened.database.begin();
          const error = await caught(other.query("select id from orders where id = 1 for update nowait"));
          await other.rollback();
          other.release(false);
          return error !== undefined;
        };
        const locked: boolean[] = [];
        confirmed.on(async () => locked.push(await isLocked()), { when: "now" });
        confirmed.on(async () => locked.push(await isLocked()), { when: "commit" });
        await transactions.run(async (tx) => {
          await execute(tx, "update orders set id = 2 where id = 1");
          await execute(tx, "update orders set id = 1 where id = 2");
          await confirmed.emit({ orderId: 1 }, tx);
        });
        expect(locked).toEqual([true, false]);
      },
    );
  });
});
