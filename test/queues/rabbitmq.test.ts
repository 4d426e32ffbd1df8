/** What only RabbitMQ has: confirms, channels that are closed, queues that are deleted, workers that die. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { connect } from "amqplib";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineConnection } from "../../src/connection.js";
import { afterCommit } from "../../src/delivery.js";
import { AfterCommitError } from "../../src/errors.js";
import { newJobId } from "../../src/job-id.js";
import { outboxDdl } from "../../src/outbox/ddl.js";
import { createOutbox } from "../../src/outbox/outbox.js";
import { createRelay } from "../../src/outbox/relay.js";
import type { Message, QueuePolicy, RunningWorker, Settlement, TakenMessage } from "../../src/queues/queues.js";
import { waitOf } from "../../src/queues/rabbitmq-wait.js";
import {
  rabbitmqQueues,
  UnconfirmedPublishError,
  UnroutablePublishError,
  type AmqpChannel,
  type RabbitmqOptions,
} from "../../src/queues/rabbitmq.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import { startWorker, type Worker } from "../../src/worker/worker.js";
import { layWire, type Wire } from "../databases/wire.js";
import { subjects } from "../databases/subjects.js";
import { statementsOf } from "../ledger/statements.js";
import { address, hasRabbitmq, openBroker, rabbitmqPort, telling } from "./rabbitmq.js";
import { ownName } from "./subject.js";

const pg = subjects.find(({ name }) => name === "pg");
const sqlite = subjects.find(({ name }) => name === "better-sqlite3");

const complete = { do: "complete" } as const;
const message = (payload: unknown = 1, delay?: number): Message => ({
  id: newJobId(),
  payload: JSON.stringify(payload),
  occurredAt: new Date("2026-11-30T12:34:56.789Z"),
  ...(delay === undefined ? {} : { delay }),
});
const until = (assert: () => unknown) => vi.waitFor(assert, { timeout: 20_000, interval: 10 });

describe.skipIf(!hasRabbitmq)("on its server", () => {
  let broker: Awaited<ReturnType<typeof openBroker>>;
  let policy: QueuePolicy;
  let wire: Wire;
  let opened: ReturnType<typeof rabbitmqQueues>[];
  let workers: (RunningWorker | Worker)[];
  let errors: unknown[];
  /** Every confirm channel that was opened, the last one last. */
  let channels: AmqpChannel[];

  beforeEach(async () => {
    [broker, wire] = await Promise.all([openBroker(), layWire(rabbitmqPort)]);
    [opened, workers, errors, channels] = [[], [], [], []];
    policy = { name: ownName(), timeout: 30, retryAfter: 60, tries: 5, backoff: [] };
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await Promise.all(opened.map((queues) => queues.close()));
    await wire.close();
    await broker.close();
  });

  /** @param port of the wire, or of the server itself */
  const open = (port: number, options: Partial<RabbitmqOptions> = {}) => {
    const connecting = async () => {
      const connection = await telling(connect(`amqp://guest:guest@127.0.0.1:${port.toString()}`), broker.own);
      const create = connection.createConfirmChannel.bind(connection);
      connection.createConfirmChannel = async () => {
        const channel = await create();
        channels.push(channel);
        return channel;
      };
      return connection;
    };
    const queues = rabbitmqQueues({ connect: connecting, ...options });
    opened.push(queues);
    return queues;
  };
  const work = async (
    queues: ReturnType<typeof open>,
    handle: (taken: TakenMessage) => Promise<Settlement> | Settlement,
    concurrency = 1,
  ) => {
    const onError = (error: unknown) => errors.push(error);
    const worker = await queues.work(policy, { concurrency, onError }, async (taken) => handle(taken));
    workers.push(worker);
    return worker;
  };
  /** What no server forgives, so that it closes the channel. */
  const offend = (channel: AmqpChannel | undefined) => {
    channel?.ack({
      fields: { deliveryTag: 987_654, redelivered: false },
      properties: {},
      content: Buffer.of(),
    });
  };

  describe("a message counts as sent only when RabbitMQ has confirmed it", () => {
    test.each([
      ["before it arrives", 1],
      ["before the answer arrives", 2],
    ] as const)("the connection is lost %s", async (when, stored) => {
      const queues = open(wire.port);
      await queues.send(policy, [message("first")]);
      const lost = message("interrupted");
      wire.cutAt("interrupted", when);
      await expect(queues.send(policy, [lost])).rejects.toMatchObject({
        code: "AFTERCOMMIT_PUBLISH_UNCONFIRMED",
        state: "unknown",
      });
      expect(wire.isWaitingToCut()).toBe(false);
      await until(async () => {
        expect(await broker.count(policy.name)).toBe(stored);
      });
      // As a relay does; it reconnects by itself.
      await queues.send(policy, [lost]);
      const ids: string[] = [];
      await work(open(rabbitmqPort), (taken) => {
        ids.push(taken.message.id);
        return complete;
      });
      await until(() => {
        expect(ids).toHaveLength(stored + 1);
      });
      expect(new Set(ids.slice(1))).toEqual(new Set([lost.id]));
    });

    test("the server closes the channel", async () => {
      const queues = open(rabbitmqPort);
      await queues.send(policy, [message("first")]);
      offend(channels.at(-1));
      const refused = message("second");
      const sending = queues.send(policy, [refused]);
      await expect(sending).rejects.toMatchObject({ code: "AFTERCOMMIT_PUBLISH_UNCONFIRMED", state: "unknown" });
      await expect(sending).rejects.toThrow(UnconfirmedPublishError);
      await expect(sending).rejects.toThrow("unknown delivery tag");
      await queues.send(policy, [refused]);
      expect(await broker.count(policy.name)).toBe(2);
    });

    test("the server cannot be reached", async () => {
      await wire.refuse();
      await expect(open(wire.port).send(policy, [message()])).rejects.toMatchObject({
        code: "AFTERCOMMIT_PUBLISH_UNCONFIRMED",
        state: "nothing written",
      });
    });

    test("the server does not answer in time", async () => {
      const queues = open(rabbitmqPort, { sendTimeout: 0.2 });
      await queues.send(policy, [message()]);
      // It takes what comes, and a callback for it never does.
      vi.spyOn(channels.at(-1) ?? expect.fail(), "publish").mockReturnValue(true);
      await expect(queues.send(policy, [message()])).rejects.toMatchObject({ state: "unknown" });
    });

    test("the server has no such queue any more: that is an error, and the next sending makes it anew", async () => {
      const queues = open(rabbitmqPort);
      await queues.send(policy, [message(1), message(2, 60)]);
      await broker.onChannel((channel) => channel.deleteQueue(policy.name));
      const [lost, later] = [message("lost"), message("later", 60)];
      await expect(queues.send(policy, [lost, lost])).rejects.toMatchObject({
        code: "AFTERCOMMIT_PUBLISH_UNROUTABLE",
        state: "nothing written",
      });
      await queues.send(policy, [lost]);
      expect(await broker.count(policy.name)).toBe(1);

      await broker.onChannel((channel) => channel.deleteQueue(policy.name));
      const sending = queues.send(policy, [later, lost]);
      await expect(sending).rejects.toThrow(UnroutablePublishError);
      // What waits is stored.
      await expect(sending).rejects.toMatchObject({ state: "unknown" });
    });

    test.skipIf(pg?.available !== true)(
      "an outbox keeps what was not confirmed, and its relay sends it again",
      async () => {
        const database = await (pg ?? expect.fail()).open();
        for (const statement of statementsOf(outboxDdl("postgres"))) await database.database.query(statement);
        const transactions = createTransactionManager(database.database);
        const outbox = createOutbox({ transactions });
        const queue = defineConnection({ queues: open(wire.port), retryAfter: 60 }).queue(policy.name, {
          payload: z.object({ n: z.number(), word: z.string() }),
          timeout: 30,
          repeatSafety: { by: "overwrite" },
          delivery: outbox,
        });
        const relayErrors: unknown[] = [];
        const relay = createRelay({
          outbox,
          pollEvery: 0.02,
          backoff: { first: 0.02, longest: 0.1 },
          onError: (error) => relayErrors.push(error),
        });
        await relay.start();
        const enqueue = (n: number, word: string) =>
          transactions.run(async (tx) => {
            await queue.enqueue(tx, { n, word });
          });
        const seen: number[] = [];
        workers.push(
          await startWorker(queue, ({ payload: { n } }) => seen.push(n), {
            onError: (error) => errors.push(error),
          }),
        );
        await enqueue(0, "quiet");
        wire.cutAt("interrupted", "before the answer arrives");
        await enqueue(1, "interrupted");
        await until(() => {
          expect(wire.isWaitingToCut()).toBe(false);
        });
        wire.cutAt("interrupted", "before it arrives");
        await enqueue(2, "interrupted");
        await enqueue(3, "quiet");
        await until(async () => {
          const { rows } = await database.database.query(
            "select 1 from aftercommit_outbox where dispatched_at is null",
          );
          expect(rows).toEqual([]);
        });
        await until(() => {
          expect(new Set(seen)).toEqual(new Set([0, 1, 2, 3]));
        });
        expect(relayErrors).toContainEqual(expect.objectContaining({ code: "AFTERCOMMIT_PUBLISH_UNCONFIRMED" }));
        await relay.stop();
        await Promise.all(workers.splice(0).map((worker) => worker.stop()));
        await database.close();
      },
    );

    test("AC-10 after the commit, a sending that fails is told with the state of the data", async () => {
      const database = await (sqlite ?? expect.fail()).open();
      const transactions = createTransactionManager(database.database);
      const queue = defineConnection({ queues: open(wire.port), retryAfter: 60 }).queue(policy.name, {
        payload: z.string(),
        timeout: 30,
        repeatSafety: { by: "overwrite" },
        delivery: afterCommit(),
      });
      const enqueue = (word: string) => transactions.run((tx) => queue.enqueue(tx, word));
      const { value } = await enqueue("first");
      expect(value.outcome).toBe("enqueued");
      wire.cutAt("interrupted", "before it arrives");
      const failure: unknown = await enqueue("interrupted").catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(AfterCommitError);
      expect(failure).toMatchObject({
        state: "committed",
        errors: [{ code: "AFTERCOMMIT_PUBLISH_UNCONFIRMED", state: "unknown" }],
      });
      const rolledBack = transactions.run(async (tx) => {
        await queue.enqueue(tx, "never");
        throw new Error("no");
      });
      await expect(rolledBack).rejects.toThrow("no");
      expect(await broker.count(policy.name)).toBe(1);
      await database.close();
    });
  });

  describe("a worker", () => {
    test("goes on when the server closes its channel, and what it had comes again, counted", async () => {
      const [sender, queues] = [open(rabbitmqPort), open(rabbitmqPort)];
      const starts: { attempt: number; lost: boolean }[] = [];
      let consuming = channels.at(-1);
      await work(queues, async ({ attempt, leaseLost }) => {
        const start = { attempt, lost: false };
        starts.push(start);
        if (attempt > 1) return complete;
        offend(consuming);
        await once(leaseLost, "abort");
        start.lost = true;
        return complete;
      });
      consuming = channels.at(-1);
      await sender.send(policy, [message()]);
      await until(() => {
        expect(starts).toEqual([
          { attempt: 1, lost: true },
          { attempt: 2, lost: false },
        ]);
      });
      expect(errors).toEqual([expect.objectContaining({ code: 406 })]);
      await until(async () => {
        expect(await broker.count(policy.name)).toBe(0);
      });
    });

    test("goes on when its connection is lost, also while the server is away", async () => {
      const queues = open(wire.port);
      const attempts: number[] = [];
      await work(queues, async ({ attempt, leaseLost }) => {
        attempts.push(attempt);
        if (attempt > 1) return complete;
        await wire.refuse();
        if (!leaseLost.aborted) await once(leaseLost, "abort");
        return complete;
      });
      await open(rabbitmqPort).send(policy, [message()]);
      await until(() => {
        // That it was lost, and that it could not be had again.
        expect(errors.length).toBeGreaterThan(1);
      });
      expect(attempts).toEqual([1]);
      await wire.accept();
      await until(() => {
        expect(attempts).toEqual([1, 2]);
      });
    });

    test("AT-06 that dies gives its job to another at once, and its start counts each time", async () => {
      const children: ChildProcess[] = [];
      const script = join(import.meta.dirname, "rabbitmq-worker-child.ts");
      const start = () => {
        const child = spawn(process.execPath, [script, address, policy.name], { stdio: ["ignore", "pipe", "inherit"] });
        children.push(child);
        return child;
      };
      const output = async (child: ChildProcess) => {
        const [data] = (await once(child.stdout ?? expect.fail(), "data")) as [Buffer];
        return data.toString();
      };
      try {
        const queues = open(rabbitmqPort);
        const sent = message("job");
        await queues.send(policy, [sent]);
        for (const attempt of [1, 2]) {
          const child = start();
          expect(await output(child)).toBe(`${sent.id} ${attempt.toString()}\n`);
          child.kill("SIGKILL");
          await once(child, "exit");
        }
        const startedAt = Date.now();
        const taken: TakenMessage[] = [];
        await work(queues, (one) => {
          taken.push(one);
          return taken.length === 1 ? { do: "postpone", delay: 0 } : complete;
        });
        await until(() => {
          expect(taken).toMatchObject([
            { message: { id: sent.id }, attempt: 3 },
            // That it was put off is no start; those of the workers that died stay counted.
            { message: { id: sent.id }, attempt: 3 },
          ]);
        });
        // Long before any lease is over.
        expect(Date.now() - startedAt).toBeLessThan(policy.retryAfter * 500);
      } finally {
        for (const child of children) child.kill("SIGKILL");
      }
    });

    test("AT-01, AT-02 tries, waits and the failed job are as the queue says", async () => {
      const queues = open(rabbitmqPort);
      const queue = defineConnection({ queues, retryAfter: 60 }).queue(policy.name, {
        payload: z.object({ n: z.number() }),
        timeout: 30,
        tries: 3,
        backoff: [0.2, 0.4],
        repeatSafety: { by: "overwrite" },
        delivery: afterCommit(),
      });
      const starts: number[] = [];
      const failed: unknown[] = [];
      workers.push(
        await startWorker(
          queue,
          () => {
            starts.push(Date.now());
            throw new Error("the carrier is down");
          },
          { onFailed: (job) => failed.push(job) },
        ),
      );
      const sent = message({ n: 1 });
      await queues.send(policy, [sent]);
      await until(async () => {
        expect(await broker.count(`${policy.name}.failed`)).toBe(1);
      });
      const [first = 0, second = 0, third = 0] = starts;
      expect(starts).toHaveLength(3);
      expect(second - first).toBeGreaterThanOrEqual(195);
      expect(third - second).toBeGreaterThanOrEqual(395);
      expect(failed).toMatchObject([{ id: sent.id, attempt: 3, error: { message: "the carrier is down" } }]);
      const kept = await broker.onChannel((channel) => channel.get(`${policy.name}.failed`));
      expect(kept).toMatchObject({
        properties: {
          messageId: sent.id,
          deliveryMode: 2,
          headers: { "x-aftercommit-starts": 3, "x-aftercommit-error": "the carrier is down" },
        },
      });
      expect(await broker.count(policy.name)).toBe(0);
    });

    test("gets what something else has sent, and keeps it as it was when it is given up", async () => {
      const queues = open(rabbitmqPort);
      const taken: TakenMessage[] = [];
      await work(queues, (one) => {
        taken.push(one);
        return one.attempt === 1
          ? { do: "retry", delay: 0, error: new Error("no") }
          : { do: "fail", error: new Error("no") };
      });
      await broker.onChannel((channel) => {
        channel.sendToQueue(policy.name, Buffer.from("no JSON"), {
          headers: { own: "header" },
          correlationId: "c-1",
          userId: "guest",
        });
        return Promise.resolve();
      });
      await until(async () => {
        expect(await broker.count(`${policy.name}.failed`)).toBe(1);
      });
      expect(taken).toMatchObject([
        { message: { payload: "null" }, attempt: 1 },
        { message: { payload: "null" }, attempt: 2 },
      ]);
      const kept = await broker.onChannel((channel) => channel.get(`${policy.name}.failed`));
      if (kept === false) expect.fail();
      expect(kept.content.toString()).toBe("no JSON");
      expect(kept.properties).toMatchObject({ correlationId: "c-1", headers: { own: "header" } });
    });

    test("whose queue is deleted under it says so, and makes it anew", async () => {
      const queues = open(rabbitmqPort);
      const taken: unknown[] = [];
      await work(queues, (one) => {
        taken.push(one.message.payload);
        return complete;
      });
      await broker.onChannel((channel) => channel.deleteQueue(policy.name));
      await until(() => {
        expect(errors).toContainEqual(
          expect.objectContaining({ message: expect.stringContaining("deleted") as string }),
        );
      });
      const sender = open(rabbitmqPort);
      await sender.send(policy, [message("after")]);
      await until(() => {
        expect(taken).toEqual(['"after"']);
      });
    });
  });

  test("a queue that exists with other arguments is refused, and nothing is sent", async () => {
    broker.own(policy.name);
    await broker.onChannel((channel) => channel.assertQueue(policy.name, { durable: true }));
    const queues = open(rabbitmqPort);
    await expect(queues.send(policy, [message()])).rejects.toMatchObject({ code: "AFTERCOMMIT_CONFIGURATION" });
    await expect(work(queues, () => complete)).rejects.toThrow("other arguments");
    expect(await broker.count(policy.name)).toBe(0);
  });

  test("the lease in force is the server's `consumer_timeout` where that is the smaller one", async () => {
    const queues = open(rabbitmqPort, { consumerTimeout: 45 });
    expect(await queues.effectiveLease(policy)).toBe(45);
    expect(await queues.effectiveLease({ ...policy, retryAfter: 40 })).toBe(40);
    const queue = defineConnection({ queues: open(rabbitmqPort, { consumerTimeout: 30 }), retryAfter: 60 }).queue("q", {
      payload: z.string(),
      timeout: 30,
      repeatSafety: { by: "overwrite" },
      delivery: afterCommit(),
    });
    await expect(startWorker(queue, () => undefined)).rejects.toThrow("(30 s) must be below the lease");
  });

  test("a name for which RabbitMQ has no room is refused with a sentence", async () => {
    const queues = open(rabbitmqPort);
    await expect(queues.send({ ...policy, name: "x".repeat(201) }, [message()])).rejects.toThrow("200 bytes at most");
  });
});

describe("the length of a wait", () => {
  const delays = fc.double({ min: 0, max: 4_000_000, noNaN: true });

  test("is never shorter than asked for, and little longer", () => {
    fc.assert(
      fc.property(delays, (delay) => {
        const exact = Math.ceil(delay * 1000);
        expect(waitOf(delay)).toBeGreaterThanOrEqual(exact);
        expect(waitOf(delay)).toBeLessThanOrEqual(Math.max(exact * 1.1, exact + 100));
      }),
    );
  });

  test("is one of a few, so that they are few queues", () => {
    const found = new Set<number>();
    for (let delay = 0.001; delay < 100_000; delay += Math.max(0.01, delay / 1000)) found.add(waitOf(delay));
    expect(found.size).toBeLessThanOrEqual(5 * 100);
  });

  test.each([0, 0.2, 1.5, 1, 5, 30, 60, 90, 300, 600, 900, 3600])("of %s s is what it is", (delay) => {
    expect(waitOf(delay)).toBe(delay * 1000);
  });

  test("has an end", () => {
    expect(() => waitOf(4_200_001)).toThrow("4200000 s at most");
  });
});
