/** What is written, and when, on real databases (F16). */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { betterSqlite3Database } from "../../src/databases/better-sqlite3.js";
import BetterSqlite3 from "better-sqlite3";
import { z } from "zod";
import { defineConnection } from "../../src/connection.js";
import { ConfigurationError, InvalidPayloadError } from "../../src/errors.js";
import { idempotencyKey } from "../../src/idempotency-key.js";
import { newJobId } from "../../src/job-id.js";
import { ledgerDdl } from "../../src/ledger/ddl.js";
import { createLedger } from "../../src/ledger/ledger.js";
import { outboxDdl } from "../../src/outbox/ddl.js";
import { createOutbox } from "../../src/outbox/outbox.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import type { Transaction } from "../../src/transaction.js";
import { driversAndMostUsed } from "../databases/subjects.js";
import { Setting } from "./setting.js";

describe.each(driversAndMostUsed)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let setting: Setting;

    beforeAll(async () => {
      setting = await Setting.open(subject);
    });
    beforeEach(() => setting.renew());
    afterEach(async () => {
      await setting.stopRelays();
      // A notification may be on its way.
      await vi.waitFor(() => {
        expect(setting.opened.inUse()).toBe(0);
      });
    });
    afterAll(() => setting.opened.close());

    const order = (tx: Transaction, id: number) => setting.opened.on(tx.handle, `insert into orders values (${id})`);

    test("OB-01 a commit leaves a waiting row; a relay sends it and marks it by the database's clock", async () => {
      await setting.transactions.run(async (tx) => {
        await order(tx, 1);
        const { id } = await setting.queue.enqueue(tx, { n: 1 }, { occurredAt: new Date("2026-10-09T15:30:00.123Z") });
        expect(typeof id).toBe("string");
      });
      expect(await setting.rows()).toEqual(["1 waiting"]);
      const [waiting] = await setting.outbox.list({ state: "waiting" });
      expect(waiting).toMatchObject({ queue: "numbers", state: "waiting", payload: '{"n":1}', attempts: 0 });
      expect(Math.abs((waiting?.createdAt.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);

      await setting.relay().start();
      await vi.waitFor(async () => {
        expect(await setting.rows()).toEqual(["1 dispatched"]);
      });
      expect(setting.sentNumbers).toEqual([1]);
      const [message] = setting.queues.memory.waiting("numbers");
      expect(message?.id).toBe(waiting?.id);
      expect(message?.occurredAt).toEqual(new Date("2026-10-09T15:30:00.123Z"));
      const [dispatched] = await setting.outbox.list({ state: "dispatched", queue: "numbers" });
      expect(Math.abs((dispatched?.dispatchedAt?.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
      expect(await setting.outbox.list({ state: "dispatched", queue: "others" })).toEqual([]);
    });

    test("OB-02 a rollback leaves no row and no message", async () => {
      const run = setting.transactions.run(async (tx) => {
        await setting.queue.enqueue(tx, { n: 1 });
        throw new Error("no");
      });
      await expect(run).rejects.toThrow("no");
      expect(await setting.rows()).toEqual([]);
    });

    test("OB-03 a savepoint that is rolled back takes its row with it", async () => {
      await setting.transactions.run(async (tx) => {
        await setting.queue.enqueue(tx, { n: 1 });
        const nested = tx.savepoint(async (inner) => {
          await setting.queue.enqueue(inner, { n: 2 });
          throw new Error("no");
        });
        await expect(nested).rejects.toThrow("no");
        await tx.savepoint((inner) => setting.queue.enqueue(inner, { n: 3 }));
      });
      expect(await setting.rows()).toEqual(["1 waiting", "3 waiting"]);
    });

    test("the rows of a transaction are written with one statement, in order, with all that they carry", async () => {
      const ids = new Map<string, number>();
      await setting.transactions.run(async (tx) => {
        for (let n = 0; n < 250; n += 1) {
          const text = { n, ...(n % 2 === 0 ? {} : { delay: n / 4 }) };
          const { id } = await setting.queue.enqueue(
            tx,
            { n },
            {
              ...(text.delay === undefined ? {} : { delay: text.delay }),
              ...(n % 3 === 0 ? { orderKey: `k'"\\${n}` } : {}),
            },
          );
          ids.set(id, n);
        }
      });
      expect(await setting.rows()).toEqual(Array.from({ length: 250 }, (_, n) => `${n} waiting`));
      await setting.relay().start();
      await vi.waitFor(() => {
        expect(setting.sentNumbers).toHaveLength(250);
      });
      for (const message of setting.queues.memory.waiting("numbers")) {
        const n = ids.get(message.id) ?? Number.NaN;
        expect(message.payload).toBe(JSON.stringify({ n }));
        expect(message.delay).toBe(n % 2 === 0 ? undefined : n / 4);
        expect(message.orderKey).toBe(n % 3 === 0 ? `k'"\\${n}` : undefined);
      }
    });

    test("OB-07, OB-08 the same request is written once, also after it was sent, when a ledger asks whether it was", async () => {
      const ledger = createLedger({ transactions: setting.transactions });
      await setting.sql(ledgerDdl(setting.database.dialect));
      const request = () =>
        setting.transactions.run((tx) =>
          ledger.once(tx, idempotencyKey("ship", 1), async () => {
            await setting.queue.enqueue(tx, { n: 1 });
          }),
        );
      expect((await request()).value).toBe(true);
      expect((await request()).value).toBe(false);
      await setting.relay().start();
      await vi.waitFor(async () => {
        expect(await setting.rows()).toEqual(["1 dispatched"]);
      });
      expect((await request()).value).toBe(false);
      await sleep(60);
      expect(setting.sentNumbers).toEqual([1]);
    });

    test("OB-12 something that is no transaction is refused", async () => {
      const { queue } = setting;
      await expect(queue.enqueue(setting.database as unknown as Transaction, { n: 1 })).rejects.toThrow(
        ConfigurationError,
      );
      const kept: Transaction[] = [];
      await setting.transactions.run((tx) => kept.push(tx));
      for (const tx of kept) await expect(queue.enqueue(tx, { n: 1 })).rejects.toThrow("had ended");
      expect(await setting.rows()).toEqual([]);
    });

    test("OB-13 a transaction of another database is refused", async () => {
      const other = createTransactionManager(betterSqlite3Database(new BetterSqlite3(":memory:")));
      await other.run(async (tx) => {
        await expect(setting.queue.enqueue(tx, { n: 1 })).rejects.toThrow("another database");
      });
      expect(await setting.rows()).toEqual([]);
    });

    test("PL-06 a payload that does not fit is refused, and nothing is written", async () => {
      const run = setting.transactions.run((tx) => setting.queue.enqueue(tx, { n: "1" } as never));
      await expect(run).rejects.toThrow(InvalidPayloadError);
      expect(await setting.rows()).toEqual([]);
    });

    test("OB-14 a row that the database refuses undoes the business change", async () => {
      const ddl = outboxDdl(setting.database.dialect, "strict_outbox");
      await setting.sql(ddl.replace(/ payload [^,]+/, (column) => `${column} check (payload <> '{"n":13}')`));
      setting.another({ table: "strict_outbox" });
      const run = setting.transactions.run(async (tx) => {
        await order(tx, 7);
        await setting.queue.enqueue(tx, { n: 13 });
      });
      await expect(run).rejects.toThrow();
      const { rows } = await setting.database.query("select id from orders where id = 7");
      expect(rows).toEqual([]);
    });

    test("a missing table is a clear error that says how to make it, and nothing is written", async () => {
      setting.another({ table: "absent_outbox" });
      const run = setting.transactions.run(async (tx) => {
        await order(tx, 8);
        await setting.queue.enqueue(tx, { n: 1 });
      });
      const error: unknown = await run.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect((error as Error).message).toMatch(/there is no such table[^]*CREATE TABLE absent_outbox/);
      const { rows } = await setting.database.query("select id from orders where id = 8");
      expect(rows).toEqual([]);
      await expect(setting.outbox.verify()).rejects.toThrow("there is no such table");
      await expect(setting.relay().start()).rejects.toThrow("there is no such table");
    });

    test("a table that is not right is refused, with everything that is wrong with it", async () => {
      const engine = setting.database.dialect === "mysql" ? " engine = MyISAM" : "";
      await setting.sql(`create table wrong_outbox (id char(36), queue varchar(20), payload text)${engine}`);
      const outbox = createOutbox({ transactions: setting.transactions, table: "wrong_outbox" });
      const error: unknown = await outbox.verify().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ConfigurationError);
      const { message } = error as Error;
      for (const part of ["no column `claim`", "unique constraint", "no index begins with"]) {
        expect(message).toContain(part);
      }
      if (engine !== "") expect(message).toContain("MyISAM");
      await setting.outbox.verify();
    });

    test("requeue and discard change what waits, was given up or dispatched, and nothing that is no id", async () => {
      await setting.enqueue(1, 2, 3);
      const [first, second] = await setting.outbox.list({ state: "waiting" });
      expect(await setting.outbox.discard([first?.id ?? newJobId(), newJobId()])).toBe(1);
      expect(await setting.rows()).toEqual(["2 waiting", "3 waiting"]);
      const relay = setting.relay();
      await relay.start();
      await vi.waitFor(async () => {
        expect(await setting.rows()).toEqual(["2 dispatched", "3 dispatched"]);
      });
      await relay.stop();
      expect(await setting.outbox.discard([second?.id ?? newJobId()])).toBe(0);
      expect(await setting.outbox.requeue([second?.id ?? newJobId()])).toBe(1);
      expect(await setting.rows()).toEqual(["2 waiting", "3 dispatched"]);
      expect(await setting.outbox.requeue([])).toBe(0);
      await expect(setting.outbox.requeue(["1' or 1=1" as never])).rejects.toThrow(ConfigurationError);
    });

    test("RT-03, RT-05 prune deletes dispatched rows in batches, and none whose job may still come again", async () => {
      await setting.enqueue(...Array.from({ length: 25 }, (_, n) => n));
      const relay = setting.relay();
      await relay.start();
      await vi.waitFor(() => {
        expect(setting.sentNumbers).toHaveLength(25);
      });
      await relay.stop();
      await setting.enqueue(100);
      const long = { postgres: "'2001-01-01 00:00:00+00'", mysql: "'2001-01-01'", sqlite: "'2001-01-01 00:00:00.000'" };
      await setting.sql(
        `update aftercommit_outbox set dispatched_at = ${long[setting.database.dialect]} ` +
          `where dispatched_at is not null and payload <> '{"n":24}'`,
      );
      // tries × lease + waits + a margin for clocks = 3 × 90 + 70 + 300
      await expect(setting.outbox.prune({ olderThan: 639 })).rejects.toThrow(/at least 640 s.*"numbers"/);
      expect(await setting.outbox.prune({ olderThan: 640, batchSize: 10 })).toBe(24);
      expect(await setting.rows()).toEqual(["24 dispatched", "100 waiting"]);
    });

    test("two queues of one name cannot share an outbox", () => {
      expect(() => {
        const other = defineConnection({ queues: setting.queues, retryAfter: 2, delivery: setting.outbox });
        other.queue("numbers", { payload: z.object({}), timeout: 1, repeatSafety: { by: "overwrite" } });
      }).toThrow(ConfigurationError);
    });
  });
});

test.each(["", "a b", "x; drop table y", "Ä", "a.b.c"])("%j is refused as a table's name", (table) => {
  const transactions = createTransactionManager(betterSqlite3Database(new BetterSqlite3(":memory:")));
  expect(() => createOutbox({ transactions, table })).toThrow(ConfigurationError);
});
