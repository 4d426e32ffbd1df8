/** What only Amazon SQS has: batches, groups, redrive policies. The rest is in the suite of all queues. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { newJobId } from "../../src/job-id.js";
import type { Message, QueuePolicy, TakenMessage } from "../../src/queues/queues.js";
import { openSqs } from "./sqs.js";

const policy: QueuePolicy = { name: "orders", timeout: 5, retryAfter: 10, tries: 5, backoff: [] };
const complete = { do: "complete" } as const;
const errors: unknown[] = [];
const options = { concurrency: 10, onError: (error: unknown) => errors.push(error) };
const message = (payload: unknown, orderKey?: string): Message => ({
  id: newJobId(),
  payload: JSON.stringify(payload),
  occurredAt: new Date("2026-11-30T12:34:56.789Z"),
  ...(orderKey === undefined ? {} : { orderKey }),
});

let opened: Awaited<ReturnType<typeof openSqs>>;
const open = async (kind: "standard" | "fifo", maxReceiveCount?: number) => {
  opened = await openSqs(kind);
  await opened.prepare(policy, maxReceiveCount);
  return opened;
};
afterEach(async () => {
  await opened.queues.close();
  await opened.close();
  expect(errors.splice(0)).toEqual([]);
});

describe("a group of a FIFO queue", () => {
  test.each([
    ["customer-1", "customer-1"],
    ["longer than SQS takes", "customer 1: ☂ ".repeat(30)],
  ])("is handled in order, one at a time: %s", async (_name, key) => {
    const { client, queues } = await open("fifo");
    const receive = vi.spyOn(client, "receiveMessage");
    const seen: unknown[] = [];
    let [running, most] = [0, 0];
    await queues.send(
      policy,
      Array.from({ length: 12 }, (_, index) => message(index, key)),
    );
    await queues.work(policy, options, async (taken) => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      // Its next try comes before those behind it.
      if (seen.length === 3 && taken.attempt === 1) return { do: "retry", delay: 0, error: new Error("no") };
      seen.push(JSON.parse(taken.message.payload));
      return complete;
    });
    await vi.waitFor(
      () => {
        expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
      },
      { timeout: 5000 },
    );
    expect(most).toBe(1);
    // Amazon's own hands out several of a group to one request, the server of these tests does not.
    for (const [input] of receive.mock.calls) expect(input.MaxNumberOfMessages).toBe(1);
  });

  test("does not hold up messages without a key", async () => {
    const { queues } = await open("fifo");
    const started = new Set<string>();
    let letEnd: () => void = () => undefined;
    const mayEnd = new Promise<void>((resolve) => (letEnd = resolve));
    await queues.send(policy, [message(1), message(2), message(3)]);
    await queues.work(policy, options, async ({ message: { id } }) => {
      started.add(id);
      await mayEnd;
      return complete;
    });
    await vi.waitFor(() => {
      expect(started.size).toBe(3);
    });
    letEnd();
  });
});

test("messages that are too large for one batch together go in several", async () => {
  const { queues } = await open("standard");
  const sent = Array.from({ length: 7 }, (_, index) => message({ index, text: "x".repeat(200_000) }));
  const taken = new Set<string>();
  await queues.send(policy, sent);
  await queues.work(policy, options, (one) => {
    taken.add(one.message.id);
    return Promise.resolve(complete);
  });
  await vi.waitFor(
    () => {
      expect(taken).toEqual(new Set(sent.map(({ id }) => id)));
    },
    { timeout: 5000 },
  );
});

test("what SQS refuses rejects the send", async () => {
  const { queues } = await open("standard");
  await expect(queues.send(policy, [message("x".repeat(2 ** 20))])).rejects.toThrow();
  await expect(queues.send(policy, [{ ...message(1), delay: 901 }])).rejects.toThrow("900 s at most");
  await expect(queues.send({ ...policy, name: "missing" }, [message(1)])).rejects.toThrow();
});

test("a message of something else comes under SQS's own id, and is kept as it was when it is given up", async () => {
  const { client, queues, urlOf } = await open("standard");
  const { MessageId } = await client.sendMessage({ QueueUrl: urlOf("orders"), MessageBody: "no JSON" });
  const taken: TakenMessage[] = [];
  await queues.work(policy, options, (one) => {
    taken.push(one);
    return Promise.resolve({ do: "fail", error: new Error("no") });
  });
  await vi.waitFor(async () => {
    const { Messages } = await client.receiveMessage({ QueueUrl: urlOf("orders-dead") });
    expect(Messages).toMatchObject([{ Body: "no JSON" }]);
  });
  expect(taken).toMatchObject([{ message: { id: MessageId, payload: "null" }, attempt: 1 }]);
});

describe("a worker does not start", () => {
  const start = () => opened.queues.work(policy, options, () => Promise.resolve(complete));

  test("where SQS would take jobs away before their tries are used", async () => {
    await open("standard", 5);
    await expect(start()).rejects.toThrow("must be above its tries (5)");
  });

  test("where jobs that are given up would be lost", async () => {
    opened = await openSqs("standard");
    await opened.create(policy.name, {});
    await expect(start()).rejects.toThrow("no dead-letter queue");
  });
});

test("the lease is the queue's, whatever the policy says", async () => {
  const { queues } = await open("standard");
  expect(await queues.effectiveLease({ ...policy, retryAfter: 90 })).toBe(10);
});
