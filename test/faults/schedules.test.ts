/**
 * Random schedules: which orders there are, which processes run, where each is killed, what is delivered again. However
 * it falls: nothing is lost, every effect happens once, and no job runs for an order that was rolled back.
 *
 * FAULT_SCHEDULES is how many on each system (default: what the system says), FAULT_SEED repeats those of a run, and
 * FAULT_ONLY is the number of a single one of them. FAULT_SYSTEMS=all puts every database with every queue. Needs the
 * built package.
 */
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { setTimeout as sleep } from "node:timers/promises";
import { killAll, kills, type Process } from "./processes.ts";
import { everySystem, type OpenedSystem } from "./systems.ts";
import { Trial, wrongs } from "./trial.ts";

const { FAULT_SCHEDULES: wanted, FAULT_SEED: wantedSeed, FAULT_ONLY: only } = process.env;
const seed = wantedSeed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(wantedSeed);
/** A fail point of a process, or none: it is killed at some moment then, like the others that have not died by then. */
const dyingAt = (...points: string[]) =>
  fc.option(
    fc.tuple(fc.constantFrom(...points), fc.constantFrom(1, 1, 1, 2, 3)).map(([point, turn]) => `${point}#${turn}`),
    { freq: 5, nil: undefined },
  );

const transactionPoints = ["transaction:after-begin", "transaction:before-commit", "transaction:after-commit"];

const schedules = fc.record({
  operations: fc.array(
    fc.record({
      fate: fc.constantFrom(
        "commits" as const,
        "commits" as const,
        "is rolled back" as const,
        "commits, and a savepoint is rolled back" as const,
        "commits at the second attempt" as const,
      ),
      jobs: fc.integer({ min: 1, max: 2 }),
    }),
    { minLength: 2, maxLength: 8 },
  ),
  mode: fc.constantFrom("relay" as const, "immediate" as const, "marked by jobs" as const),
  dispatcher: fc.oneof(
    fc.constant(undefined),
    dyingAt(
      ...transactionPoints,
      ...["outbox:before-insert", "outbox:after-insert", "outbox:after-commit", "outbox:after-immediate-send"],
    ),
  ),
  relays: fc.array(
    fc.record({
      failPoint: dyingAt("relay:after-claim", "relay:before-send", "relay:after-send", "relay:after-mark"),
      clockAheadMs: fc.constantFrom(0, 0, 3_600_000, -3_600_000),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  workers: fc.array(
    dyingAt(...transactionPoints, "worker:before-handler", "ledger:after-record", "worker:after-handler"),
    { minLength: 0, maxLength: 2 },
  ),
  /** How long those live that do not die by themselves, in milliseconds. */
  lifetime: fc.integer({ min: 0, max: 1000 }),
  /** Which of the orders are delivered again in the end. */
  redelivered: fc.uniqueArray(fc.nat({ max: 7 }), { maxLength: 3 }),
});

type Schedule = typeof schedules extends fc.Arbitrary<infer Value> ? Value : never;

const totals = { deliveries: 0, effects: 0, rolledBack: 0 };

async function run(system: OpenedSystem, schedule: Schedule): Promise<string[]> {
  const trial = await Trial.begin(system, schedule.mode);
  const operations = schedule.operations.map((operation, n) => ({ ...operation, order: trial.order(n) }));
  try {
    const dispatcher = trial.start({ role: "dispatcher", operations }, schedule.dispatcher);
    const others = [
      ...schedule.relays.map(({ failPoint, clockAheadMs }) => trial.start({ role: "relay", clockAheadMs }, failPoint)),
      ...schedule.workers.map((failPoint) => trial.start({ role: "worker" }, failPoint)),
    ];
    const processes: readonly Process[] = [dispatcher, ...others];
    await dispatcher.gone;
    await Promise.all(others.map(({ ready }) => ready));
    // Those that are to die by themselves get the time for it; a process without work does not come to its fail point.
    const armed = processes.filter((process) => process.isArmed);
    await Promise.all([
      sleep(schedule.lifetime),
      Promise.race([sleep(1500), Promise.all(armed.map(({ gone }) => gone))]),
    ]);
    const first = await trial.recover();
    await trial.redeliver(schedule.redelivered.map((n) => trial.order(n)));
    const last = await trial.rest();

    totals.deliveries += last.deliveries.length;
    totals.effects += last.effects.length;
    totals.rolledBack += operations.length - last.orders.length;
    const stored = new Set(last.orders);
    return [
      ...wrongs(last),
      ...(first.orders.length === last.orders.length ? [] : ["orders appeared when everything was over"]),
      ...processes.flatMap(({ errors }) => errors),
      ...operations
        .filter(({ order, fate }) => fate !== "is rolled back" && dispatcher.did.includes(order) && !stored.has(order))
        .map(({ order }) => `order ${order} was confirmed and is not stored`),
      ...operations
        .filter(({ order, fate }) => fate === "is rolled back" && stored.has(order))
        .map(({ order }) => `order ${order} was rolled back and is stored`),
    ];
  } finally {
    await trial.close();
  }
}

afterAll(killAll);

describe.each(everySystem)("$name", (system) => {
  test.skipIf(!system.available)(
    "OB-04, OB-05, OB-09, AC-11, LG-16 whatever is killed when, nothing is lost, doubled or done for nothing",
    async () => {
      const many = Number(wanted ?? system.schedules);
      const all = fc.sample(schedules, { seed, numRuns: many });
      const line = [...all.entries()].filter(([number]) => only === undefined || number === Number(only));
      const count = line.length;
      const failures: string[] = [];
      const opened = await system.open();
      const lane = async () => {
        for (let next = line.shift(); next !== undefined; next = line.shift()) {
          const [number, schedule] = next;
          const found = await run(opened, schedule).catch((error: unknown) => [String(error)]);
          if (found.length === 0) continue;
          failures.push(
            `schedule ${number}: ${found.join("; ")}\n  ${JSON.stringify(schedule)}\n` +
              `  again: FAULT_SEED=${seed} FAULT_SCHEDULES=${many} FAULT_ONLY=${number}`,
          );
        }
      };
      try {
        await Promise.all(Array.from({ length: system.lanes }, lane));
      } finally {
        await opened.close();
      }
      const killed = [...kills.values()].reduce((sum, each) => sum + each, 0);
      console.log(
        `${system.name}: ${count} schedules (FAULT_SEED=${seed}), ${killed} processes killed, ` +
          `${totals.deliveries} deliveries, ${totals.effects} effects, ${totals.rolledBack} orders never stored\n` +
          [...kills].map(([where, times]) => `  ${where} ${times}`).join("\n"),
      );
      totals.deliveries = totals.effects = totals.rolledBack = 0;
      kills.clear();
      expect(failures).toEqual([]);
    },
    1_800_000,
  );
});
