/** Immediate dispatch, with the relay to catch up (F17), on real databases. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { driversAndMostUsed } from "../databases/subjects.js";
import { down, Setting } from "./setting.js";

describe.each(driversAndMostUsed)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let setting: Setting;

    beforeAll(async () => {
      setting = await Setting.open(subject);
    });
    beforeEach(() => setting.renew({ immediate: { grace: 30 } }));
    afterEach(async () => {
      await setting.stopRelays();
      await setting.outbox.idle();
      // A notification may be on its way.
      await vi.waitFor(() => {
        expect(setting.opened.inUse()).toBe(0);
      });
    });
    afterAll(() => setting.opened.close());

    test("IC-01 the job is sent after the commit and marked; the relay finds nothing", async () => {
      await setting.transactions.run(async (tx) => {
        await setting.queue.enqueue(tx, { n: 1 });
        await setting.queue.enqueue(tx, { n: 2 });
        expect(setting.queues.sent).toEqual([]);
      });
      await setting.outbox.idle();
      expect(setting.queues.calls).toEqual([2]);
      expect(await setting.rows()).toEqual(["1 dispatched", "2 dispatched"]);
      await setting.relay().start();
      await sleep(60);
      expect(setting.sentNumbers).toEqual([1, 2]);
    });

    test("OB-02 a rollback sends nothing", async () => {
      const run = setting.transactions.run(async (tx) => {
        await setting.queue.enqueue(tx, { n: 1 });
        throw new Error("no");
      });
      await expect(run).rejects.toThrow("no");
      await setting.outbox.idle();
      expect(setting.queues.calls).toEqual([]);
      expect(await setting.rows()).toEqual([]);
    });

    test("IC-03, IC-07 a sending that fails is no error of the caller, and the relay waits for the grace time", async () => {
      setting.queues.before = down;
      await setting.enqueue(1);
      await setting.outbox.idle();
      expect(setting.errors).toEqual([{ message: "the queue is down", doing: "immediate" }]);
      setting.queues.before = () => undefined;
      await setting.relay().start();
      await sleep(60);
      expect(await setting.rows()).toEqual(["1 claimed"]);
      expect(setting.sentNumbers).toEqual([]);
    });

    test("IC-02 what was not sent goes out after the grace time, not earlier", async () => {
      setting.another({ immediate: { grace: 0.3 } });
      setting.queues.before = down;
      const before = performance.now();
      await setting.enqueue(1);
      await setting.outbox.idle();
      setting.queues.before = () => undefined;
      await setting.relay().start();
      await vi.waitFor(async () => {
        expect(await setting.rows()).toEqual(["1 dispatched"]);
      });
      expect(performance.now() - before).toBeGreaterThan(290);
      expect(setting.sentNumbers).toEqual([1]);
    });

    test("IC-04 a queue that is slower than the grace time gets the message twice, with the same id", async () => {
      setting.another({ immediate: { grace: 0.1 } });
      const ids: string[] = [];
      let confirm: () => void = () => undefined;
      setting.queues.before = (messages) => {
        ids.push(...messages.map(({ id }) => id));
        return ids.length > 1 ? undefined : new Promise((resolve) => (confirm = resolve));
      };
      await setting.enqueue(1);
      await setting.relay().start();
      await vi.waitFor(async () => {
        expect(await setting.rows()).toEqual(["1 dispatched"]);
      });
      confirm();
      await setting.outbox.idle();
      expect(ids).toHaveLength(2);
      expect(ids[0]).toBe(ids[1]);
      expect(setting.queues.memory.waiting("numbers")).toHaveLength(1);
    });

    describe("marked by the job", () => {
      const start = () => {
        setting.another({ immediate: {}, markedByJob: { resendAfter: 0.15 } });
        return setting.relay({ tries: 3 }).start();
      };
      const idOf = async () => {
        const [row] = await setting.outbox.list({ state: "waiting" });
        if (row === undefined) throw new Error("no row waits");
        return row.id;
      };

      test("IC-01 a job that has marked its row is not sent again", async () => {
        await start();
        await setting.enqueue(1);
        const id = await idOf();
        const { value } = await setting.transactions.run((tx) => setting.outbox.complete(tx, id));
        expect(value).toBe(true);
        const again = await setting.transactions.run((tx) => setting.outbox.complete(tx, id));
        expect(again.value).toBe(false);
        await sleep(400);
        expect(await setting.rows()).toEqual(["1 dispatched"]);
        expect(setting.sentNumbers).toEqual([1]);
      });

      test("IC-05 a job that never marks its row is sent again, so often and no more, and reported", async () => {
        await start();
        await setting.enqueue(1);
        await vi.waitFor(() => {
          expect(setting.givenUp).toHaveLength(1);
        }, 5000);
        expect(await setting.rows()).toEqual(["1 failed"]);
        // Once at once, and by the relay as often as it tries.
        expect(setting.sentNumbers).toEqual([1, 1, 1, 1]);
        const [failed] = await setting.outbox.list({ state: "failed" });
        expect(failed?.lastError).toContain("no job has marked it");
      });

      test("IC-06 a mark in a transaction that is rolled back is none", async () => {
        await start();
        await setting.enqueue(1);
        const id = await idOf();
        const run = setting.transactions.run(async (tx) => {
          await setting.outbox.complete(tx, id);
          throw new Error("no");
        });
        await expect(run).rejects.toThrow("no");
        await vi.waitFor(() => {
          expect(setting.sentNumbers.length).toBeGreaterThan(1);
        }, 5000);
      });
    });

    test("jobs with an order key go through the relay, so none overtakes another", async () => {
      await setting.transactions.run((tx) => setting.queue.enqueue(tx, { n: 1 }, { orderKey: "a" }));
      await setting.outbox.idle();
      expect(await setting.rows()).toEqual(["1 waiting"]);
      await setting.relay().start();
      await vi.waitFor(() => {
        expect(setting.sentNumbers).toEqual([1]);
      });
    });

    test("a queue that hangs makes no caller wait, and fills no memory", async () => {
      setting.queues.before = () => new Promise(() => undefined);
      // However long the transactions take: what was given up is in the queue's memory all the same.
      setting.another({ immediate: { grace: 0.2 } });
      await setting.enqueue(...Array.from({ length: 900 }, (_, n) => n));
      await setting.enqueue(...Array.from({ length: 900 }, (_, n) => n));
      expect(setting.queues.calls).toEqual([900]);
      await setting.outbox.idle();
      expect(setting.errors[0]?.message).toContain("not confirmed within 0.2 s");
      await setting.enqueue(1, 2);
      expect(setting.queues.calls).toEqual([900, 2]);
    });
  });
});
