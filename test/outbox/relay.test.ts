/** What relays send, mark, and never send twice without need, on real databases (F16). */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { newJobId } from "../../src/job-id.js";
import { insertInto } from "../../src/outbox/outbox-insert.js";
import { createRelay } from "../../src/outbox/relay.js";
import { ConfigurationError } from "../../src/errors.js";
import { driversAndMostUsed, subjects } from "../databases/subjects.js";
import { down, Setting } from "./setting.js";

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const byNumber = (a: number, b: number) => a - b;

describe.each(driversAndMostUsed)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let setting: Setting;

    beforeAll(async () => {
      setting = await Setting.open(subject);
    });
    beforeEach(() => setting.renew());
    afterEach(async () => {
      await setting.stopRelays();
      await vi.waitFor(() => {
        expect(setting.opened.inUse()).toBe(0);
      });
    });
    afterAll(() => setting.opened.close());

    const allRows = async (state: string) => {
      const rows = await setting.rows();
      return rows.length > 0 && rows.every((row) => row.endsWith(` ${state}`));
    };
    const dispatched = () =>
      vi.waitFor(async () => {
        expect(await allRows("dispatched")).toBe(true);
      }, 5000);

    test("OB-04 a queue that is down holds nothing up, and loses nothing; its errors are told", async () => {
      setting.queues.before = down;
      await setting.relay({ tries: 2 }).start();
      await setting.enqueue(...upTo(30));
      await vi.waitFor(() => {
        expect(setting.queues.calls.length).toBeGreaterThan(12);
      });
      expect(setting.errors.every(({ message, doing }) => message === "the queue is down" && doing === "send")).toBe(
        true,
      );
      // However long it is down, no row is given up.
      expect(await setting.outbox.list({ state: "failed" })).toEqual([]);
      setting.queues.before = () => undefined;
      await dispatched();
      expect(setting.sentNumbers.toSorted(byNumber)).toEqual(upTo(30));
      expect(setting.givenUp).toEqual([]);
    });

    test("a queue that is down is left alone for a while, also when more rows come", async () => {
      setting.queues.before = down;
      await setting.relay({ backoff: { first: 30, longest: 30 } }).start();
      await setting.enqueue(1);
      await vi.waitFor(() => {
        expect(setting.queues.calls).toEqual([1]);
      });
      for (const n of upTo(3)) await setting.enqueue(n);
      await sleep(100);
      expect(setting.queues.calls).toEqual([1]);
    });

    test("OB-05 a relay that dies between sending and marking leaves rows that the next one sends again", async () => {
      await setting.enqueue(1);
      // What a killed process leaves behind: a claim whose lease ends, and a message that has arrived.
      let hang = true;
      setting.queues.before = () => {
        if (hang) return new Promise(() => undefined);
        return undefined;
      };
      const dead = setting.relay({ lease: 0.4, sendTimeout: 0.2 });
      await dead.start();
      await vi.waitFor(async () => {
        expect(await setting.rows()).toEqual(["1 claimed"]);
      });
      hang = false;
      await setting.relay().start();
      await dispatched();
      expect(setting.sentNumbers).toEqual([1]);
    });

    test("OB-06 a backlog goes out in one run, in pages, in order", async () => {
      await setting.enqueue(...upTo(250));
      await setting.relay({ batch: 100 }).start();
      await dispatched();
      expect(setting.sentNumbers).toEqual(upTo(250));
      expect(setting.queues.calls).toEqual([100, 100, 50]);
    });

    test("OB-09 two relays at once send each row once", async () => {
      await setting.relay({ batch: 7 }).start();
      const first = setting.queues;
      setting.another();
      await setting.relay({ batch: 5 }).start();
      await Promise.all(upTo(20).map((n) => setting.enqueue(...upTo(10).map((m) => n * 10 + m))));
      await dispatched();
      expect(setting.queues).toBe(first);
      expect(setting.sentNumbers.toSorted(byNumber)).toEqual(upTo(200));
    });

    test("OB-10 a row that its queue refuses lets the others pass, is given up and reported, and can be requeued", async () => {
      setting.queues.refuse((payload) => (payload as { n: number }).n % 10 === 3);
      await setting.enqueue(...upTo(25));
      await setting.relay({ tries: 3 }).start();
      await vi.waitFor(() => {
        expect(setting.sentNumbers).toHaveLength(22);
      });
      // It is only given up when the queue is known to work.
      for (let n = 100; setting.givenUp.length < 3; n += 1) {
        await setting.enqueue(n);
        await sleep(20);
        expect(n).toBeLessThan(300);
      }
      const failed = await setting.outbox.list({ state: "failed" });
      expect(failed.map(({ payload }) => payload).toSorted()).toEqual(['{"n":13}', '{"n":23}', '{"n":3}']);
      for (const { attempts, lastError } of failed) {
        expect(attempts).toBeGreaterThanOrEqual(3);
        expect(lastError).toBe("refused");
      }
      expect(setting.givenUp.map(({ id }) => id).toSorted()).toEqual(failed.map(({ id }) => id).toSorted());

      setting.queues.before = () => undefined;
      expect(await setting.outbox.requeue(failed.map(({ id }) => id))).toBe(3);
      await dispatched();
      expect(setting.sentNumbers).toEqual(expect.arrayContaining([3, 13, 23]));
    });

    test("OB-10 many bad rows at the head of the line do not block it", async () => {
      setting.queues.refuse((payload) => (payload as { n: number }).n < 60);
      await setting.enqueue(...upTo(64));
      await setting.relay({ batch: 20 }).start();
      await vi.waitFor(() => {
        expect(setting.sentNumbers.toSorted(byNumber)).toEqual([60, 61, 62, 63]);
      }, 10_000);
    });

    test("OB-10 a queue that is down does not hold up the others of the outbox", async () => {
      setting.queues.before = down;
      await setting.enqueue(...upTo(10));
      const { sent, others, queue } = setting.otherQueue();
      await setting.relay().start();
      await setting.transactions.run((tx) => queue.enqueue(tx, { n: 1 }));
      await vi.waitFor(() => {
        expect(sent).toEqual([{ n: 1 }]);
      });
      expect(others.library).toBe("test");
    });

    test("OB-15 a relay that stops marks what it has sent, and gives the rest back", async () => {
      let confirm: () => void = () => undefined;
      setting.queues.before = () =>
        new Promise((resolve) => {
          confirm = resolve;
        });
      await setting.enqueue(...upTo(5));
      const relay = setting.relay({ batch: 2 });
      await relay.start();
      await vi.waitFor(async () => {
        expect(await setting.rows()).toContain("0 claimed");
        expect(setting.queues.calls).toEqual([2]);
      });
      const stopped = relay.stop();
      await sleep(20);
      confirm();
      await stopped;
      expect(await setting.rows()).toEqual([
        ...["0 dispatched", "1 dispatched"],
        ...["2 waiting", "3 waiting", "4 waiting"],
      ]);
      expect(setting.sentNumbers).toEqual([0, 1]);
      await relay.stop();
      await expect(relay.start()).rejects.toThrow(ConfigurationError);
    });

    test("OB-16 nothing that waits means no message", async () => {
      await setting.relay().start();
      await sleep(60);
      expect(setting.queues.calls).toEqual([]);
      expect(setting.errors).toEqual([]);
    });

    test("a relay whose lease has ended marks nothing that another one has taken", async () => {
      let confirm: () => void = () => undefined;
      setting.queues.before = (messages) => {
        if (setting.queues.calls.length > 1) return down();
        return messages.length === 0 ? undefined : new Promise((resolve) => (confirm = resolve));
      };
      await setting.enqueue(1);
      const slow = setting.relay({ lease: 20, sendTimeout: 10 });
      await slow.start();
      await vi.waitFor(() => {
        expect(setting.queues.calls).toEqual([1]);
      });
      // The lease ends early: another relay has taken the row.
      const other = "00000000-0000-4000-8000-000000000001";
      await setting.sql(`update aftercommit_outbox set claim = '${other}'`);
      confirm();
      await vi.waitFor(() => {
        expect(setting.errors).toMatchObject([{ doing: "lease lost" }]);
      });
      expect(await setting.rows()).toEqual(["1 claimed"]);
    });

    test("a queue that never answers is a failure, and the relay goes on", async () => {
      setting.queues.before = () =>
        setting.queues.calls.length === 1 ? new Promise<void>(() => undefined) : undefined;
      await setting.enqueue(1);
      await setting.relay({ sendTimeout: 0.05, lease: 1 }).start();
      await dispatched();
      expect(setting.errors[0]?.message).toContain("not confirmed within 0.05 s");
    });

    test("a database that fails is told of, and tried again", async () => {
      await setting.sql("create table moved_outbox as select 1 as one");
      await setting.sql("drop table moved_outbox");
      await setting.relay().start();
      await setting.sql("alter table aftercommit_outbox rename to moved_outbox");
      await vi.waitFor(() => {
        expect(setting.errors.some(({ doing }) => doing === "claim")).toBe(true);
      });
      await setting.sql("alter table moved_outbox rename to aftercommit_outbox");
      await setting.enqueue(1);
      await dispatched();
    });

    test("callbacks that throw break nothing", async () => {
      const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
      setting.queues.before = () => {
        if (setting.queues.calls.length === 1) throw new Error("no");
      };
      const onError = () => {
        throw new Error("of the callback");
      };
      await setting.relay({ onError }).start();
      await setting.enqueue(1);
      await dispatched();
      expect(warnings).toHaveBeenCalledWith(new Error("of the callback"));
      warnings.mockRestore();
    });

    test("OB-15 a signal stops the relay", async () => {
      const heard: string[] = [];
      const listener = () => heard.push("mine");
      process.on("SIGTERM", listener);
      const relay = setting.relay().stopOn("SIGTERM");
      await relay.start();
      process.kill(process.pid, "SIGTERM");
      await vi.waitFor(() => {
        expect(heard).toEqual(["mine"]);
      });
      await relay.stop();
      await setting.enqueue(1);
      await sleep(40);
      expect(setting.queues.calls).toEqual([]);
      expect(heard).toEqual(["mine"]);
      process.removeListener("SIGTERM", listener);
    });

    test("a queue that is defined after the start is served, too", async () => {
      await setting.relay().start();
      const { queue, sent } = setting.otherQueue();
      await setting.transactions.run((tx) => queue.enqueue(tx, { n: 1 }));
      await vi.waitFor(() => {
        expect(sent).toEqual([{ n: 1 }]);
      });
    });

    test("a relay deletes what was dispatched long enough ago, and tells when that is too soon", async () => {
      await setting.relay({ keepFor: 10 }).start();
      await vi.waitFor(() => {
        expect(setting.errors).toMatchObject([{ doing: "prune" }]);
      });
    });

    describe("order per key", () => {
      const enqueue = (...jobs: readonly (readonly [n: number, orderKey?: string])[]) =>
        setting.transactions.run(async (tx) => {
          for (const [n, orderKey] of jobs) {
            await setting.queue.enqueue(tx, { n }, orderKey === undefined ? {} : { orderKey });
          }
        });

      test("rows of one key are sent in order by two relays, also one transaction after the other", async () => {
        await setting.relay({ batch: 3 }).start();
        setting.another();
        await setting.relay({ batch: 4 }).start();
        for (const n of upTo(40)) await enqueue([n, n % 2 === 0 ? "even" : "odd"]);
        await dispatched();
        const parts = [0, 1].map((rest) => setting.sentNumbers.filter((n) => n % 2 === rest));
        for (const part of parts) expect(part).toEqual(part.toSorted(byNumber));
        expect(setting.sentNumbers).toHaveLength(40);
      });

      test("a row that cannot be sent holds back the later ones of its key, and no others", async () => {
        setting.queues.refuse((payload) => (payload as { n: number }).n === 2);
        await enqueue([1, "a"], [2, "a"], [3, "a"], [4, "b"], [5]);
        await setting.relay({ tries: 2 }).start();
        await vi.waitFor(() => {
          expect(setting.sentNumbers.toSorted(byNumber)).toEqual([1, 4, 5]);
        });
        await enqueue([6, "a"], [7, "b"]);
        for (let n = 100; setting.givenUp.length === 0; n += 1) {
          await enqueue([n]);
          await sleep(20);
          expect(n).toBeLessThan(300);
        }
        // Given up is not sent: a person decides.
        await sleep(100);
        expect(setting.sentNumbers.filter((n) => n < 100).toSorted(byNumber)).toEqual([1, 4, 5, 7]);
        const [failed] = await setting.outbox.list({ state: "failed" });
        if (failed === undefined) throw new Error("nothing was given up");
        expect(await setting.outbox.discard([failed.id])).toBe(1);
        await dispatched();
        const ofA = setting.sentNumbers.filter((n) => [1, 3, 6].includes(n));
        expect(ofA).toEqual([1, 3, 6]);
      });
    });
  });
});

describe.skipIf(subjects.find(({ name }) => name === "pg")?.available !== true)("pg", () => {
  let setting: Setting;

  beforeAll(async () => {
    const subject = subjects.find(({ name }) => name === "pg");
    if (subject === undefined) throw new Error("there is no subject pg");
    setting = await Setting.open(subject);
  });
  beforeEach(() => setting.renew());
  afterEach(() => setting.stopRelays());
  afterAll(() => setting.opened.close());

  test("a notification wakes a relay of another process at once, also for rows of many transactions", async () => {
    // Its own outbox: it is not called by the one that writes.
    const writer = { outbox: setting.outbox, queue: setting.queue };
    setting.another();
    await setting.relay({ pollEvery: 3600 }).start();
    await sleep(100);
    for (const n of upTo(5)) {
      await setting.transactions.run((tx) => writer.queue.enqueue(tx, { n }));
      await vi.waitFor(
        () => {
          expect(setting.sentNumbers).toHaveLength(n + 1);
        },
        { timeout: 1000, interval: 5 },
      );
    }
    await Promise.all(upTo(50).map((n) => setting.transactions.run((tx) => writer.queue.enqueue(tx, { n: n + 5 }))));
    await vi.waitFor(() => {
      expect(setting.sentNumbers.toSorted(byNumber)).toEqual(upTo(55));
    }, 1000);
  });

  test("without notifications polling finds the rows", async () => {
    const writer = setting.queue;
    setting.another();
    await setting.relay({ listen: false, pollEvery: 0.05 }).start();
    await setting.transactions.run((tx) => writer.enqueue(tx, { n: 1 }));
    await vi.waitFor(() => {
      expect(setting.sentNumbers).toEqual([1]);
    });
  });

  test("a lost subscription is made anew", async () => {
    const writer = setting.queue;
    setting.another();
    await setting.relay({ pollEvery: 3600 }).start();
    await sleep(100);
    await setting.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where query = 'LISTEN aftercommit_outbox'",
    );
    await vi.waitFor(() => {
      expect(setting.errors).toMatchObject([{ doing: "listen" }]);
    });
    await sleep(100);
    await setting.transactions.run((tx) => writer.enqueue(tx, { n: 1 }));
    await vi.waitFor(() => {
      expect(setting.sentNumbers).toEqual([1]);
    }, 3000);
  });

  test("OB-11 a row that is committed after a later one was sent goes out in the next run", async () => {
    await setting.relay().start();
    const { database } = setting;
    // The first transaction has its number, and is open.
    const slow = await database.begin();
    await slow.query(
      "insert into aftercommit_outbox (id, queue, payload, occurred_at) values (gen_random_uuid(), 'numbers', '{\"n\":1}', now())",
    );
    await setting.enqueue(2);
    await vi.waitFor(() => {
      expect(setting.sentNumbers).toEqual([2]);
    });
    await slow.commit();
    slow.release(false);
    await vi.waitFor(() => {
      expect(setting.sentNumbers).toEqual([2, 1]);
    });
  });

  test("OB-11 of two transactions with one key, the later one waits for the first, so their order is that of their commits", async () => {
    const { database } = setting;
    const first = await database.begin();
    const message = { id: newJobId(), payload: '{"n":1}', occurredAt: new Date(), orderKey: "a" };
    await insertInto("postgres", "aftercommit_outbox")(first, [{ queue: "numbers", message }], {});
    const ended: string[] = [];
    const second = setting.transactions
      .run((tx) => setting.queue.enqueue(tx, { n: 2 }, { orderKey: "a" }))
      .then(() => ended.push("second"));
    await setting.transactions.run((tx) => setting.queue.enqueue(tx, { n: 3 }, { orderKey: "b" }));
    expect(ended).toEqual([]);
    await first.commit();
    first.release(false);
    await second;
    await setting.relay().start();
    await vi.waitFor(() => {
      expect(setting.sentNumbers.filter((n) => n < 3)).toEqual([1, 2]);
    });
  });
});

test.each([
  ["a lease that is no longer than two sendings", { lease: 30, sendTimeout: 20 }, "twice"],
  ["a batch of nothing", { batch: 0 }, "`batch`"],
  ["no tries", { tries: 0 }, "`tries`"],
  ["no connections", { connections: 0 }, "`connections`"],
  ["polling without a pause", { pollEvery: 0 }, "`pollEvery`"],
])("%s is refused", async (_, options, message) => {
  const sqlite = subjects.find(({ name }) => name === "better-sqlite3");
  if (sqlite === undefined) throw new Error("there is no subject better-sqlite3");
  const setting = await Setting.open(sqlite);
  setting.queues = undefined as never;
  await setting.renew();
  expect(() => createRelay({ outbox: setting.outbox, ...options })).toThrow(message);
  expect(() => createRelay({ outbox: {} as never })).toThrow(ConfigurationError);
  await setting.opened.close();
});
