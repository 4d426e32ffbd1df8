/** The test kit finds handlers that are wrong, says with which interleaving, and lets right ones pass (F14, F15). */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acceptPageView, RecordPageView, type PageView } from "../../examples/reference/record-page-view.js";
import { pageViewTables } from "../../examples/reference/tables.js";
import { ConfigurationError } from "../../src/errors.js";
import { idempotencyKey } from "../../src/idempotency-key.js";
import { ledgerDdl } from "../../src/ledger/ddl.js";
import { createLedger, type Ledger } from "../../src/ledger/ledger.js";
import { redeliver, RedeliveryError } from "../../src/testing.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { execute } from "../../src/transaction-statements.js";
import type { Transaction } from "../../src/transaction.js";
import type { Job } from "../../src/worker/worker.js";
import { subjects, type Opened } from "../databases/subjects.js";
import { statementsOf } from "../ledger/statements.js";

const named = subjects.filter(({ name }) => name === "pg" || name === "better-sqlite3");

describe.each(named)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: Opened;
    let transactions: TransactionManager;
    let ledger: Ledger;
    const view = acceptPageView(new Date("2026-10-09T03:00:00Z"), "Asia/Seoul");
    const another: PageView = { ...view, eventId: randomUUID() };

    beforeAll(async () => {
      opened = await subject.open();
      transactions = createTransactionManager(opened.database);
      ledger = createLedger({ transactions });
      for (const table of [...pageViewTables, ...statementsOf(ledgerDdl(opened.database.dialect))]) {
        await opened.database.query(table);
      }
    });
    afterAll(() => opened.close());

    const reset = async () => {
      for (const table of ["processed_view_events", "daily_metrics", "aftercommit_ledger"]) {
        await opened.database.query(`delete from ${table}`);
      }
    };
    const observe = async () => ({
      events: (await opened.database.query("select event_id from processed_view_events")).rows.length,
      metrics: (await opened.database.query("select day, views from daily_metrics")).rows,
    });
    const options = { payload: view, another, reset, observe };
    const mark = () => (opened.database.dialect === "postgres" ? "$1" : "?");
    const addOne = (tx: Transaction, day: string) =>
      execute(
        tx,
        `insert into daily_metrics (day, views) values (${mark()}, 1) on conflict (day) do update set views = daily_metrics.views + 1`,
        [day],
      );
    const insertEvent = (tx: Transaction, id: string) =>
      execute(tx, `insert into processed_view_events (event_id) values (${mark()})`, [id]);
    const findEvent = (tx: Transaction, id: string) =>
      execute(tx, `select 1 from processed_view_events where event_id = ${mark()}`, [id]);

    /** What is said of a handler: the deliveries that went wrong. */
    async function wrongWith(handler: (job: Job<PageView>) => unknown): Promise<string[]> {
      const error: unknown = await redeliver(handler, options).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(RedeliveryError);
      expect((error as RedeliveryError).code).toBe("AFTERCOMMIT_NOT_REPEAT_SAFE");
      return (error as RedeliveryError).findings.map(({ delivery }) => delivery);
    }

    test("PV-01 to PV-07 the page views of the examples pass, with a stop around each statement", async () => {
      const recordPageView = new RecordPageView(transactions);
      const tried = await redeliver(({ payload }) => recordPageView.execute(payload), options);
      expect(tried).toContain("delivered twice, one after the other");
      expect(tried).toContain("asked for twice, under two job ids");
      expect(tried).toContain("stopped before the transaction begins, then delivered again");
      expect(tried.filter((name) => /^stopped before statement \d/.test(name)).length).toBeGreaterThan(1);
      expect(tried).toContain("stopped right after the commit of the transaction, then delivered again");
      expect(tried).toContain(
        "delivered twice at the same time: the first is stopped before the commit of the transaction",
      );
      expect(tried.at(-1)).toBe("followed by another operation, and both delivered again");
    });

    test("LG-01 to LG-08 a ledger passes", async () => {
      await redeliver(
        ({ payload: { eventId, day } }) =>
          transactions.run((tx) => ledger.once(tx, idempotencyKey("view", eventId), () => addOne(tx, day))),
        options,
      );
    });

    test("a handler that only adds is found by the second delivery and by the lost acknowledgement", async () => {
      const wrong = await wrongWith(({ payload }) => transactions.run((tx) => addOne(tx, payload.day)));
      expect(wrong).toContain("delivered twice, one after the other");
      expect(wrong).toContain("stopped right after the commit of the transaction, then delivered again");
      expect(wrong).not.toContain("stopped before the commit of the transaction, then delivered again");
    });

    test("PV-04, PV-05 a record in another transaction than its effect is found by the stop between them", async () => {
      const wrong = await wrongWith(async ({ payload }) => {
        const known = await transactions.run(async (tx) => {
          const { rows } = await findEvent(tx, payload.eventId);
          if (rows.length === 0) await insertEvent(tx, payload.eventId);
          return rows.length > 0;
        });
        if (!known.value) await transactions.run((tx) => addOne(tx, payload.day));
      });
      expect(wrong).not.toContain("delivered twice, one after the other");
      expect(wrong).toContain("stopped right after the commit of transaction 1, then delivered again");
      expect(wrong).toContain("stopped before transaction 2 begins, then delivered again");
    });

    test("a handler that swallows the error of its transaction loses the job", async () => {
      const wrong = await wrongWith(async ({ payload }) => {
        const run = transactions.run((tx) =>
          ledger.once(tx, idempotencyKey("view", payload.eventId), () => addOne(tx, payload.day)),
        );
        await run.catch(() => undefined);
      });
      expect(wrong).toContain("stopped before the commit of the transaction, then delivered again");
      expect(wrong).not.toContain("delivered twice, one after the other");
    });

    test("EX-04 the job's id as the key is found where the operation is asked for again", async () => {
      const wrong = await wrongWith(({ id, payload }) =>
        transactions.run(async (tx) => {
          const { rows } = await findEvent(tx, id);
          if (rows.length > 0) return;
          await insertEvent(tx, id);
          await addOne(tx, payload.day);
        }),
      );
      expect(wrong).toContain("asked for twice, under two job ids");
      expect(wrong).not.toContain("delivered twice, one after the other");
    });

    test("PV-10 an id that the handler makes is found", async () => {
      const wrong = await wrongWith(({ payload }) =>
        transactions.run(async (tx) => {
          await insertEvent(tx, randomUUID());
          await addOne(tx, payload.day);
        }),
      );
      expect(wrong).toContain("delivered twice, one after the other");
    });

    test("an operation that is taken for another one is found", async () => {
      const wrong = await wrongWith(({ payload }) =>
        transactions.run((tx) => ledger.once(tx, idempotencyKey("views", payload.day), () => addOne(tx, payload.day))),
      );
      expect(wrong).toEqual(["followed by another operation"]);
    });

    test("a handler that fails when its job comes again is found", async () => {
      const wrong = await wrongWith(({ payload }) =>
        transactions.run(async (tx) => {
          await insertEvent(tx, payload.eventId);
          await addOne(tx, payload.day);
        }),
      );
      expect(wrong).toContain("delivered twice, one after the other");
    });

    test("what is decided by chance is told from what is done twice", async () => {
      const seen = redeliver(
        ({ payload }) => transactions.run((tx) => insertEvent(tx, `${payload.day}${randomUUID().slice(0, 8)}`)),
        {
          ...options,
          observe: async () => (await opened.database.query("select event_id from processed_view_events")).rows,
        },
      );
      await expect(seen).rejects.toThrow(/delivered once, from the same start(.|\n)*by chance or by the clock/);
    });

    test.each<[string, RegExp, (job: Job<PageView>) => unknown]>([
      ["no transaction", /no transaction of a transaction manager/, () => undefined],
      ["nothing that is seen", /same before and after/, () => transactions.run(() => undefined)],
      [
        "a failure of the first run",
        /delivered once, right after `reset` \(no\)/,
        () => Promise.reject(new Error("no")),
      ],
    ])("%s is an error of the test, not of the handler", async (_name, message, handler) => {
      const run = redeliver(handler, options);
      await expect(run).rejects.toThrow(ConfigurationError);
      await expect(run).rejects.toThrow(message);
    });
  });
});

const [pg] = subjects;

describe.skipIf(pg?.available !== true)("on the handle of pg", () => {
  let opened: Opened;
  let transactions: TransactionManager;
  beforeAll(async () => {
    opened = await (pg as NonNullable<typeof pg>).open();
    transactions = createTransactionManager(opened.database);
    await opened.database.query("create table views (id text)");
    await opened.database.query("create table days (n integer)");
  });
  afterAll(() => opened.close());

  test("PV-06 looking first and inserting then is found, with the statement at which the second comes in", async () => {
    const options = {
      payload: "a",
      reset: () => opened.database.query("truncate views, days"),
      observe: async () => (await opened.database.query("select count(*)::integer as days from days")).rows,
    };
    const error: unknown = await redeliver(({ payload }) => {
      return transactions.run(async (tx) => {
        const handle = tx.handle as { query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> };
        const { rows } = await handle.query("SELECT id FROM views WHERE id = $1", [payload]);
        if (rows.length > 0) return;
        await handle.query("INSERT INTO views (id) VALUES ($1)", [payload]);
        await handle.query("INSERT INTO days (n) VALUES (1)");
      });
    }, options).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RedeliveryError);
    const { findings, message } = error as RedeliveryError;
    const held = (place: string) =>
      `delivered twice at the same time: the first waits before ${place} until the second has ended`;
    const deliveries = findings.map(({ delivery }) => delivery);
    expect(deliveries).toContain(held("statement 2 (INSERT INTO views (id) VALUES ($1))"));
    expect(deliveries).toContain(held("statement 3 (INSERT INTO days (n) VALUES (1))"));
    expect(deliveries).toContain(held("the commit of the transaction"));
    expect(deliveries).not.toContain(held("statement 1 (SELECT id FROM views WHERE id = $1)"));
    expect(findings.every(({ delivery }) => delivery.startsWith("delivered twice at the same time"))).toBe(true);
    expect(message).toContain("one clean run leaves  [ { days: 1 } ]");
    expect(message).toContain("this leaves           [ { days: 2 } ]");
  });
});
