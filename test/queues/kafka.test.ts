/** Topics of Kafka, through kafkajs, on the cluster with which librdkafka tests itself. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineConnection } from "../../src/connection.js";
import { afterCommit } from "../../src/delivery.js";
import { newJobId } from "../../src/job-id.js";
import { outboxDdl } from "../../src/outbox/ddl.js";
import { createOutbox } from "../../src/outbox/outbox.js";
import { createRelay } from "../../src/outbox/relay.js";
import { kafkaTopics, UnconfirmedPublishError } from "../../src/queues/kafka.js";
import type { Message } from "../../src/queues/queues.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import { startWorker } from "../../src/worker/worker.js";
import { subjects } from "../databases/subjects.js";
import { statementsOf } from "../ledger/statements.js";
import { hasKafka, startCluster } from "./kafka-cluster.js";

const policy = { name: "orders", timeout: 5, retryAfter: 10, tries: 1, backoff: [] };
const message = (n: number, more: Partial<Message> = {}): Message => ({
  id: newJobId(),
  payload: JSON.stringify({ n }),
  occurredAt: new Date("2026-11-30T12:34:56.789Z"),
  ...more,
});
const until = (assert: () => unknown) => vi.waitFor(assert, { timeout: 30_000, interval: 20 });
const sqlite = subjects.find(({ name }) => name === "better-sqlite3") ?? expect.fail();

describe.skipIf(!hasKafka)("on a cluster", () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>;

  beforeEach(async () => {
    cluster = await startCluster();
  });
  afterEach(() => cluster.stop());

  test("what was sent is in the topic as it is, under its key, with its id", async () => {
    const queues = kafkaTopics({ producer: await cluster.producer(), topic: (name) => `shop.${name}` });
    const sent = [
      message(1, { orderKey: "customer-7", meta: { traceparent: "00-1-2-01" } }),
      message(2),
      message(3, { orderKey: "customer-7" }),
    ];
    await queues.send(policy, []);
    await queues.send(policy, sent);
    const found = await cluster.consume("shop.orders");
    await until(() => {
      expect(found).toHaveLength(3);
    });
    const of = (n: number) => found.find(({ value }) => value === JSON.stringify({ n }));
    expect(of(1)).toMatchObject({
      key: "customer-7",
      headers: {
        "aftercommit-id": sent[0]?.id,
        "aftercommit-occurred-at": "2026-11-30T12:34:56.789Z",
        traceparent: "00-1-2-01",
      },
    });
    expect(of(2)).toMatchObject({ key: sent[1]?.id, headers: { "aftercommit-id": sent[1]?.id } });
    // In one partition, in order.
    expect(of(1)?.place).toBe(of(3)?.place);
    expect(found.filter(({ key }) => key === "customer-7").map(({ value }) => value)).toEqual(['{"n":1}', '{"n":3}']);
  });

  test("a cluster that does not answer in time is an error, and what is sent again comes under the same id", async () => {
    const queues = kafkaTopics({ producer: await cluster.producer(), sendTimeout: 0.3 });
    await queues.send(policy, [message(0)]);
    cluster.signal("SIGSTOP");
    const late = message(1);
    const sending = queues.send(policy, [late]);
    await expect(sending).rejects.toThrow(UnconfirmedPublishError);
    await expect(sending).rejects.toMatchObject({ code: "AFTERCOMMIT_PUBLISH_UNCONFIRMED", state: "unknown" });
    cluster.signal("SIGCONT");
    await queues.send(policy, [late]);
    const found = await cluster.consume("orders");
    await until(() => {
      expect(found.filter(({ headers }) => headers["aftercommit-id"] === late.id)).toHaveLength(2);
    });
  });

  test("OB-04 an outbox keeps what Kafka has not confirmed, in order of its keys, until it has", async () => {
    const opened = await sqlite.open();
    for (const statement of statementsOf(outboxDdl("sqlite"))) await opened.database.query(statement);
    const transactions = createTransactionManager(opened.database);
    const running = async (producer: Awaited<ReturnType<typeof cluster.producer>>) => {
      const outbox = createOutbox({ transactions });
      const queue = defineConnection({ queues: kafkaTopics({ producer }), retryAfter: 10 }).queue("orders", {
        payload: z.object({ n: z.number() }),
        timeout: 5,
        repeatSafety: { by: "ledger" },
        delivery: outbox,
      });
      const errors: unknown[] = [];
      const relay = createRelay({
        outbox,
        pollEvery: 0.02,
        backoff: { first: 0.02, longest: 0.1 },
        onError: (error) => errors.push(error),
      });
      await relay.start();
      const enqueue = (n: number) =>
        transactions.run(async (tx) => {
          await queue.enqueue(tx, { n }, { orderKey: "customer-7" });
        });
      return { outbox, relay, errors, enqueue };
    };
    const first = await running(await cluster.producer());
    await first.enqueue(1);
    await until(async () => {
      expect(await first.outbox.list({ state: "dispatched" })).toHaveLength(1);
    });
    cluster.signal("SIGKILL");
    await first.enqueue(2);
    await first.enqueue(3);
    await until(() => {
      expect(first.errors).toContainEqual(expect.objectContaining({ code: "AFTERCOMMIT_PUBLISH_UNCONFIRMED" }));
    });
    await first.relay.stop();
    expect(await first.outbox.list({ state: "waiting" })).toHaveLength(2);

    await cluster.stop();
    cluster = await startCluster();
    const second = await running(await cluster.producer());
    await until(async () => {
      expect(await second.outbox.list({ state: "waiting" })).toEqual([]);
    });
    const found = await cluster.consume("orders");
    await until(() => {
      expect(found.map(({ value }) => value)).toEqual(['{"n":2}', '{"n":3}']);
    });
    await second.relay.stop();
    await opened.close();
  });
});

describe("a topic", () => {
  const queues = kafkaTopics({ producer: { send: () => expect.fail() } });

  test("AC-13 knows no delay, so a message with one is refused", async () => {
    await expect(queues.send(policy, [message(1, { delay: 5 })])).rejects.toMatchObject({
      code: "AFTERCOMMIT_CONFIGURATION",
      state: "nothing written",
    });
  });

  test("has no worker", async () => {
    const queue = defineConnection({ queues, retryAfter: 10 }).queue("orders", {
      payload: z.object({ n: z.number() }),
      timeout: 5,
      repeatSafety: { by: "ledger" },
      delivery: afterCommit(),
    });
    await expect(startWorker(queue, () => undefined)).rejects.toThrow("hands out no single jobs");
    await expect(
      queues.work(policy, { concurrency: 1, onError: () => undefined }, () => expect.fail()),
    ).rejects.toThrow("Consume it with a consumer of Kafka's");
  });
});
