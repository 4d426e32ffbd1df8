import { createOutbox, createTransactionManager, defineConnection, outboxDdl } from "aftercommit";
import { pgDatabase } from "aftercommit/databases/pg";
import { memoryQueues } from "aftercommit/queues/memory";
import { Queue as BullQueue } from "bullmq";
import type pg from "pg";
import type { openBoss, openGraphile } from "./peers.ts";
import { inTurns, line, median, payload, ratio, type Stand } from "./stand.ts";

interface Peers {
  readonly graphile: Awaited<ReturnType<typeof openGraphile>>;
  readonly boss: Awaited<ReturnType<typeof openBoss>>;
}

const plain = "plain INSERT into an outbox, with pg";
const ours = "aftercommit, outbox";
const none = "no job at all";

const targets: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  1: { [ours]: "≥ 0.95, and ≥ 2 × graphile-worker and pg-boss" },
  100: { [ours]: "≥ 0.80" },
};

/** A business INSERT and one or a hundred jobs a transaction: jobs a second, relative to a plain INSERT into an outbox. */
export async function measureEnqueue(stand: Stand, peers: Peers, runs: number, seconds: number): Promise<void> {
  const pool = stand.pool(16);
  await pool.query("CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, total integer NOT NULL)");
  await pool.query(outboxDdl("postgres"));
  await pool.query(outboxDdl("postgres", "plain_outbox"));
  const transactions = createTransactionManager(pgDatabase(pool));
  const outbox = createOutbox({ transactions });
  const queue = defineConnection({ queues: memoryQueues(), retryAfter: 90 }).queue("ship", {
    payload,
    timeout: 30,
    repeatSafety: { by: "ledger" },
    delivery: outbox,
  });
  const bull = new BullQueue("ship", { connection: stand.redis, prefix: stand.name });
  const order = "INSERT INTO orders (total) VALUES ($1)";
  let orders = 0;
  const next = (jobs: number) => Array.from({ length: jobs }, () => (orders += 1));

  const inTransaction = async (work: (client: pg.PoolClient) => Promise<unknown>) => {
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      await client.query(order, [1]);
      await work(client);
      await client.query("COMMIT");
    } finally {
      client.release();
    }
  };
  const insertPlainly = (client: pg.PoolClient, orderIds: readonly number[]) => {
    const now = new Date().toISOString();
    const rows = orderIds.map((orderId) => [crypto.randomUUID(), "ship", JSON.stringify({ orderId }), now]);
    const places = rows.map((_, row) => `($${[1, 2, 3, 4].map((n) => row * 4 + n).join(", $")})`);
    return client.query(
      `INSERT INTO plain_outbox (id, queue, payload, occurred_at) VALUES ${places.join(", ")}`,
      rows.flat(),
    );
  };
  const forms: Readonly<Record<string, (jobs: number) => Promise<unknown>>> = {
    [plain]: (jobs) => inTransaction((client) => insertPlainly(client, next(jobs))),
    [ours]: (jobs) =>
      transactions.run(async (tx) => {
        await tx.handle.query(order, [1]);
        for (const orderId of next(jobs)) await queue.enqueue(tx, { orderId });
      }),
    [none]: () => inTransaction(() => Promise.resolve()),
    "graphile-worker, add_job in the transaction": (jobs) =>
      inTransaction(async (client) => {
        const orderIds = next(jobs);
        await (jobs === 1 ? peers.graphile.addOne(client, orders) : peers.graphile.add(client, orderIds));
      }),
    "pg-boss, insert in the transaction": (jobs) => inTransaction((client) => peers.boss.add(client, next(jobs))),
    "BullMQ, added after the commit": async (jobs) => {
      await inTransaction(() => Promise.resolve());
      await bull.addBulk(next(jobs).map((orderId) => ({ name: "ship", data: { orderId } })));
    },
  };

  for (const [clients, jobs] of [
    [1, 1],
    [16, 1],
    [1, 100],
  ] as const) {
    const results = await inTurns(
      Object.fromEntries(
        Object.entries(forms)
          .filter(([name]) => jobs === 1 || name !== none)
          .map(([name, form]) => [name, () => rate(() => form(jobs), clients, seconds, jobs)]),
      ),
      runs,
    );
    console.log(
      `\nBusiness INSERT and ${jobs === 1 ? "one job" : `${jobs} jobs`} a transaction, ` +
        `${clients} client${clients === 1 ? "" : "s"}: jobs a second`,
    );
    for (const [name, rates] of Object.entries(results)) {
      const target = clients === 1 ? targets[jobs]?.[name] : name === ours ? "(no target)" : undefined;
      line(name, median(rates).toFixed(0), ratio(results, name, plain), target);
    }
  }
  await bull.obliterate({ force: true });
  await bull.close();
  await pool.query("DROP TABLE orders, plain_outbox, aftercommit_outbox");
}

async function rate(form: () => Promise<unknown>, clients: number, seconds: number, jobs: number): Promise<number> {
  const started = performance.now();
  const end = started + seconds * 1000;
  let count = 0;
  const client = async () => {
    while (performance.now() < end) {
      await form();
      count += jobs;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (count * 1000) / (performance.now() - started);
}
