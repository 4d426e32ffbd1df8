/** What keeps a job from running now: `withoutOverlapping` (F7), `rateLimit` and `throttleErrors` (F8), in memory. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { definitionOf } from "../../src/queue.js";
import { pass, Setting, sleep, type Payload } from "./setting.js";

let setting: Setting;
let running: number;
let most: number;
let ran: number[];
beforeEach(() => {
  vi.useFakeTimers();
  setting = new Setting();
  [running, most, ran] = [0, 0, []];
});
afterEach(async () => {
  await setting.close();
  vi.useRealTimers();
});

const id = ({ product }: Payload) => product;
const never = () => new Promise<never>(() => undefined);
const takes =
  (seconds: number) =>
  async ({ payload }: { readonly payload: Payload }) => {
    running += 1;
    most = Math.max(most, running);
    await sleep(seconds);
    running -= 1;
    ran.push(payload.n ?? 0);
  };
const ask = (queue: ReturnType<Setting["define"]>, n: number, product = "desk") =>
  setting.dispatch(queue, { product, n });

describe("withoutOverlapping", () => {
  const withoutOverlapping = { id, for: 60 };

  test("WO-01 two of one id never run at once, and both run", async () => {
    const queue = setting.define({ withoutOverlapping });
    await setting.start(queue, takes(5), 2);
    await ask(queue, 1);
    await ask(queue, 2);
    await pass(30);
    expect([most, ran]).toEqual([1, [1, 2]]);
    expect(setting.told).toEqual(["postponed withoutOverlapping"]);
  });

  test("WO-02 others run at the same time", async () => {
    const queue = setting.define({ withoutOverlapping });
    await setting.start(queue, takes(5), 2);
    await ask(queue, 1, "desk");
    await ask(queue, 2, "chair");
    await pass(6);
    expect(most).toBe(2);
  });

  test("WO-03 a handler that throws frees the lock at once", async () => {
    const queue = setting.define({ withoutOverlapping }, { tries: 2 });
    const handler = ({ attempt }: { readonly attempt: number }) => {
      if (attempt === 1) throw new Error("no");
    };
    await setting.start(queue, handler);
    await ask(queue, 1);
    await pass(1);
    expect(setting.events).toEqual([]);
    expect(setting.waiting()).toEqual([]);
  });

  test("WO-04 with one try the second waits and runs: being put off is no start", async () => {
    const queue = setting.define({ withoutOverlapping: { ...withoutOverlapping, otherwise: 2 } }, { tries: 1 });
    await setting.start(queue, takes(9), 2);
    await ask(queue, 1);
    await ask(queue, 2);
    await pass(40);
    expect([most, ran]).toEqual([1, [1, 2]]);
    expect(setting.events.length).toBeGreaterThan(2);
    expect(setting.failed).toEqual([]);
  });

  test("WO-05 one that is to be skipped does not run, and is told of as skipped", async () => {
    const queue = setting.define({ withoutOverlapping: { ...withoutOverlapping, otherwise: "skip" } });
    await setting.start(queue, takes(5), 2);
    await ask(queue, 1);
    const second = await ask(queue, 2);
    await pass(30);
    expect(ran).toEqual([1]);
    expect(setting.events).toEqual([{ what: "skipped", queue: "index", id: second.id, control: "withoutOverlapping" }]);
  });

  test("WO-06 when a worker is killed the lock ends after its time", async () => {
    const queue = setting.define({ withoutOverlapping: { ...withoutOverlapping, otherwise: 5 } }, { tries: 2 });
    // What a killed worker leaves behind: its lock, and its job in the queue.
    const dead = setting.define({ withoutOverlapping: { ...withoutOverlapping, group: "index" } }, { name: "dead" });
    await setting.start(dead, never);
    await setting.dispatch(dead, { product: "desk" });
    await pass(1);
    await setting.start(queue, takes(1));
    await ask(queue, 1);
    await pass(50);
    expect(ran).toEqual([]);
    await pass(20);
    expect(ran).toEqual([1]);
  });

  test("WO-07 a handler that does not stop at its timeout overlaps when the lock's time is over: its limit", async () => {
    const queue = setting.define({ withoutOverlapping: { id, for: 31, otherwise: 1 } }, { tries: 1 });
    await setting.start(queue, takes(80), 2);
    await ask(queue, 1);
    await ask(queue, 2);
    await pass(34);
    expect(running).toBe(2);
    await pass(200);
  });

  test("WO-08 queues of one group exclude each other, others do not", async () => {
    const group = { withoutOverlapping: { ...withoutOverlapping, group: "products" } };
    const [one, two, other] = [
      setting.define(group, { name: "one" }),
      setting.define(group, { name: "two" }),
      setting.define({ withoutOverlapping }, { name: "other" }),
    ];
    for (const queue of [one, two, other]) await setting.start(queue, takes(5));
    await ask(one, 1);
    await ask(other, 3);
    await pass(1);
    await ask(two, 2);
    await pass(1);
    expect(most).toBe(2);
    expect(setting.told).toEqual(["postponed withoutOverlapping"]);
    await pass(30);
    expect(ran.sort()).toEqual([1, 2, 3]);
  });

  test("WO-09 a second delivery of the same job waits for the first, and runs then: it is no idempotency", async () => {
    const queue = setting.define(
      { withoutOverlapping: { ...withoutOverlapping, otherwise: 1 } },
      { tries: 3, timeout: 30, retryAfter: 36 },
    );
    // The first run goes on until just before its lock ends; its lease is over before.
    await setting.start(queue, takes(40), 2);
    await ask(queue, 1);
    await pass(39);
    expect([running, most]).toEqual([1, 1]);
    await pass(200);
    expect(ran.length).toBeGreaterThan(1);
  });

  test("a lock store that is down: open runs at once, closed waits", async () => {
    const open = setting.define({ withoutOverlapping });
    const closed = setting.define(
      { withoutOverlapping: { ...withoutOverlapping, ifStoreFails: "closed" } },
      { name: "closed" },
    );
    await setting.start(open, takes(1));
    await setting.start(closed, takes(1));
    setting.down = new Error("connection refused");
    await ask(open, 1);
    await ask(closed, 2);
    await pass(5);
    expect(ran).toEqual([1]);
    expect(setting.told).toContain("postponed withoutOverlapping");
    setting.down = undefined;
    await pass(20);
    expect(ran).toEqual([1, 2]);
  });
});

describe("rateLimit", () => {
  test("MW-01 one above the limit waits for the rest of the time", async () => {
    const queue = setting.define({ rateLimit: { id: () => "all", limit: 1, per: 60 } });
    await setting.start(queue, takes(0));
    await ask(queue, 1);
    await pass(10);
    await ask(queue, 2);
    await pass(1);
    expect(ran).toEqual([1]);
    const [event] = setting.events;
    expect(event).toMatchObject({ what: "postponed", control: "rateLimit" });
    expect(event?.what === "postponed" && event.delay > 45 && event.delay <= 63).toBe(true);
    await pass(60);
    expect(ran).toEqual([1, 2]);
  });

  test("MW-03 of two limits none counts what the other refuses", async () => {
    const rateLimit = [
      { id, limit: 1, per: 60 },
      { id: () => "all", limit: 1, per: 10, otherwise: "skip" },
    ] as const;
    const queue = setting.define({ rateLimit });
    await setting.start(queue, takes(0));
    await ask(queue, 1, "desk");
    await pass(1);
    await ask(queue, 2, "chair");
    await pass(11);
    expect(setting.told).toEqual(["skipped rateLimit"]);
    // Refused by the second limit, so the first one still has room for a chair.
    await ask(queue, 3, "chair");
    await pass(1);
    expect(ran).toEqual([1, 3]);
  });

  test("MW-09 one that is to be skipped is told of as skipped, and does not run", async () => {
    const queue = setting.define({ rateLimit: { id: () => "all", limit: 1, per: 60, otherwise: "skip" } });
    await setting.start(queue, takes(0));
    await ask(queue, 1);
    await ask(queue, 2);
    await pass(100);
    expect([ran, setting.told]).toEqual([[1], ["skipped rateLimit"]]);
  });

  test("no more start than allowed, however many workers try", async () => {
    const queue = setting.define({ rateLimit: { id: () => "all", limit: 7, per: 60 } });
    for (let n = 0; n < 50; n += 1) await ask(queue, n);
    await setting.start(queue, takes(0), 20);
    await pass(30);
    expect(ran).toHaveLength(7);
    await pass(65);
    expect(ran).toHaveLength(14);
  });
});

describe("throttleErrors", () => {
  const throttleErrors = { id: () => "carrier", after: 10, within: 600 };

  test("MW-04, MW-06 after ten errors no job starts for the rest of the time; each error counts as a try, as without it", async () => {
    const queue = setting.define({ throttleErrors });
    let starts = 0;
    await setting.start(queue, () => {
      starts += 1;
      throw new Error("the carrier is down");
    });
    for (let n = 0; n < 11; n += 1) await ask(queue, n);
    await pass(60);
    expect([starts, setting.failed.length]).toEqual([10, 10]);
    expect(setting.told).toEqual(["postponed throttleErrors"]);
    await pass(580);
    expect(starts).toBe(11);
  });

  test("MW-05 a success sets the count to nothing", async () => {
    const queue = setting.define({ throttleErrors });
    await setting.start(queue, ({ payload }) => {
      if (payload.n !== 0) throw new Error("no");
      ran.push(0);
    });
    for (let n = 9; n >= 0; n -= 1) await ask(queue, n);
    await pass(1);
    expect(ran).toEqual([0]);
    for (let n = 1; n <= 10; n += 1) await ask(queue, n);
    await pass(1);
    expect(setting.events).toEqual([]);
    expect(setting.failed).toHaveLength(19);
  });
});

test("a job that was put off has the attempt that it had", async () => {
  const queue = setting.define({ rateLimit: { id: () => "all", limit: 1, per: 10 } });
  const attempts: number[] = [];
  await setting.start(queue, ({ attempt }) => attempts.push(attempt));
  for (let n = 0; n < 4; n += 1) await ask(queue, n);
  await pass(60);
  expect(attempts).toEqual([1, 1, 1, 1]);
  expect(definitionOf(queue).policy.tries).toBe(1);
});
