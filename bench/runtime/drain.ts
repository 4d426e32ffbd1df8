import {
  createOutbox,
  createRelay,
  createTransactionManager,
  defineConnection,
  outboxDdl,
  startWorker,
} from "aftercommit";
import { pgDatabase } from "aftercommit/databases/pg";
import { bullmqQueues } from "aftercommit/queues/bullmq";
import { memoryQueues } from "aftercommit/queues/memory";
import { Queue as BullQueue, Worker as BullWorker } from "bullmq";
import type pg from "pg";
import type { openBoss, openGraphile } from "./peers.ts";
import { inTurns, line, median, payload, ratio, type Stand } from "./stand.ts";

interface Peers {
  readonly graphile: Awaited<ReturnType<typeof openGraphile>>;
  readonly boss: Awaited<ReturnType<typeof openBoss>>;
}

const batch = 500;
const concurrency = 100;
const reference = "plain SKIP LOCKED relay into BullMQ";
const bullmqAlone = "BullMQ alone: from its queue to a handler";
const embedded = "aftercommit, relay to a handler in the process";
const graphileBatched = "graphile-worker, with local queue and batching";

/** How fast waiting jobs are brought away: jobs a second. */
export async function measureDrain(stand: Stand, peers: Peers, runs: number, jobs: number): Promise<void> {
  const pool = stand.pool(8);
  await pool.query(outboxDdl("postgres"));
  const transactions = createTransactionManager(pgDatabase(pool));
  let queues = 0;

  /** Fills the outbox, and answers how to wait until all is marked. */
  const fill = async (queue: string) => {
    await pool.query("TRUNCATE aftercommit_outbox");
    await pool.query(
      `INSERT INTO aftercommit_outbox (id, queue, payload, occurred_at)
       SELECT gen_random_uuid(), $1, '{"orderId":' || n || '}', now() FROM generate_series(1, $2::integer) n`,
      [queue, jobs],
    );
    await pool.query("ANALYZE aftercommit_outbox");
  };
  const perSecond = (started: number) => (jobs * 1000) / (performance.now() - started);
  const marked = async () => {
    for (;;) {
      const { rows } = await pool.query<{ left: boolean }>(
        "SELECT EXISTS (SELECT FROM aftercommit_outbox WHERE available_at IS NOT NULL) AS left",
      );
      if (rows[0]?.left !== true) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const bullQueue = (name: string) => new BullQueue(name, { connection: stand.redis, prefix: stand.name });
  const emptied = async (queue: BullQueue) => {
    await queue.obliterate({ force: true });
    await queue.close();
  };
  /** A handler that knows when it was called for the last time. */
  const counting = () => {
    let count = 0;
    let done: () => void = () => undefined;
    const all = new Promise<void>((resolve) => (done = resolve));
    const handle = () => {
      count += 1;
      if (count === jobs) done();
      return Promise.resolve();
    };
    return { all, handle };
  };

  const forms: Readonly<Record<string, () => Promise<number>>> = {
    [reference]: async () => {
      const queue = bullQueue(`plain-${(queues += 1)}`);
      await fill(queue.name);
      const started = performance.now();
      for (;;) {
        const rows = await claimPlainly(pool);
        if (rows.length === 0) break;
        await queue.addBulk(
          rows.map(({ id, payload: text }) => ({
            name: "ship",
            data: JSON.parse(text) as unknown,
            opts: { jobId: id },
          })),
        );
        await pool.query(
          "UPDATE aftercommit_outbox SET dispatched_at = now(), available_at = NULL, claim = NULL WHERE id = ANY ($1)",
          [rows.map(({ id }) => id)],
        );
      }
      const result = perSecond(started);
      await emptied(queue);
      return result;
    },

    "aftercommit, relay into BullMQ": async () => {
      const outbox = createOutbox({ transactions });
      const adapter = bullmqQueues({ connection: stand.redis, prefix: stand.name });
      const name = `ours-${(queues += 1)}`;
      define(adapter, name, outbox);
      await fill(name);
      const relay = createRelay({ outbox, batch });
      const started = performance.now();
      await relay.start();
      await marked();
      const result = perSecond(started);
      await relay.stop();
      await adapter.close();
      await emptied(bullQueue(name));
      return result;
    },

    [bullmqAlone]: async () => {
      const queue = bullQueue(`bullmq-${(queues += 1)}`);
      for (let from = 0; from < jobs; from += 1000) {
        const part = Array.from({ length: Math.min(1000, jobs - from) }, (_, n) => ({ orderId: from + n }));
        await queue.addBulk(part.map((data) => ({ name: "ship", data, opts: { removeOnComplete: true } })));
      }
      const { all, handle } = counting();
      const started = performance.now();
      const worker = new BullWorker(queue.name, handle, { connection: stand.redis, prefix: stand.name, concurrency });
      await all;
      const result = perSecond(started);
      await worker.close();
      await emptied(queue);
      return result;
    },

    [embedded]: async () => {
      const outbox = createOutbox({ transactions });
      const adapter = memoryQueues();
      const queue = define(adapter, `embedded-${(queues += 1)}`, outbox);
      await fill(queue.name);
      const { all, handle } = counting();
      const relay = createRelay({ outbox, batch });
      const started = performance.now();
      const worker = await startWorker(queue, handle, { concurrency });
      await relay.start();
      await all;
      await marked();
      const result = perSecond(started);
      await relay.stop();
      await worker.stop();
      await adapter.close();
      return result;
    },

    [graphileBatched]: async () => {
      const client = await pool.connect();
      for (let from = 0; from < jobs; from += 5000) {
        await peers.graphile.add(
          client,
          Array.from({ length: Math.min(5000, jobs - from) }, (_, n) => from + n),
        );
      }
      client.release();
      const { all, handle } = counting();
      const started = performance.now();
      const runner = await peers.graphile.work(handle, { concurrency, batched: true });
      await all;
      const result = perSecond(started);
      await runner.stop();
      return result;
    },

    "pg-boss, batches of 500": async () => {
      const client = await pool.connect();
      for (let from = 0; from < jobs; from += 5000) {
        const part = Array.from({ length: Math.min(5000, jobs - from) }, (_, n) => from + n);
        await peers.boss.add(client, part, "drain");
      }
      client.release();
      let count = 0;
      const started = performance.now();
      while (count < jobs) {
        const fetched = await peers.boss.boss.fetch("drain", { batchSize: batch });
        await peers.boss.boss.complete(
          "drain",
          fetched.map(({ id }) => id),
        );
        count += fetched.length;
      }
      return perSecond(started);
    },
  };

  const results = await inTurns(forms, runs);
  console.log(`\n${jobs.toLocaleString("en")} waiting jobs: jobs a second, and relative to the plain relay`);
  for (const [name, rates] of Object.entries(results)) {
    line(name, median(rates).toFixed(0), ratio(results, name, reference));
  }
  const relay = "aftercommit, relay into BullMQ";
  line("relay / plain relay", "", ratio(results, relay, reference), "≥ 0.90");
  line("relay / BullMQ alone", "", ratio(results, relay, bullmqAlone), "≥ 1.20");
  line("embedded / graphile-worker with batching", "", ratio(results, embedded, graphileBatched), "≥ 2.00");
  await pool.query("DROP TABLE aftercommit_outbox");
}

function define(
  queues: ReturnType<typeof memoryQueues> | ReturnType<typeof bullmqQueues>,
  name: string,
  outbox: ReturnType<typeof createOutbox>,
) {
  return defineConnection({ queues, retryAfter: 90 }).queue(name, {
    payload,
    timeout: 30,
    repeatSafety: { by: "ledger" },
    delivery: outbox,
  });
}

async function claimPlainly(pool: pg.Pool) {
  const { rows } = await pool.query<{ id: string; payload: string }>(
    `UPDATE aftercommit_outbox SET claim = $1, available_at = now() + interval '60 s' WHERE id IN (
       SELECT id FROM aftercommit_outbox WHERE available_at <= now() ORDER BY available_at, seq LIMIT $2
       FOR UPDATE SKIP LOCKED)
     RETURNING id, payload`,
    [crypto.randomUUID(), batch],
  );
  return rows;
}
