/** Relays beside each other, and processes whose clocks are wrong: the database's clock decides. Needs the built package. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { killAll } from "./processes.ts";
import { systems, type OpenedSystem } from "./systems.ts";
import type { Mode } from "./shop.ts";
import { Trial, wrongs, type Outcome } from "./trial.ts";

const dayMs = 86_400_000;
const clocks = [
  ["a day ahead", dayMs],
  ["a day behind", -dayMs],
] as const;

describe.each(systems)("$name", (system) => {
  describe.skipIf(!system.available)("with several processes", () => {
    let opened: OpenedSystem;
    let trial: Trial;

    beforeAll(async () => {
      opened = await system.open();
    });
    afterEach(async () => {
      await trial.close();
    });
    afterAll(async () => {
      await killAll();
      await opened.close();
    });

    const dispatch = async (count: number, clockAheadMs = 0) => {
      const operations = trial.orders(count);
      const dispatcher = trial.start({ role: "dispatcher", operations, clockAheadMs });
      await dispatcher.gone;
      expect(dispatcher.errors).toEqual([]);
    };
    const begin = async (mode: Mode = "relay") => (trial = await Trial.begin(opened, mode));
    const expectAllDoneOnce = (outcome: Outcome, count: number) => {
      expect(wrongs(outcome)).toEqual([]);
      expect(outcome.orders).toHaveLength(count);
    };

    test("OB-09 three relays and two dispatchers at once: every job is sent once", async () => {
      await begin();
      const half = 40;
      const all = trial.orders(2 * half);
      const relays = [0, 1, 2].map(() => trial.start({ role: "relay", lease: 30 }));
      await Promise.all(relays.map(({ ready }) => ready));
      const dispatchers = [all.slice(0, half), all.slice(half)].map((operations) =>
        trial.start({ role: "dispatcher", operations }),
      );
      trial.start({ role: "worker" });
      await Promise.all(dispatchers.map(({ gone }) => gone));
      expectAllDoneOnce(await trial.rest(), 2 * half);
      expect(await opened.sentAgain(trial.queue)).toBe(0);
      expect(relays.map(({ isGone }) => isGone)).toEqual([false, false, false]);
    });

    test("OB-09 one of two relays dies with the rows that it has taken, and the other sends them when the lease ends", async () => {
      await begin();
      await dispatch(6);
      const dying = trial.start({ role: "relay" }, "relay:after-claim=hang");
      await dying.stuck;
      trial.start({ role: "relay" });
      trial.start({ role: "worker" });
      await dying.kill();
      expectAllDoneOnce(await trial.rest(), 6);
    });

    describe.each(clocks)("a process whose clock is %s", (_, clockAheadMs) => {
      test("takes no row that another relay has, and sends the others at once", async () => {
        await begin();
        await dispatch(3);
        const holder = trial.start({ role: "relay", lease: 60 }, "relay:after-claim=hang");
        await holder.stuck;
        expect(holder.hangs).toBe(true);
        const relay = trial.start({ role: "relay", lease: 60, clockAheadMs });
        await relay.ready;
        const late = trial.start({
          role: "dispatcher",
          operations: [3, 4].map((n) => ({ order: trial.order(n), fate: "commits", jobs: 1 })),
        });
        await late.gone;
        while ((await trial.rows("dispatched_at IS NOT NULL")) < 2) await sleep(10);
        await sleep(300);
        expect(await trial.rows("dispatched_at IS NULL AND claim IS NOT NULL")).toBe(3);
        expect(await trial.rows("dispatched_at IS NOT NULL")).toBe(2);
      });

      test("leaves what it had taken when it dies to the others, when the lease ends and no later", async () => {
        await begin();
        await dispatch(2);
        const relay = trial.start({ role: "relay", clockAheadMs }, "relay:after-send");
        await relay.gone;
        const before = performance.now();
        expectAllDoneOnce(await trial.recover(), 2);
        expect(performance.now() - before).toBeLessThan(30_000);
      });

      test("writes rows that go out at once", async () => {
        await begin();
        await dispatch(3, clockAheadMs);
        expectAllDoneOnce(await trial.recover(), 3);
      });

      test("IC-02 and sends at once leaves what it had not sent to the relay after the grace time, not earlier", async () => {
        await begin("immediate");
        const operations = trial.orders(1);
        const dispatcher = trial.start({ role: "dispatcher", operations, clockAheadMs }, "outbox:after-commit");
        await dispatcher.gone;
        expect(dispatcher.died).toBe(true);
        expectAllDoneOnce(await trial.recover(), 1);
      });
    });

    test("IC-02, IC-07 a relay whose clock is a day ahead leaves rows to a dispatcher that is sending them", async () => {
      await begin("immediate");
      const sending = trial.start(
        { role: "dispatcher", lease: 60, operations: trial.orders(1) },
        "outbox:after-commit=hang",
      );
      await sending.stuck;
      expect(sending.hangs).toBe(true);
      const relay = trial.start({ role: "relay", clockAheadMs: dayMs });
      await relay.ready;
      await sleep(400);
      expect(await trial.rows("dispatched_at IS NULL AND claim IS NOT NULL")).toBe(1);
      expect(await opened.notDone(trial.queue)).toEqual({ waiting: 0, failed: 0 });
    });
  });
});
