/** `debounce` on the queues in memory, with time in the test's hands (F6). On BullMQ: native.test.ts. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LockStoreError } from "../../src/controls/control-context.js";
import { pass, Setting, sleep, type Payload } from "./setting.js";

let setting: Setting;
let runs: { readonly n: number | undefined; readonly product: string; readonly at: number }[];
beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000_000_000 });
  setting = new Setting();
  runs = [];
});
afterEach(async () => {
  await setting.close();
  vi.useRealTimers();
});

const debounce = { id: ({ product }: Payload) => product, for: 30 };
const start = (queue: ReturnType<Setting["define"]>, concurrency = 1, takes = 0) =>
  setting.start(
    queue,
    async ({ payload: { product, n } }) => {
      runs.push({ product, n, at: Math.round((Date.now() - 1_000_000_000_000) / 1000) });
      await sleep(takes);
    },
    concurrency,
  );
const ask = (queue: ReturnType<Setting["define"]>, n: number, product = "desk") =>
  setting.dispatch(queue, { product, n });

test("DB-01 one alone runs once, after the quiet time", async () => {
  const queue = setting.define({ debounce });
  await start(queue);
  await ask(queue, 1);
  await pass(29);
  expect(runs).toEqual([]);
  await pass(100);
  expect(runs).toMatchObject([{ n: 1, at: 30 }]);
  expect(setting.events).toEqual([]);
});

test("DB-02, DB-04 of a burst the last one runs; each of the others is told of when it is taken", async () => {
  const queue = setting.define({ debounce });
  await start(queue);
  const receipts = [];
  for (let n = 1; n <= 10; n += 1) {
    receipts.push(await ask(queue, n));
    if (n < 10) await pass(2);
  }
  expect(receipts.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 10 }, () => "enqueued"));
  expect(setting.events).toEqual([]);
  await pass(100);
  expect(runs).toMatchObject([{ n: 10, at: 48 }]);
  const last = receipts.at(-1)?.id;
  expect(setting.events).toMatchObject(
    receipts.slice(0, 9).map(({ id }) => ({ what: "superseded", queue: "index", id, by: expect.anything() as string })),
  );
  expect(setting.events.at(-1)).toMatchObject({ by: last });
});

test("DB-02 a worker that has lagged behind, and takes a whole burst at once, runs the last one", async () => {
  const queue = setting.define({ debounce });
  for (let n = 1; n <= 10; n += 1) await ask(queue, n);
  await pass(200);
  await start(queue, 10);
  await pass(1);
  expect(runs).toMatchObject([{ n: 10 }]);
});

test("DB-03 each id has its own", async () => {
  const queue = setting.define({ debounce });
  await start(queue);
  await ask(queue, 1, "desk");
  await ask(queue, 2, "chair");
  await pass(100);
  expect(runs).toMatchObject([{ product: "desk" }, { product: "chair" }]);
});

test("of equal jobs of one transaction only the last is sent", async () => {
  const queue = setting.define({ debounce });
  await start(queue);
  const { value } = await setting.transactions.run(async (tx) => [
    await queue.enqueue(tx, { product: "desk", n: 1 }),
    await queue.enqueue(tx, { product: "desk", n: 2 }),
  ]);
  const [first, last] = value;
  expect(first).toMatchObject({ outcome: "superseded", existing: last?.id });
  expect(last?.outcome).toBe("enqueued");
  expect(setting.waiting()).toEqual([{ product: "desk", n: 2 }]);
  expect(setting.events).toEqual([{ what: "superseded", queue: "index", id: first?.id, by: last?.id }]);
});

test("DB-06 what the store has lost runs: everything, rather than nothing", async () => {
  const queue = setting.define({ debounce });
  await start(queue);
  await ask(queue, 1);
  await ask(queue, 2);
  setting.flush();
  await pass(100);
  expect(runs.map(({ n }) => n)).toEqual([1, 2]);
});

test.each([1, 1000])(
  "DB-07 under steady load one runs by maxWait, also where the worker is slow (%d at once)",
  async (concurrency) => {
    const queue = setting.define({ debounce: { ...debounce, maxWait: 120 } });
    await start(queue, concurrency, 5);
    for (let n = 0; n <= 20; n += 1) {
      await ask(queue, n);
      await pass(10);
    }
    await pass(100);
    // The one at 90 is due at 120; the last one was at 200.
    expect(runs.map(({ n, at }) => [n, at])).toEqual([
      [9, 120],
      [20, 230],
    ]);
  },
);

test("DB-08 after a run and a long quiet the next one waits as the first did", async () => {
  const queue = setting.define({ debounce: { ...debounce, maxWait: 60 } });
  await start(queue);
  await ask(queue, 1);
  await pass(200);
  await ask(queue, 2);
  await pass(100);
  expect(runs.map(({ at }) => at)).toEqual([30, 230]);
});

test.each(["before", "after"])(
  "DB-10 a later one that is rolled back supersedes nothing (taken %s the rollback)",
  async (when) => {
    const queue = setting.define({ debounce });
    await start(queue);
    await ask(queue, 1);
    let fail: () => void = () => undefined;
    const later = setting.transactions.run(async (tx) => {
      await queue.enqueue(tx, { product: "desk", n: 2 });
      await new Promise<void>((_, reject) => {
        fail = () => {
          reject(new Error("no"));
        };
      });
    });
    await pass(when === "before" ? 40 : 10);
    fail();
    await expect(later).rejects.toThrow("no");
    await pass(100);
    expect(runs.map(({ n }) => n)).toEqual([1]);
  },
);

test("DB-11 a later one that the queue refuses supersedes nothing", async () => {
  const queue = setting.define({ debounce });
  await start(queue);
  await ask(queue, 1);
  const send = setting.queues.send.bind(setting.queues);
  setting.queues.send = () => Promise.reject(new Error("the queue is down"));
  await expect(ask(queue, 2)).rejects.toThrow("the queue is down");
  setting.queues.send = send;
  await pass(100);
  expect(runs.map(({ n }) => n)).toEqual([1]);
});

test("DB-12 a try that follows is dropped when a later job has come meanwhile", async () => {
  const queue = setting.define({ debounce }, { tries: 3, backoff: [60] });
  let starts = 0;
  await setting.start(queue, ({ payload }) => {
    starts += 1;
    if (payload.n === 1) throw new Error("no");
  });
  await ask(queue, 1);
  await pass(31);
  expect(starts).toBe(1);
  await ask(queue, 2);
  await pass(300);
  expect(starts).toBe(2);
  expect(setting.told).toEqual(["superseded"]);
  expect(setting.failed).toEqual([]);
});

test("a request while the job runs leads to one more run, with the last payload", async () => {
  const queue = setting.define({ debounce });
  await start(queue, 1, 20);
  await ask(queue, 1);
  await pass(35);
  await ask(queue, 2);
  await ask(queue, 3);
  await pass(200);
  expect(runs.map(({ n }) => n)).toEqual([1, 3]);
});

test("DB-13 an explicit delay stays", async () => {
  const queue = setting.define({ debounce });
  await start(queue);
  await setting.dispatch(queue, { product: "desk", n: 1 }, { delay: 100 });
  await pass(99);
  expect(runs).toEqual([]);
  await pass(10);
  expect(runs).toMatchObject([{ n: 1, at: 100 }]);
});

test("a lock store that is down: open runs each of them, closed refuses and waits", async () => {
  const open = setting.define({ debounce });
  const closed = setting.define({ debounce: { ...debounce, ifStoreFails: "closed" } }, { name: "closed" });
  await start(open);
  await start(closed);
  await setting.dispatch(closed, { product: "stool" });
  setting.down = new Error("connection refused");
  await ask(open, 1);
  await ask(open, 2);
  await expect(ask(closed, 3)).rejects.toThrow(LockStoreError);
  await pass(60);
  expect(runs.map(({ n }) => n)).toEqual([1, 2]);
  expect(setting.told).toContain("postponed debounce");
  setting.down = undefined;
  await pass(20);
  expect(runs).toHaveLength(3);
});
