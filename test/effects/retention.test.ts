/** Records of effects live longer than the longest path by which a duplicate can arrive (F20). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineConnection } from "../../src/connection.js";
import { afterCommit } from "../../src/delivery.js";
import { effectsDdl } from "../../src/effects/ddl.js";
import { createEffects } from "../../src/effects/effects.js";
import { refused } from "../../src/effects/service.js";
import { ConfigurationError } from "../../src/errors.js";
import { idempotencyKey } from "../../src/idempotency-key.js";
import { OperationTooOldError } from "../../src/ledger/ledger-errors.js";
import { memoryQueues } from "../../src/queues/memory.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { subjects, type Opened } from "../databases/subjects.js";
import { statementsOf } from "../ledger/statements.js";

const day = 86_400;
const key = (order: number) => idempotencyKey("request-shipment", order);
const daysAgo = (days: number) => new Date(Date.now() - days * day * 1000);
/** Delivers a job for 3 × 100 + 10 + 60 s. */
const parcels = defineConnection({ queues: memoryQueues(), retryAfter: 100 }).queue("parcels", {
  payload: z.object({}),
  timeout: 30,
  tries: 3,
  backoff: [10, 60],
  repeatSafety: { by: "external-key" },
  delivery: afterCommit(),
});

describe.each(subjects)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: Opened;
    let transactions: TransactionManager;

    beforeAll(async () => {
      opened = await subject.open();
      transactions = createTransactionManager(opened.database);
      for (const statement of statementsOf(effectsDdl(opened.database.dialect))) await opened.database.query(statement);
    });
    beforeEach(async () => {
      await opened.database.query("delete from aftercommit_effects");
    });
    afterAll(() => opened.close());

    const keys = async () => {
      const { rows } = await opened.database.query<{ operation_key: string }>(
        "select operation_key from aftercommit_effects order by operation_key",
      );
      return rows.map(({ operation_key }) => operation_key);
    };
    /** Makes records as old as if all about them had happened 40 days before. */
    const age = async (...orders: number[]) => {
      const past = {
        postgres: (column: string) => `${column} - interval '40 days'`,
        mysql: (column: string) => `${column} - interval 40 day`,
        sqlite: (column: string) => `strftime('%Y-%m-%d %H:%M:%f', ${column}, '-40 days')`,
      }[opened.database.dialect];
      const columns = ["intended_at", "open_until", "decided_at"].map((column) => `${column} = ${past(column)}`);
      const list = orders.map((order) => `'${key(order)}'`).join();
      await opened.database.query(`update aftercommit_effects set ${columns.join()} where operation_key in (${list})`);
    };
    const open = (retention?: number) => {
      const effects = createEffects({ transactions, ...(retention === undefined ? {} : { retention }) });
      return { effects, carrier: effects.service("carrier", { timeout: 5 }) };
    };

    test("RT-01, RT-02, RT-04 within the window it is answered from the record; after it, it is refused and not sent", async () => {
      const { effects, carrier } = open(30 * day);
      let calls = 0;
      const use = (occurredAt: Date) => carrier.call(key(1), {}, () => (calls += 1), { occurredAt });
      expect(await use(daysAgo(29))).toMatchObject({ repeated: false });
      expect(await use(daysAgo(29))).toMatchObject({ repeated: true });
      await age(1);
      expect(await effects.prune({ queues: [parcels], resentWithin: day })).toBe(1);
      await expect(use(daysAgo(31))).rejects.toBeInstanceOf(OperationTooOldError);
      expect(calls).toBe(1);
      expect(await keys()).toEqual([]);
    });

    test("a record that is forgotten some time needs to know when its operation happened", async () => {
      const { carrier } = open(30 * day);
      await expect(carrier.call(key(1), {}, () => 1)).rejects.toThrow(/occurredAt/);
      expect(await keys()).toEqual([]);
    });

    test("RT-05 pruning takes in batches what was decided long ago, and never what is undecided", async () => {
      const { effects, carrier } = open(30 * day);
      const options = { occurredAt: new Date() };
      for (const order of [1, 2, 3]) await carrier.call(key(order), {}, () => 1, options);
      await carrier.call(key(4), {}, () => refused("no"), options);
      const cut = () => Promise.reject(new Error("cut"));
      await expect(carrier.call(key(5), {}, cut, options)).rejects.toThrow();
      await age(1, 2, 4, 5);
      const progress: number[] = [];
      const prune = { queues: [parcels], resentWithin: day, batchSize: 2 };
      expect(await effects.prune({ ...prune, olderThan: 50 * day })).toBe(0);
      expect(await effects.prune({ ...prune, onProgress: (deleted) => progress.push(deleted) })).toBe(3);
      expect(progress).toEqual([2, 3]);
      expect(await keys()).toEqual([key(3), key(5)]);
      // A person is still to say what became of it.
      expect((await effects.list()).map((record) => record.key)).toEqual([key(5)]);
    });

    test("RT-03 a window shorter than the longest redelivery is refused with the numbers", async () => {
      const { effects } = open(400);
      await expect(effects.prune({ queues: [parcels], resentWithin: 60 })).rejects.toThrow(
        /at least 430 s, not 400 s: .*within 60 s.*"parcels".*370 s/,
      );
    });

    test("RT-06 records without a retention are kept for ever", async () => {
      const { effects } = open();
      const pruned = effects.prune({ queues: [parcels], resentWithin: 0 });
      await expect(pruned).rejects.toThrow(ConfigurationError);
      await expect(pruned).rejects.toThrow(/for ever/);
    });
  });
});
