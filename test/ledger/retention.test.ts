/** Records live longer than the longest path by which a duplicate can arrive (F20). */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineConnection } from "../../src/connection.js";
import { afterCommit } from "../../src/delivery.js";
import { ConfigurationError } from "../../src/errors.js";
import { idempotencyKey } from "../../src/idempotency-key.js";
import { newJobId } from "../../src/job-id.js";
import { ledgerDdl } from "../../src/ledger/ddl.js";
import { OperationTooOldError } from "../../src/ledger/ledger-errors.js";
import { createLedger, type LedgerOptions } from "../../src/ledger/ledger.js";
import { longestRedelivery } from "../../src/ledger/retention.js";
import { memoryQueues } from "../../src/queues/memory.js";
import { definitionOf } from "../../src/queue.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { execute } from "../../src/transaction-statements.js";
import { startWorker } from "../../src/worker/worker.js";
import { driversAndMostUsed, type Opened } from "../databases/subjects.js";
import { statementsOf } from "./statements.js";

const day = 86_400;

const connection = defineConnection({ queues: memoryQueues(), retryAfter: 100, delivery: afterCommit() });
const define = (name: string, tries: number, backoff: readonly number[]) =>
  connection.queue(name, { payload: z.object({}), timeout: 30, tries, backoff, repeatSafety: { by: "ledger" } });
/** 5 × 100 + 10 + 60 + 300 + 300. */
const points = define("points", 5, [10, 60, 300]);
const mails = define("mails", 1, []);

test.each([
  [{ tries: 1, backoff: [] }, 100],
  [{ tries: 3, backoff: [] }, 300],
  [{ tries: 3, backoff: [5] }, 310],
  [{ tries: 5, backoff: [10, 60, 300] }, 1170],
  [{ tries: 2, backoff: [10, 60, 300] }, 210],
])("a queue with %j and leases of 100 s delivers a job for %i s", (policy, seconds) => {
  expect(longestRedelivery({ name: "q", timeout: 30, retryAfter: 100, ...policy })).toBe(seconds);
});

describe.each(driversAndMostUsed)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: Opened;
    let transactions: TransactionManager;

    beforeAll(async () => {
      opened = await subject.open();
      transactions = createTransactionManager(opened.database);
      for (const statement of statementsOf(ledgerDdl(opened.database.dialect))) await opened.database.query(statement);
    });
    beforeEach(async () => {
      await opened.database.query("delete from aftercommit_ledger");
    });
    afterAll(() => opened.close());

    const key = (order: number) => idempotencyKey("points", order);
    const daysAgo = (days: number) => new Date(Date.now() - days * day * 1000);
    const keys = async () => {
      const { rows } = await opened.database.query<{ operation_key: string }>(
        "select operation_key from aftercommit_ledger order by operation_key",
      );
      return rows.map(({ operation_key }) => operation_key);
    };
    /** Makes a record as old as if it had been written then. */
    const age = async (order: number, days: number) => {
      const { dialect } = opened.database;
      const past = {
        postgres: `clock_timestamp() - interval '${days.toString()} days'`,
        mysql: `utc_timestamp(6) - interval ${days.toString()} day`,
        sqlite: `unixepoch('subsec') - ${(days * day).toString()}`,
      }[dialect];
      await opened.database.query(
        `update aftercommit_ledger set recorded_at = ${past} where operation_key = '${key(order)}'`,
      );
    };

    test("RT-01, RT-02 a duplicate within the window is stopped; after it, it is refused and never done again", async () => {
      const ledger = createLedger({ transactions, retention: 30 * day });
      let effects = 0;
      const use = (occurredAt: Date) =>
        transactions.run((tx) => ledger.once(tx, key(1), () => (effects += 1), { occurredAt }));
      const occurredAt = daysAgo(29);
      expect((await use(occurredAt)).value).toBe(true);
      expect((await use(occurredAt)).value).toBe(false);
      await age(1, 32);
      expect(await ledger.prune({ queues: [points], resentWithin: day })).toBe(1);
      const error: unknown = await use(daysAgo(31)).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(OperationTooOldError);
      expect(effects).toBe(1);
      expect(await keys()).toEqual([]);
    });

    describe("RT-04 a failed job that is run again after the retention", () => {
      const occurredAt = daysAgo(31);
      const later = async (onExpired: LedgerOptions<unknown>["onExpired"]) => {
        const ledger = createLedger({ transactions, retention: 30 * day, ...(onExpired && { onExpired }) });
        let effects = 0;
        const own = memoryQueues();
        const queue = defineConnection({ queues: own, retryAfter: 100 }).queue("rerun", {
          payload: z.object({ order: z.number() }),
          timeout: 30,
          tries: 5,
          repeatSafety: { by: "ledger" },
          delivery: afterCommit(),
        });
        const failed: unknown[] = [];
        const results: boolean[] = [];
        const handle = async ({
          payload: { order },
          occurredAt: at,
        }: {
          payload: { order: number };
          occurredAt: Date;
        }) => {
          const { value } = await transactions.run((tx) =>
            ledger.once(tx, key(order), () => (effects += 1), { occurredAt: at }),
          );
          results.push(value);
        };
        const worker = await startWorker(queue, handle, {
          onFailed: ({ error, attempt }) => failed.push({ error: (error as Error).constructor, attempt }),
        });
        await own.send(definitionOf(queue).policy, [{ id: newJobId(), payload: '{"order":1}', occurredAt }]);
        await vi.waitFor(() => {
          expect(failed.length + results.length).toBe(1);
        });
        await worker.stop();
        return { effects, failed, results };
      };

      test("is refused and given up at its first start: no further try would change it", async () => {
        expect(await later(undefined)).toEqual({
          effects: 0,
          failed: [{ error: OperationTooOldError, attempt: 1 }],
          results: [],
        });
        expect(await later(() => Promise.resolve("refuse"))).toMatchObject({ effects: 0, failed: [{ attempt: 1 }] });
      });

      test("is skipped, with a note in the same transaction for whoever is to look at it", async () => {
        await opened.database.query("create table late (operation_key varchar(255))");
        const skip: LedgerOptions<unknown>["onExpired"] = async ({ tx, key: which }) => {
          const { rows } = await execute<{ one: number }>(tx, "select 1 as one");
          expect(rows).toHaveLength(1);
          await execute(tx, `insert into late values ('${which}')`);
          return "skip";
        };
        expect(await later(skip)).toEqual({ effects: 0, failed: [], results: [false] });
        expect((await opened.database.query("select operation_key from late")).rows).toEqual([
          { operation_key: key(1) },
        ]);
        expect(await keys()).toEqual([]);
      });

      test("is done where that is wanted, and then once", async () => {
        expect(await later(() => Promise.resolve("do"))).toEqual({ effects: 1, failed: [], results: [true] });
        expect(await later(() => Promise.resolve("do"))).toEqual({ effects: 0, failed: [], results: [false] });
      });

      test("the same where the effect is SQL", async () => {
        await opened.database.query("create table counts (n integer)");
        await opened.database.query("insert into counts values (0)");
        const effect = {
          statement: (isFirst: string) => `update counts set n = n + 1 where ${isFirst}`,
          values: [],
        };
        const answers = { refuse: undefined, skip: false, do: true };
        for (const answer of ["refuse", "skip", "do"] as const) {
          const ledger = createLedger({ transactions, retention: 30 * day, onExpired: () => Promise.resolve(answer) });
          const run = ledger.run(key(1), effect, { occurredAt });
          expect(await run.then(({ value }) => value).catch(() => undefined)).toBe(answers[answer]);
        }
        expect((await opened.database.query<{ n: number }>("select n from counts")).rows).toEqual([{ n: 1 }]);
      });
    });

    test("RT-05 pruning takes what is old and leaves the rest, batch by batch", async () => {
      const ledger = createLedger({ transactions, retention: 30 * day });
      for (let order = 1; order <= 12; order += 1) {
        await transactions.run((tx) => ledger.once(tx, key(order), () => undefined, { occurredAt: new Date() }));
        if (order <= 9) await age(order, 40);
      }
      const options = { queues: [points, mails], resentWithin: day, batchSize: 4 };
      expect(await ledger.prune({ ...options, olderThan: 50 * day })).toBe(0);
      expect(await ledger.prune({ ...options, signal: AbortSignal.abort() })).toBe(0);
      const progress: number[] = [];
      expect(await ledger.prune({ ...options, onProgress: (deleted) => progress.push(deleted) })).toBe(9);
      expect(progress).toEqual([4, 8, 9]);
      expect(await keys()).toEqual([key(10), key(11), key(12)].sort());
    });

    test("RT-03 a window shorter than the longest redelivery is refused with the numbers", async () => {
      const ledger = createLedger({ transactions, retention: 1200 });
      const prune = ledger.prune({ queues: [mails, points], resentWithin: 60 });
      await expect(prune).rejects.toThrow(/at least 1230 s, not 1200 s: .*within 60 s.*"points".*1170 s/);
      await expect(ledger.prune({ queues: [mails, points], resentWithin: 30 })).resolves.toBe(0);
    });

    test("RT-06 a ledger without retention keeps everything", async () => {
      const ledger = createLedger({ transactions });
      await expect(ledger.prune({ queues: [points], resentWithin: 0 })).rejects.toThrow(/for ever/);
    });

    test.each([
      ["no queue", { queues: [], resentWithin: 0 }],
      ["no word on resending", { queues: [points] }],
      ["less than the retention", { queues: [mails], resentWithin: 0, olderThan: 10 * day }],
      ["no number", { queues: [mails], resentWithin: 0, olderThan: Number.NaN }],
      ["a batch of nothing", { queues: [mails], resentWithin: 0, batchSize: 0 }],
    ])("pruning with %s is refused", async (_, options) => {
      const ledger = createLedger({ transactions, retention: 30 * day });
      await expect(ledger.prune(options as Parameters<typeof ledger.prune>[0])).rejects.toThrow(ConfigurationError);
    });

    test("a ledger that forgets must be told when the operation happened", async () => {
      const ledger = createLedger({ transactions, retention: 30 * day });
      for (const occurredAt of [undefined, new Date(Number.NaN)]) {
        const options = occurredAt === undefined ? {} : { occurredAt };
        const run = transactions.run((tx) => ledger.once(tx, key(1), () => undefined, options));
        await expect(run).rejects.toThrow(/occurredAt/);
      }
      expect(await keys()).toEqual([]);
    });
  });
});
