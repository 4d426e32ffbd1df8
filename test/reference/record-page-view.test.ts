/** The count of page views that is there to be copied, on each of the databases that it names (F15). */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { acceptPageView, pageView, RecordPageView, type PageView } from "../../examples/reference/record-page-view.js";
import { pageViewTables } from "../../examples/reference/tables.js";
import { defineConnection } from "../../src/connection.js";
import { afterCommit } from "../../src/delivery.js";
import { InvalidPayloadError } from "../../src/errors.js";
import { newJobId } from "../../src/job-id.js";
import { memoryQueues } from "../../src/queues/memory.js";
import { definitionOf } from "../../src/queue.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { startWorker } from "../../src/worker/worker.js";
import { subjects, type Opened } from "../databases/subjects.js";

test("PV-09 the day is that of the event, in the zone that was named", () => {
  const at = new Date("2026-10-09T15:30:00Z");
  expect(acceptPageView(at, "Asia/Seoul").day).toBe("2026-10-10");
  expect(acceptPageView(at, "UTC").day).toBe("2026-10-09");
  expect(acceptPageView(at, "America/Los_Angeles").day).toBe("2026-10-09");
});

test("each accepted view has an id of its own", () => {
  const at = new Date();
  expect(acceptPageView(at, "UTC").eventId).not.toBe(acceptPageView(at, "UTC").eventId);
});

const named = subjects.filter(({ name }) => name !== "pglite");

describe.each(named)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: Opened;
    let transactions: TransactionManager;
    let recordPageView: RecordPageView;

    beforeAll(async () => {
      opened = await subject.open();
      transactions = createTransactionManager(opened.database);
      recordPageView = new RecordPageView(transactions);
      for (const table of pageViewTables) await opened.database.query(table);
    });
    beforeEach(async () => {
      await opened.database.query("delete from processed_view_events");
      await opened.database.query("delete from daily_metrics");
    });
    afterAll(() => opened.close());

    const day = "2026-10-09";
    const view = (): PageView => ({ eventId: randomUUID(), day });
    const execute = async (one: PageView) => (await recordPageView.execute(one)).value;
    const counted = async () => {
      const { rows } = await opened.database.query<{ day: string; views: number }>(
        "select day, views from daily_metrics order by day",
      );
      return rows.map((row) => `${row.day}: ${row.views.toString()}`);
    };
    const events = async () => (await opened.database.query("select event_id from processed_view_events")).rows.length;

    test("PV-01 to PV-03 an event counts once, another event of the day is one more", async () => {
      const first = view();
      expect([await execute(first), await counted()]).toEqual([true, [`${day}: 1`]]);
      expect([await execute(first), await counted()]).toEqual([false, [`${day}: 1`]]);
      expect([await execute(view()), await counted()]).toEqual([true, [`${day}: 2`]]);
      expect(await events()).toBe(2);
    });

    test("PV-04, PV-05 an error after the event leaves nothing, and the next delivery counts", async () => {
      const one = view();
      const failing = transactions.run(async () => {
        await recordPageView.execute(one);
        throw new Error("no");
      });
      await expect(failing).rejects.toThrow("no");
      expect([await events(), await counted()]).toEqual([0, []]);
      expect(await execute(one)).toBe(true);
      expect([await events(), await counted()]).toEqual([1, [`${day}: 1`]]);
    });

    test("PV-11 many views of one day at once are all counted, without a deadlock", async () => {
      const attempts: number[] = [];
      await Promise.all(
        Array.from({ length: 100 }, async () => {
          const failures = vi.fn();
          // One attempt each: a deadlock would show.
          const strict = new RecordPageView({
            ...transactions,
            run: (work) => transactions.run(work, { attempts: 1 }),
          });
          await strict.execute(view()).catch(failures);
          attempts.push(failures.mock.calls.length);
        }),
      );
      expect(attempts.reduce((sum, failed) => sum + failed, 0)).toBe(0);
      expect(await counted()).toEqual([`${day}: 100`]);
    });

    describe("through a queue", () => {
      const queues = memoryQueues();
      const connection = defineConnection({ queues, retryAfter: 90, delivery: afterCommit() });
      const jobs = connection.queue("page-views", {
        payload: pageView,
        timeout: 30,
        tries: 3,
        backoff: [0.01],
        repeatSafety: { by: "ledger" },
      });
      afterAll(() => queues.close());

      const send = async (one: PageView, times: number) => {
        for (let index = 0; index < times; index += 1) {
          const message = { id: newJobId(), payload: JSON.stringify(one), occurredAt: new Date() };
          await queues.send(definitionOf(jobs).policy, [message]);
        }
      };

      test("PV-06, PV-07 two workers, the same event four times, one that dies after its commit: counted once", async () => {
        let ends = 0;
        const handle = async (one: PageView) => {
          await recordPageView.execute(one);
          ends += 1;
          // As if the process had died here, for all that the queue knows.
          if (ends === 1) throw new Error("after the commit");
        };
        const workers = [
          await startWorker(jobs, ({ payload }) => handle(payload)),
          await startWorker(jobs, ({ payload }) => handle(payload)),
        ];
        await send(view(), 4);
        await vi.waitFor(() => {
          expect(ends).toBe(5);
        });
        await Promise.all(workers.map((worker) => worker.stop()));
        expect(await counted()).toEqual([`${day}: 1`]);
      });

      test("PV-08 a view from before midnight that is tried again after it counts for its own day", async () => {
        const late = acceptPageView(new Date("2026-10-09T14:59:50Z"), "Asia/Seoul");
        await recordPageView.execute(late);
        expect(await counted()).toEqual(["2026-10-09: 1"]);
      });

      test("PV-10 a handler that makes the event's id counts each delivery: the mistake", async () => {
        let ends = 0;
        const worker = await startWorker(jobs, async ({ payload: { day: of } }) => {
          await recordPageView.execute({ eventId: randomUUID(), day: of });
          ends += 1;
          if (ends === 1) throw new Error("after the commit");
        });
        await send(view(), 1);
        await vi.waitFor(() => {
          expect(ends).toBe(2);
        });
        await worker.stop();
        expect(await counted()).toEqual([`${day}: 2`]);
      });

      test("PV-12 a day that is none is refused before anything is written", async () => {
        const run = transactions.run((tx) => jobs.enqueue(tx, { eventId: randomUUID(), day: "2026-13-09" }));
        await expect(run).rejects.toThrow(InvalidPayloadError);
        expect(await events()).toBe(0);
      });
    });
  });
});
