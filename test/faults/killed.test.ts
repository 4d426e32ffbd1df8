/**
 * A dispatcher, a relay and a worker, each in a process of its own, killed at every step between BEGIN and the mark. What
 * was stored is done once, whatever was killed; what was not stored is never begun. Needs the built package.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { killAll } from "./processes.ts";
import type { Mode } from "./shop.ts";
import type { Task } from "./shop-child.ts";
import { queueInTheDatabase, systems, type OpenedSystem } from "./systems.ts";
import { Trial, wrongs, type Outcome } from "./trial.ts";

/** Where it is killed, and how many of three orders are stored then. */
const dispatcherSteps: readonly [scenario: string, mode: Mode, failPoint: string, stored: number][] = [
  ["OB-02", "relay", "transaction:after-begin", 0],
  ["OB-02", "relay", "outbox:before-insert", 0],
  ["OB-02", "relay", "outbox:after-insert#2", 1],
  ["OB-02", "relay", "transaction:before-commit#3", 2],
  ["AC-11, OB-01", "relay", "transaction:after-commit", 1],
  ["AC-11, OB-01", "relay", "outbox:after-commit#2", 2],
  ["AC-11, IC-02", "immediate", "transaction:after-commit#2", 2],
  ["AC-11, IC-02", "immediate", "outbox:after-commit", 1],
  ["IC-02", "immediate", "outbox:after-immediate-send", 1],
];

const relaySteps: readonly [scenario: string, failPoint: string][] = [
  ["OB-05", "relay:after-claim"],
  ["OB-05", "relay:before-send"],
  ["OB-05", "relay:after-send"],
  ["OB-05", "relay:after-mark"],
  ["OB-05", "relay:after-send#2"],
];

const workerSteps: readonly [scenario: string, mode: Mode, failPoint: string][] = [
  ["AT-06", "relay", "worker:before-handler"],
  ["LG-06", "relay", "ledger:after-record"],
  ["LG-06", "relay", "transaction:before-commit"],
  ["LG-16, LE-12", "relay", "transaction:after-commit"],
  ["LG-16, LE-12", "relay", "worker:after-handler"],
  ["IC-06", "marked by jobs", "transaction:before-commit"],
  ["IC-01", "marked by jobs", "transaction:after-commit"],
];

describe.each(systems)("$name", (system) => {
  describe.skipIf(!system.available)("with its processes killed", () => {
    let opened: OpenedSystem;
    let trial: Trial | undefined;

    beforeAll(async () => {
      opened = await system.open();
    });
    afterEach(async () => {
      await trial?.close();
    });
    afterAll(async () => {
      await killAll();
      await opened.close();
    });

    const begin = async (mode: Mode) => (trial = await Trial.begin(opened, mode));
    /** Starts a process and waits until it has killed itself. */
    const dies = async (of: Trial, task: Pick<Task, "role"> & Partial<Task>, failPoint: string) => {
      const process = of.start(task, failPoint);
      await process.gone;
      expect(process.errors).toEqual([]);
      expect(process.died).toBe(true);
      return process;
    };
    const dispatch = async (of: Trial, count: number) => {
      const process = of.start({ role: "dispatcher", operations: of.orders(count) });
      await process.gone;
      expect(process.errors).toEqual([]);
    };
    const expectAllDoneOnce = (outcome: Outcome, count: number) => {
      expect(wrongs(outcome)).toEqual([]);
      expect(outcome.orders).toHaveLength(count);
    };

    test.each(dispatcherSteps)("%s %s: the dispatcher dies at %s", async (_, mode, failPoint, stored) => {
      const own = await begin(mode);
      const process = await dies(own, { role: "dispatcher", operations: own.orders(3) }, failPoint);
      const present = await own.stored();
      // In immediate mode the next orders go on while one is sent.
      if (failPoint.includes("immediate") || mode === "immediate")
        expect(present.length).toBeGreaterThanOrEqual(stored);
      else expect(present).toHaveLength(stored);
      expect(present).toEqual(expect.arrayContaining(process.did));
      const outcome = await own.recover();
      expectAllDoneOnce(outcome, present.length);
      // Nothing that would have been lost is merely late.
      expect(outcome.deliveries.length).toBeGreaterThanOrEqual(present.length);
    });

    test("AC-11 after commit: killed between COMMIT and sending, the job is lost", async () => {
      const own = await begin("after commit");
      await dies(own, { role: "dispatcher", operations: own.orders(3) }, "transaction:after-commit#2");
      const outcome = await own.recover();
      expect(outcome.orders).toEqual([own.order(0), own.order(1)]);
      expect(outcome.effects).toEqual([own.order(0)]);
    });

    test.each(relaySteps)("%s the relay dies at %s", async (_, failPoint) => {
      const own = await begin("relay");
      await dispatch(own, 7);
      await dies(own, { role: "relay" }, failPoint);
      expectAllDoneOnce(await own.recover(), 7);
    });

    test.each(workerSteps)("%s %s: the worker dies at %s", async (_, mode, failPoint) => {
      const own = await begin(mode);
      await dispatch(own, 3);
      own.start({ role: "relay" });
      await dies(own, { role: "worker" }, failPoint);
      const outcome = await own.recover();
      expectAllDoneOnce(outcome, 3);
      const starts = failPoint === "worker:before-handler" ? 3 : 4;
      expect(outcome.deliveries.length).toBeGreaterThanOrEqual(starts);
    });

    test("OB-08 messages that are sent and run again have no second effect", async () => {
      const own = await begin("relay");
      await dispatch(own, 3);
      await own.recover();
      await own.redeliver([own.order(0), own.order(2)]);
      const outcome = await own.rest();
      expectAllDoneOnce(outcome, 3);
      expect(outcome.deliveries).toHaveLength(5);
    });
  });
});

describe.each(queueInTheDatabase)("$name, which lives in the business database", (system) => {
  describe.skipIf(!system.available)("with its processes killed", () => {
    let opened: OpenedSystem;
    let trial: Trial;

    beforeAll(async () => {
      opened = await system.open();
    });
    afterEach(() => trial.close());
    afterAll(async () => {
      await killAll();
      await opened.close();
    });

    const killedAfterCommit = async (mode: Mode) => {
      trial = await Trial.begin(opened, mode);
      const dispatcher = trial.start({ role: "dispatcher", operations: trial.orders(3) }, "transaction:after-commit#2");
      await dispatcher.gone;
      expect(dispatcher.died).toBe(true);
      return trial.recover();
    };

    test("DQ-03 a job that is written in the transaction is done although the process dies right after it", async () => {
      const outcome = await killedAfterCommit("same transaction");
      expect(wrongs(outcome)).toEqual([]);
      expect(outcome.orders).toEqual([trial.order(0), trial.order(1)]);
    });

    test("DQ-04 a job that is sent after the commit is lost then, although its queue is in the same database", async () => {
      const outcome = await killedAfterCommit("after commit");
      expect(outcome.orders).toEqual([trial.order(0), trial.order(1)]);
      expect(outcome.effects).toEqual([trial.order(0)]);
    });
  });
});
