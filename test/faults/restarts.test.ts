/** A PostgreSQL of the test's own that is killed and comes back, under processes that work on it. Needs the built package. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { bullmq } from "../queues/subjects.js";
import { hasOwnPostgres, OwnPostgres } from "./own-postgres.ts";
import { killAll, type Process } from "./processes.ts";
import { openPgAndBullmq, type OpenedSystem } from "./systems.ts";
import { Trial, wrongs } from "./trial.ts";

describe.skipIf(!hasOwnPostgres || !bullmq.available)("PostgreSQL is killed and comes back", () => {
  let server: OwnPostgres;
  let opened: OpenedSystem;
  let trial: Trial;

  beforeAll(async () => {
    server = await OwnPostgres.start();
    const admin = new pg.Client({ host: "127.0.0.1", port: server.port, user: "postgres", database: "postgres" });
    await admin.connect();
    await admin.query("CREATE DATABASE test");
    await admin.end();
    opened = await openPgAndBullmq(server.port, true);
  }, 60_000);
  afterEach(() => trial.close());
  afterAll(async () => {
    await killAll();
    await opened.close();
    await server.remove();
  });

  /** Resolves when the process has stored so many orders, or can store no more. */
  const stored = async (dispatcher: Process, count: number) => {
    while (dispatcher.did.length < count && !dispatcher.isGone) await sleep(2);
  };

  test.each(["relay", "immediate", "marked by jobs"] as const)(
    "TX-18, OB-05 under a dispatcher, a relay and a worker (%s): what was confirmed is done once, nothing else is",
    async (mode) => {
      trial = await Trial.begin(opened, mode);
      const processes = [trial.start({ role: "relay" }), trial.start({ role: "worker" })];
      await Promise.all(processes.map(({ ready }) => ready));
      const confirmed: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        const orders = trial.orders(40).map((operation, n) => ({ ...operation, order: trial.order(round * 40 + n) }));
        const dispatcher = trial.start({ role: "dispatcher", operations: orders });
        await stored(dispatcher, 3 + 2 * round);
        await server.kill();
        await dispatcher.gone;
        confirmed.push(...dispatcher.did);
        await server.up();
      }
      // They outlive it, and go on by themselves.
      expect(processes.map(({ isGone }) => isGone)).toEqual([false, false]);
      const outcome = await trial.rest();
      expect(wrongs(outcome)).toEqual([]);
      expect(confirmed.length).toBeGreaterThanOrEqual(15);
      expect(outcome.orders).toEqual(expect.arrayContaining(confirmed));
    },
    90_000,
  );
});
