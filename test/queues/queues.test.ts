/** What every queue adapter must do, on real servers: at least once, with a lease, and no say for a stale holder. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { newJobId } from "../../src/job-id.js";
import type { Message, QueuePolicy, RunningWorker, Settlement, TakenMessage } from "../../src/queues/queues.js";
import type { OpenedQueues } from "./subject.js";
import { queueSubjects } from "./subjects.js";

describe.each(queueSubjects)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: OpenedQueues;
    let policy: QueuePolicy;
    let workers: RunningWorker[];
    let errors: unknown[];
    let number = 0;

    beforeAll(async () => {
      opened = await subject.open();
    });
    beforeEach(async () => {
      // A queue for each test; leases of seconds, because that is what all of these take.
      policy = { name: `queue-${(number += 1).toString()}`, timeout: 0.5, retryAfter: 1, tries: 5, backoff: [] };
      [workers, errors] = [[], []];
      await opened.prepare?.(policy);
    });
    afterEach(() => Promise.all(workers.map((worker) => worker.stop())));
    afterAll(() => opened.close());

    const complete = { do: "complete" } as const;
    const work = async (handle: (taken: TakenMessage) => Promise<Settlement> | Settlement, concurrency = 1) => {
      const onError = (error: unknown) => errors.push(error);
      const worker = await opened.queues.work(policy, { concurrency, onError }, async (taken) => handle(taken));
      workers.push(worker);
      return worker;
    };
    const message = (payload: unknown = 1, delay?: number): Message => ({
      id: newJobId(),
      payload: JSON.stringify(payload),
      occurredAt: new Date("2026-11-30T12:34:56.789Z"),
      ...(delay === undefined ? {} : { delay }),
    });
    const send = (...messages: Message[]) => opened.queues.send(policy, messages);
    const until = (assert: () => unknown, seconds = 5) => vi.waitFor(assert, { timeout: seconds * 1000, interval: 10 });
    const sleep = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

    test("what was sent arrives as it is", async () => {
      const taken: TakenMessage[] = [];
      const payloads = [
        { text: "Straße ☂ 日本", list: [1, null, 1.5e300, true], nested: { "a:b": "" } },
        "text",
        7,
        null,
        [],
      ];
      const sent = payloads.map((payload) => message(payload));
      await work((one) => {
        taken.push(one);
        return complete;
      });
      await send(...sent);
      await until(() => {
        expect(taken).toHaveLength(sent.length);
      });
      for (const { id, payload, occurredAt } of sent) {
        const arrived = taken.find((one) => one.message.id === id);
        expect(arrived?.message).toMatchObject({ id, occurredAt });
        expect(JSON.parse(arrived?.message.payload ?? "")).toEqual(JSON.parse(payload));
        expect(arrived?.attempt).toBe(1);
        expect(arrived?.leaseLost.aborted).toBe(false);
      }
      expect(errors).toEqual([]);
    });

    test("nothing sent is nothing", async () => {
      await send();
    });

    test("many messages at once all arrive, once each", async () => {
      const sent = Array.from({ length: 500 }, (_, index) => message(index));
      const taken: string[] = [];
      await send(...sent);
      await work((one) => {
        taken.push(one.message.id);
        return complete;
      }, 50);
      await until(() => {
        expect(taken).toHaveLength(500);
      }, 20);
      expect(new Set(taken).size).toBe(500);
    });

    test("no more jobs than allowed run at once", async () => {
      let [running, most, done] = [0, 0, 0];
      await send(...Array.from({ length: 8 }, () => message()));
      await work(async () => {
        running += 1;
        most = Math.max(most, running);
        await sleep(0.05);
        running -= 1;
        done += 1;
        return complete;
      }, 3);
      await until(() => {
        expect(done).toBe(8);
      });
      expect(most).toBe(3);
    });

    test.runIf(subject.repeats)("a message that is sent again comes again, under the same id", async () => {
      const once = message();
      const taken: string[] = [];
      await send(once, once);
      await send(once);
      await work((one) => {
        taken.push(one.message.id);
        return complete;
      });
      await until(() => {
        expect(taken).toEqual([once.id, once.id, once.id]);
      });
    });

    test.skipIf(subject.repeats)("a message that is sent again is run once while the first is there", async () => {
      const once = message();
      const other = message();
      const taken: string[] = [];
      await send(once, once);
      await send(once);
      let letItEnd: () => void = () => undefined;
      const mayEnd = new Promise<void>((resolve) => (letItEnd = resolve));
      await work(async (one) => {
        taken.push(one.message.id);
        await mayEnd;
        return complete;
      });
      await until(() => {
        expect(taken).toEqual([once.id]);
      });
      await send(once, other);
      letItEnd();
      await until(() => {
        expect(taken).toContain(other.id);
      });
      expect(taken.filter((id) => id === once.id)).toHaveLength(1);
    });

    test("AT-02 a job that is to be tried again waits as long as told, and its starts are counted", async () => {
      const starts: { attempt: number; at: number }[] = [];
      await work(({ attempt }) => {
        starts.push({ attempt, at: Date.now() });
        const error = new Error("not yet");
        if (attempt === 1) return { do: "retry", delay: 0, error };
        return attempt === 2 ? { do: "retry", delay: 1, error } : complete;
      });
      await send(message());
      await until(() => {
        expect(starts.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
      });
      expect((starts[2]?.at ?? 0) - (starts[1]?.at ?? 0)).toBeGreaterThanOrEqual(990);
      expect(await opened.failed(policy.name)).toBe(0);
    });

    test("the tries in force when it runs count, not those when it was sent", async () => {
      policy = { ...policy, tries: 1 };
      await send(message());
      policy = { ...policy, tries: 3 };
      const starts: number[] = [];
      await work(({ attempt }) => {
        starts.push(attempt);
        return attempt < 3 ? { do: "retry", delay: 0, error: new Error("no") } : complete;
      });
      await until(() => {
        expect(starts).toEqual([1, 2, 3]);
      });
    });

    test("AT-01 a job that is given up is kept as failed, and not started again although it has tries left", async () => {
      let starts = 0;
      await work(() => {
        starts += 1;
        return { do: "fail", error: new Error("given up") };
      });
      await send(message());
      await until(async () => {
        expect(await opened.failed(policy.name)).toBe(1);
      });
      await sleep(0.3);
      expect(starts).toBe(1);
    });

    test("whatever was thrown, the job is settled", async () => {
      const thrown: unknown[] = ["text", undefined, null, 7, { of: "no class" }, new RangeError("late", { cause: 1n })];
      let starts = 0;
      await work(() => {
        const error = thrown[starts];
        starts += 1;
        return { do: "fail", error };
      });
      await send(...thrown.map(() => message()));
      await until(async () => {
        expect(await opened.failed(policy.name)).toBe(thrown.length);
      });
      expect(starts).toBe(thrown.length);
    });

    test.runIf(subject.knowsNoDelay)("AC-13 a message with a delay is refused, not sent without", async () => {
      await expect(send(message("later", 1))).rejects.toThrow("delay");
    });

    test.skipIf(subject.knowsNoDelay)("AC-13 a message with a delay is not taken before", async () => {
      const taken: { payload: string; at: number }[] = [];
      await work((one) => {
        taken.push({ payload: one.message.payload, at: Date.now() });
        return complete;
      });
      const sentAt = Date.now();
      await send(message("later", 1), message("now"));
      await until(() => {
        expect(taken.map(({ payload }) => payload)).toEqual(['"now"', '"later"']);
      });
      expect((taken[1]?.at ?? 0) - sentAt).toBeGreaterThanOrEqual(990);
    });

    test("LE-08, LE-10 a job that outlasts its lease goes to another worker, and the first has no say any more", async () => {
      const starts: { attempt: number; at: number }[] = [];
      let lostAt = 0;
      let letSecondEnd: () => void = () => undefined;
      const secondMayEnd = new Promise<void>((resolve) => (letSecondEnd = resolve));
      let firstEnded = false;
      const handle = async ({ attempt, leaseLost }: TakenMessage): Promise<Settlement> => {
        starts.push({ attempt, at: Date.now() });
        if (attempt > 1) {
          await secondMayEnd;
          return complete;
        }
        leaseLost.addEventListener("abort", () => (lostAt = Date.now()));
        await until(() => {
          expect(starts).toHaveLength(2);
        }, 20);
        firstEnded = true;
        return { do: "fail", error: new Error("of the first") };
      };
      await work(handle);
      await send(message());
      await until(() => {
        expect(starts).toHaveLength(1);
      });
      await work(handle);
      await until(() => {
        expect(starts).toHaveLength(2);
      }, 10);
      await until(() => {
        expect(firstEnded).toBe(true);
      });
      const [first, second] = starts;
      expect(second?.attempt).toBe(2);
      expect(lostAt - (first?.at ?? 0)).toBeLessThan(1500);
      expect(lostAt).toBeLessThanOrEqual((second?.at ?? 0) + 50);
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeLessThan((1 + subject.expiryTakes) * 1000);
      await sleep(0.2);
      expect(await opened.failed(policy.name)).toBe(0);
      letSecondEnd();
    });

    test("AT-11 a worker that stops takes nothing more, and waits for what it has", async () => {
      let [started, ended] = [0, 0];
      const worker = await work(async () => {
        started += 1;
        await sleep(0.3);
        ended += 1;
        return complete;
      });
      await send(message(), message());
      await until(() => {
        expect(started).toBe(1);
      });
      await worker.stop();
      expect(ended).toBe(1);
      await sleep(0.5);
      expect(started).toBe(1);
    });

    test("the lease in force is the one that was asked for", async () => {
      const other = { ...policy, name: `${policy.name}-90`, retryAfter: 90 };
      await opened.prepare?.(other);
      expect(await opened.queues.effectiveLease(other)).toBe(90);
    });
  });
});
