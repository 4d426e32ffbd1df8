/**
 * Processes that are killed between intention, call and record. What may have happened is never asked for again, unless
 * the service takes a key. Needs the built package.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createEffects, createTransactionManager, idempotencyKey, NeedsReviewError, startWorker } from "aftercommit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { effectsDdl } from "../../src/effects/ddl.js";
import type { Effects } from "../../src/effects/effects.js";
import { newJobId } from "../../src/job-id.js";
import { definitionOf } from "../../src/queue.js";
import type { FailedJob, Worker } from "../../src/worker/worker.js";
import { subjects, type Opened } from "../databases/subjects.js";
import { statementsOf } from "../ledger/statements.js";
import { bullmq } from "../queues/subjects.js";
import type { OpenedQueues } from "../queues/subject.js";
import { bookAt } from "./carrier.js";
import type { KilledTask } from "./killed-child.js";
import { defineParcels, services, shortTime } from "./parcels.js";
import { Provider } from "./provider.js";

const script = join(import.meta.dirname, "killed-child.ts");
const key = idempotencyKey("request-shipment", 1);
const parcel = { orderId: 1, street: "Long Lane" };
/** PGlite lives in one process. */
const shared = subjects.filter(({ name }) => name !== "pglite");

/** What names the place of a database for another process. */
const placeOf = {
  postgres: "select current_schema() as place",
  mysql: "select database() as place",
  sqlite: "select file as place from pragma_database_list where name = 'main'",
};

describe.each(shared)("$name", (subject) => {
  describe.skipIf(!subject.available)("with its processes killed", () => {
    let opened: Opened;
    let provider: Provider;
    let place: string;
    let effects: Effects;
    let keyed: ReturnType<typeof services>["keyed"];
    let keyless: ReturnType<typeof services>["keyless"];

    beforeAll(async () => {
      [opened, provider] = await Promise.all([subject.open(), Provider.start()]);
      const { dialect } = opened.database;
      for (const statement of statementsOf(effectsDdl(dialect))) await opened.database.query(statement);
      place = (await opened.database.query<{ place: string }>(placeOf[dialect])).rows[0]?.place ?? "";
    });
    beforeEach(async () => {
      await opened.database.query("delete from aftercommit_effects");
      provider.forget();
      effects = createEffects({ transactions: createTransactionManager(opened.database) });
      ({ keyed, keyless } = services(effects, 20));
    });
    afterAll(async () => {
      provider.close();
      await opened.close();
    });

    const start = (task: Pick<KilledTask, "service"> & Partial<KilledTask>, failPoint?: string) => {
      const whole: KilledTask = { dialect: opened.database.dialect, place, url: provider.url, ...task };
      const env = { ...process.env, NODE_ENV: "test", AFTERCOMMIT_FAIL_POINT: failPoint };
      return spawn(process.execPath, [script, JSON.stringify(whole)], { env, stdio: ["ignore", "ignore", "inherit"] });
    };
    /** Kills itself at the point. */
    const diesAt = async (service: KilledTask["service"], failPoint: string) => {
      const child = start({ service }, failPoint);
      const [, signal] = (await once(child, "exit")) as unknown[];
      expect(signal).toBe("SIGKILL");
    };
    /** Is killed while the carrier has the request and has not answered. */
    const diesInTheCall = async (service: KilledTask["service"]) => {
      provider.conduct.push("book and hang");
      const child = start({ service });
      await vi.waitFor(
        () => {
          expect(provider.received).toHaveLength(1);
        },
        { timeout: 30_000 },
      );
      child.kill("SIGKILL");
      await once(child, "exit");
    };
    const again = (service: KilledTask["service"]) =>
      service === "keyed"
        ? keyed.call(key, parcel, bookAt(provider.url, { withKey: true }))
        : keyless.call(key, parcel, bookAt(provider.url, { withKey: false }));
    const waitsForReview = () =>
      vi.waitFor(
        async () => {
          expect(await effects.list()).toMatchObject([{ key, state: "intended", needsReview: true }]);
        },
        { timeout: 30_000 },
      );

    test.each([
      ["between the intention and the call", () => diesAt("keyless", "effects:after-intention"), 0],
      ["in the call", () => diesInTheCall("keyless"), 1],
      ["between the call and the record", () => diesAt("keyless", "effects:after-call"), 1],
    ])("EX-06 without keys, killed %s: unknown, and not called again", async (_, dies, booked) => {
      await dies();
      expect(provider.booked).toHaveLength(booked);
      await waitsForReview();
      for (let run = 1; run <= 2; run += 1) await expect(again("keyless")).rejects.toBeInstanceOf(NeedsReviewError);
      expect(await effects.list()).toMatchObject([{ key, state: "unknown" }]);
      expect(provider.booked).toHaveLength(booked);
      // A person looks at the carrier, and says what is there.
      await effects.resolve(key, booked === 1 ? { as: "done" } : { as: "not sent" });
      expect(await again("keyless")).toMatchObject({ outcome: "done" });
      expect(provider.booked).toHaveLength(1);
    });

    test.each([
      ["between the intention and the call", () => diesAt("keyed", "effects:after-intention"), 1],
      ["in the call", () => diesInTheCall("keyed"), 2],
      ["between the call and the record", () => diesAt("keyed", "effects:after-call"), 2],
    ])("EX-01 with keys, killed %s: asked again with the same key, one parcel", async (_, dies, received) => {
      await dies();
      expect(await again("keyed")).toEqual({ outcome: "done", result: { parcel: 1 }, repeated: false });
      expect(provider.received).toHaveLength(received);
      expect(new Set(provider.received.map((request) => JSON.stringify(request))).size).toBe(1);
      expect(provider.booked).toEqual([key]);
    });

    test.each(["keyed", "keyless"] as const)(
      "EX-08 %s, killed after the record: done, not called again",
      async (service) => {
        await diesAt(service, "effects:after-record");
        expect(await again(service)).toEqual({ outcome: "done", result: { parcel: 1 }, repeated: true });
        expect(provider.received).toHaveLength(1);
      },
    );

    describe.skipIf(subject.name !== "pg" || !bullmq.available)("in a worker of BullMQ", () => {
      let queues: OpenedQueues;
      let worker: Worker | undefined;

      beforeAll(async () => {
        queues = await bullmq.open();
      });
      afterEach(async () => {
        await worker?.stop();
      });
      afterAll(() => queues.close());

      test("EX-06 the next delivery of the job finds what is unknown, calls nobody, and puts it before a person", async () => {
        const prefix = queues.prefix ?? "";
        const transactions = createTransactionManager(opened.database);
        const { keyless: short } = services(createEffects({ transactions }), shortTime);
        const parcels = defineParcels(prefix, short);
        provider.conduct.push("book and hang");
        const child = start({ service: "keyless", prefix });
        const id = newJobId();
        const message = { id, payload: JSON.stringify(parcel), occurredAt: new Date() };
        await queues.queues.send(definitionOf(parcels).policy, [message]);
        await vi.waitFor(
          () => {
            expect(provider.received).toHaveLength(1);
          },
          { timeout: 30_000 },
        );
        child.kill("SIGKILL");
        await once(child, "exit");

        const failed: FailedJob<unknown>[] = [];
        worker = await startWorker(
          parcels,
          ({ payload }) =>
            short.call(
              idempotencyKey("request-shipment", payload.orderId),
              payload,
              bookAt(provider.url, { withKey: false }),
            ),
          { onFailed: (job) => failed.push(job) },
        );
        await vi.waitFor(
          () => {
            expect(failed).toMatchObject([{ id, attempt: 2, error: { code: "AFTERCOMMIT_NEEDS_REVIEW" } }]);
          },
          { timeout: 30_000 },
        );
        expect(provider.received).toHaveLength(1);
        expect(await effects.list()).toMatchObject([{ key, state: "unknown", queue: "parcels", jobId: id, calls: 1 }]);
      });
    });
  });
});
