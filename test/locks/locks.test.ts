/** What every lock store must do, on its real server (F11), and what a lock makes of it. */
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Lock, LockHeldError } from "../../src/controls/lock.js";
import { updateValue } from "../../src/controls/shared-value.js";
import { ConfigurationError } from "../../src/errors.js";
import type { LockChange } from "../../src/locks/lock-store.js";
import { lockSubjects, type OpenedLocks } from "./subjects.js";

const run = Math.random().toString(36).slice(2);
let number = 0;
/** Of the form that controls make, with what a store could trip over. */
const newKey = () => `unique:orders%20${run}:${(number += 1).toString()}:it's`;

describe.each(lockSubjects)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: OpenedLocks;

    beforeAll(async () => {
      opened = await subject.open();
    });
    afterAll(() => opened.close());

    const lock = (name: string, ttl = 30, owner?: string) =>
      new Lock(opened.store, name, { for: ttl, ...(owner === undefined ? {} : { owner }) });

    test("LK-01 of many that try at once, one gets it", async () => {
      const key = newKey();
      const locks = Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0 ? lock(key) : new Lock(opened.other, key, { for: 30 }),
      );
      const got = await Promise.all(locks.map((one) => one.acquire()));
      expect(got.filter(Boolean)).toHaveLength(1);
      const owner = locks[got.indexOf(true)]?.owner;
      expect((await opened.other.read(key))?.value).toBe(owner);
    });

    test("LK-02 only the owner can release it", async () => {
      const key = newKey();
      const [mine, another] = [lock(key), lock(key)];
      expect(await mine.acquire()).toBe(true);
      expect(await another.release()).toBe(false);
      expect(await another.acquire()).toBe(false);
      expect(await mine.release()).toBe(true);
      expect(await mine.release()).toBe(false);
      expect(await another.acquire()).toBe(true);
    });

    test("LK-03 after its time another gets it, and the first one's release does nothing to that", async () => {
      const key = newKey();
      const [mine, another] = [lock(key, 0.3), lock(key)];
      expect(await mine.acquire()).toBe(true);
      expect(await another.acquire()).toBe(false);
      await sleep(400);
      expect(await another.acquire()).toBe(true);
      expect(await mine.release()).toBe(false);
      expect((await opened.store.read(key))?.value).toBe(another.owner);
    });

    test("LK-04 with its token another process can release it", async () => {
      const key = newKey();
      const mine = lock(key);
      await mine.acquire();
      const restored = new Lock(opened.other, key, { for: 1, owner: mine.owner });
      expect(await restored.acquire()).toBe(true);
      expect(await restored.release()).toBe(true);
      expect(await opened.store.read(key)).toBeUndefined();
    });

    test("LK-05 who waits gets it when it is free, or an error after the time", async () => {
      const key = newKey();
      const mine = lock(key);
      await mine.acquire();
      const startedAt = Date.now();
      await expect(lock(key).run(() => "ran", { wait: 0.4 })).rejects.toThrow(LockHeldError);
      expect(Date.now() - startedAt).toBeGreaterThanOrEqual(390);
      const waiting = lock(key).run(() => "ran", { wait: 5 });
      await mine.release();
      expect(await waiting).toBe("ran");
    });

    test("LK-06 it is free when what it guards throws", async () => {
      const key = newKey();
      await expect(
        lock(key).run(() => {
          throw new Error("no");
        }),
      ).rejects.toThrow("no");
      expect(await lock(key).acquire()).toBe(true);
    });

    test("what is lost is free, and its release is no error", async () => {
      const key = newKey();
      const mine = lock(key);
      await mine.acquire();
      await opened.flush();
      expect(await lock(key).acquire()).toBe(true);
      expect(await mine.release()).toBe(false);
    });

    test("a value says how long it lives, and a change sets that anew", async () => {
      const key = newKey();
      await opened.store.compareAndSet(key, { from: undefined, to: "a", ttl: 30 });
      const first = await opened.store.read(key);
      expect(first?.remaining).toBeGreaterThan(27);
      expect(first?.remaining).toBeLessThanOrEqual(30.1);
      await opened.store.compareAndSet(key, { from: "a", to: "b", ttl: 90 });
      expect((await opened.store.read(key))?.remaining).toBeGreaterThan(87);
    });

    test("values come back as they were", async () => {
      for (const value of ["", " ", "0", "false", "123", '{"a":"ä☂\\"\\n"}', "x".repeat(3000)]) {
        const key = newKey();
        await opened.store.compareAndSet(key, { from: undefined, to: value, ttl: 30 });
        expect((await opened.store.read(key))?.value).toBe(value);
        expect(await opened.store.compareAndSet(key, { from: value, to: undefined, ttl: 1 })).toEqual({
          changed: true,
        });
      }
    });

    test("changes of many at once are all counted", async () => {
      const key = newKey();
      const stores = [opened.store, opened.other];
      const add = (index: number) =>
        updateValue(stores[index % 2] ?? opened.store, key, (current) => ({
          value: (Number(current?.value ?? 0) + 1).toString(),
          ttl: 30,
        }));
      await Promise.all(Array.from({ length: 20 }, (_, index) => add(index)));
      expect((await opened.store.read(key))?.value).toBe("20");
    });

    test("any sequence of changes does what a single variable would", async () => {
      const value = fc.option(fc.constantFrom("a", "b"), { nil: undefined });
      const change = fc.record({ from: value, to: value, ttl: fc.constant(60), other: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
          const key = newKey();
          let model: string | undefined;
          for (const { other, ...one } of changes satisfies (LockChange & { other: boolean })[]) {
            const answer = await (other ? opened.other : opened.store).compareAndSet(key, one);
            expect(answer.changed).toBe(one.from === model);
            if (!answer.changed) expect(answer.current?.value).toBe(model);
            if (answer.changed) model = one.to;
            expect((await opened.store.read(key))?.value).toBe(model);
          }
        }),
        { numRuns: 25 },
      );
    });
  });
});

test("LK-07 a lock without an end is refused", () => {
  const [memory] = lockSubjects;
  return memory?.open().then(({ store }) => {
    for (const ttl of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => new Lock(store, "key", { for: ttl })).toThrow(ConfigurationError);
    }
    for (const name of ["", "a b", "ä", "x".repeat(201)]) {
      expect(() => new Lock(store, name, { for: 1 })).toThrow(ConfigurationError);
    }
  });
});
