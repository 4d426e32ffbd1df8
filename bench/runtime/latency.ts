import { setTimeout as sleep } from "node:timers/promises";
import {
  createOutbox,
  createRelay,
  createTransactionManager,
  defineConnection,
  outboxDdl,
  startWorker,
  type OutboxOptions,
} from "aftercommit";
import { pgDatabase } from "aftercommit/databases/pg";
import { bullmqQueues } from "aftercommit/queues/bullmq";
import { Queue as BullQueue, Worker as BullWorker } from "bullmq";
import type pg from "pg";
import type { openBoss, openGraphile } from "./peers.ts";
import { inTurns, line, payload, quantile, type Stand } from "./stand.ts";

interface Peers {
  readonly graphile: Awaited<ReturnType<typeof openGraphile>>;
  readonly boss: Awaited<ReturnType<typeof openBoss>>;
}

const direct = "BullMQ, added right after the commit";

/** From the answer to COMMIT until the handler starts, one job at a time, in milliseconds. */
export async function measureLatency(stand: Stand, peers: Peers, runs: number, samples: number): Promise<void> {
  const pool = stand.pool(16);
  await pool.query("CREATE TABLE bought (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n integer NOT NULL)");
  const close: (() => Promise<unknown>)[] = [];
  let committedAt = 0;
  let startedAt: (at: number) => void = () => undefined;
  const handle = () => {
    startedAt(performance.now());
    return Promise.resolve();
  };
  const insert = "INSERT INTO bought (n) VALUES ($1)";

  const byHand = async (work: (client: pg.PoolClient) => Promise<unknown>) => {
    const client = await pool.connect();
    await client.query("BEGIN");
    await client.query(insert, [1]);
    await work(client);
    await client.query("COMMIT");
    committedAt = performance.now();
    client.release();
  };

  /** An outbox with a relay and a worker of its own; the relay has another outbox object, so it hears only NOTIFY. */
  const openOurs = async (table: string, options: Partial<OutboxOptions>) => {
    await pool.query(outboxDdl("postgres", table));
    const queues = bullmqQueues({ connection: stand.redis, prefix: stand.name });
    const define = (own: Partial<OutboxOptions>) => {
      const transactions = createTransactionManager(pgDatabase(pool));
      const outbox = createOutbox({ transactions, table, ...own });
      const queue = defineConnection({ queues, retryAfter: 90 }).queue(table, {
        payload,
        timeout: 30,
        repeatSafety: { by: "ledger" },
        delivery: outbox,
      });
      return { transactions, outbox, queue };
    };
    const { transactions, outbox, queue } = define(options);
    const relay = createRelay({ outbox: define({}).outbox });
    await relay.start();
    const worker = await startWorker(queue, handle);
    close.push(
      () => relay.stop(),
      () => worker.stop(),
      () => outbox.idle(),
      () => queues.close(),
    );
    return () =>
      transactions.run(async (tx) => {
        tx.afterCommit(() => (committedAt = performance.now()));
        await tx.handle.query(insert, [1]);
        await queue.enqueue(tx, { orderId: 1 });
      });
  };

  const bull = new BullQueue("direct", { connection: stand.redis, prefix: stand.name });
  const bullWorker = new BullWorker("direct", handle, { connection: stand.redis, prefix: stand.name });
  await bullWorker.waitUntilReady();
  const runner = await peers.graphile.work(handle, { concurrency: 1, batched: false });
  await peers.boss.boss.work("ship", { pollingIntervalSeconds: 0.5 }, handle);
  close.push(
    () => bullWorker.close(),
    () => bull.close(),
    () => runner.stop(),
  );

  const forms: Readonly<Record<string, () => Promise<unknown>>> = {
    [direct]: async () => {
      await byHand(() => Promise.resolve());
      await bull.add("ship", { orderId: 1 });
    },
    "aftercommit, immediate dispatch, BullMQ": await openOurs("immediate_outbox", { immediate: {} }),
    "aftercommit, relay woken by NOTIFY, BullMQ": await openOurs("notified_outbox", {}),
    "graphile-worker": () => byHand((client) => peers.graphile.addOne(client, 1)),
    "pg-boss, with notify": () => byHand((client) => peers.boss.add(client, [1])),
  };
  const targets: Readonly<Record<string, string>> = {
    "aftercommit, immediate dispatch, BullMQ": "≤ 1.10",
    "aftercommit, relay woken by NOTIFY, BullMQ": "≤ 1.40",
  };

  const sample = async (form: () => Promise<unknown>) => {
    const waits: number[] = [];
    for (let n = 0; n < samples; n += 1) {
      const started = new Promise<number>((resolve) => (startedAt = resolve));
      await form();
      waits.push((await started) - committedAt);
      await sleep(15 + Math.random() * 10);
    }
    return waits;
  };
  const results = await inTurns(
    Object.fromEntries(Object.entries(forms).map(([name, form]) => [name, () => sample(form)])),
    runs,
  );

  console.log(
    "\nFrom the commit to the handler's start: p50 / p99 in milliseconds, and the p50 relative to the first line",
  );
  const base = quantile((results[direct] ?? []).flat(), 0.5);
  for (const [name, rounds] of Object.entries(results)) {
    const [p50, p99] = [0.5, 0.99].map((at) => quantile(rounds.flat(), at)) as [number, number];
    line(name, `${p50.toFixed(2)} / ${p99.toFixed(1)}`, p50 / base, targets[name]);
  }
  for (const end of close) await end();
  await pool.query("DROP TABLE bought, immediate_outbox, notified_outbox");
}
