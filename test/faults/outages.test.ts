/**
 * Redis that is away, and connections to PostgreSQL that break while a transaction is committed, under processes of their
 * own. Needs the built package.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { postgresPort } from "../databases/subjects.js";
import { layWire, type Wire } from "../databases/wire.js";
import { killAll } from "./processes.ts";
import { redisPort, systems, type OpenedSystem } from "./systems.ts";
import type { Place } from "./places.ts";
import { Trial, wrongs, type Outcome } from "./trial.ts";

const [system] = systems;

describe.skipIf(system?.available !== true)("pg and bullmq", () => {
  let opened: OpenedSystem;
  let toPostgres: Wire;
  let toRedis: Wire;
  /** Where processes meet the servers through the wires. */
  let place: Place;
  let trial: Trial;

  beforeAll(async () => {
    if (system === undefined) throw new Error("no system");
    opened = await system.open();
  });
  beforeEach(async () => {
    [toPostgres, toRedis] = await Promise.all([layWire(postgresPort), layWire(redisPort)]);
    place = {
      database: { ...opened.place.database, port: toPostgres.port },
      queues: { ...opened.place.queues, port: toRedis.port },
    } as Place;
  });
  afterEach(async () => {
    expect([toPostgres, toRedis].map((wire) => wire.isWaitingToCut())).toEqual([false, false]);
    await trial.close();
    await Promise.all([toPostgres.close(), toRedis.close()]);
  });
  afterAll(async () => {
    await killAll();
    await opened.close();
  });

  const expectAllDoneOnce = (outcome: Outcome, ...numbers: number[]) => {
    expect(wrongs(outcome)).toEqual([]);
    expect(outcome.orders).toEqual(numbers.map((n) => trial.order(n)));
  };
  const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
  const dispatch = async (count: number, errors: readonly string[] = []) => {
    const dispatcher = trial.start({ role: "dispatcher", place, operations: trial.orders(count) });
    await dispatcher.gone;
    expect(dispatcher.errors).toEqual(errors);
    return dispatcher;
  };
  /** Waits until the processes through the wires have done everything themselves. */
  const rest = async () => {
    const outcome = await trial.rest();
    await trial.close();
    return outcome;
  };

  describe("the queue", () => {
    test("OB-04 is away: orders are stored, the relay outlives it, and sends them when the queue is back", async () => {
      trial = await Trial.begin(opened);
      await toRedis.refuse();
      const relay = trial.start({ role: "relay", place });
      const dispatcher = await dispatch(8);
      expect(dispatcher.did).toHaveLength(8);
      await relay.ready;
      await sleep(500);
      expect(await trial.rows("dispatched_at IS NOT NULL")).toBe(0);
      await toRedis.accept();
      trial.start({ role: "worker", place });
      expectAllDoneOnce(await trial.rest(), ...upTo(8));
      expect(relay.isGone).toBe(false);
    });

    test("OB-04, IC-03 is away for a dispatcher that sends at once: its orders are stored, and sent later", async () => {
      trial = await Trial.begin(opened, "immediate");
      await toRedis.refuse();
      const dispatcher = trial.start({ role: "dispatcher", place, operations: trial.orders(4) });
      while (dispatcher.did.length < 4 && !dispatcher.isGone) await sleep(10);
      expect(dispatcher.did).toHaveLength(4);
      expectAllDoneOnce(await trial.recover(), ...upTo(4));
    });

    test.each(["before it arrives", "before the answer arrives"] as const)(
      "OB-05 is cut off while jobs are sent, %s",
      async (when) => {
        trial = await Trial.begin(opened);
        // A part of what BullMQ sends with each job.
        toRedis.cutAt("occurredAt", when);
        trial.start({ role: "relay", place });
        await dispatch(7);
        trial.start({ role: "worker", place });
        expectAllDoneOnce(await rest(), ...upTo(7));
      },
    );

    test("OB-04 comes and goes under a relay and a worker", async () => {
      trial = await Trial.begin(opened);
      const processes = [trial.start({ role: "relay", place }), trial.start({ role: "worker", place })];
      await Promise.all(processes.map(({ ready }) => ready));
      const dispatched = dispatch(12);
      for (let times = 0; times < 4; times += 1) {
        await sleep(100);
        await toRedis.refuse();
        await sleep(100);
        await toRedis.accept();
      }
      await dispatched;
      expectAllDoneOnce(await trial.rest(), ...upTo(12));
      expect(processes.map(({ isGone }) => isGone)).toEqual([false, false]);
    });
  });

  describe("a connection that is cut in COMMIT", () => {
    test.each(["relay", "immediate"] as const)(
      "TX-18 of a dispatcher (%s), before it arrives: the order is not stored, and nothing runs for it",
      async (mode) => {
        trial = await Trial.begin(opened, mode);
        toPostgres.cutAt("COMMIT", "before it arrives");
        await dispatch(3, ["CommitOutcomeUnknownError"]);
        expectAllDoneOnce(await trial.recover(), 1, 2);
      },
    );

    test.each(["relay", "immediate"] as const)(
      "TX-18 of a dispatcher (%s), before the answer arrives: the order is stored, and its effect happens once",
      async (mode) => {
        trial = await Trial.begin(opened, mode);
        toPostgres.cutAt("COMMIT", "before the answer arrives");
        const dispatcher = await dispatch(3, ["CommitOutcomeUnknownError"]);
        expect(dispatcher.did).toEqual([trial.order(1), trial.order(2)]);
        expectAllDoneOnce(await trial.recover(), 0, 1, 2);
      },
    );

    test.each([
      ["before it arrives", "before the answer arrives"] as const,
      ["before the answer arrives", "before it arrives"] as const,
    ])("TX-18, LG-16 of a worker, %s, and again %s: every effect happens once", async (first, second) => {
      trial = await Trial.begin(opened);
      await dispatch(3);
      toPostgres.cutAt("COMMIT", first);
      toPostgres.cutAt("COMMIT", second);
      trial.start({ role: "relay" });
      trial.start({ role: "worker", place });
      const outcome = await rest();
      expectAllDoneOnce(outcome, ...upTo(3));
      expect(outcome.deliveries.length).toBeGreaterThan(3);
    });
  });

  test.each([
    ["claims", "FOR UPDATE SKIP LOCKED", "before it arrives"],
    ["claims", "FOR UPDATE SKIP LOCKED", "before the answer arrives"],
    ["marks", "SET dispatched_at", "before it arrives"],
    ["marks", "SET dispatched_at", "before the answer arrives"],
  ] as const)("OB-05 a relay that is cut off while it %s, at %s, %s, goes on", async (_, text, when) => {
    trial = await Trial.begin(opened);
    await dispatch(7);
    toPostgres.cutAt(text, when);
    const relay = trial.start({ role: "relay", place });
    trial.start({ role: "worker" });
    expectAllDoneOnce(await rest(), ...upTo(7));
    expect(relay.errors).toEqual([]);
  });

  test("the database comes and goes under a relay and a worker", async () => {
    trial = await Trial.begin(opened);
    const processes = [trial.start({ role: "relay", place }), trial.start({ role: "worker", place })];
    await Promise.all(processes.map(({ ready }) => ready));
    const dispatcher = trial.start({ role: "dispatcher", operations: trial.orders(12) });
    for (let times = 0; times < 4; times += 1) {
      await sleep(100);
      await toPostgres.refuse();
      await sleep(100);
      await toPostgres.accept();
    }
    await dispatcher.gone;
    expectAllDoneOnce(await trial.rest(), ...upTo(12));
    expect(processes.map(({ isGone }) => isGone)).toEqual([false, false]);
  });
});
