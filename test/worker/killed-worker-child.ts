/**
 * A worker in a process of its own, for `killed-worker.test.ts`: does the effect of its job, says "committed" and hangs,
 * so that it can be killed between the commit and the acknowledgement. Uses the built package.
 */
import {
  createLedger,
  createTransactionManager,
  afterCommit,
  defineConnection,
  idempotencyKey,
  startWorker,
} from "aftercommit";
import { pgDatabase } from "aftercommit/databases/pg";
import { bullmqQueues } from "aftercommit/queues/bullmq";
import { Redis } from "ioredis";
import pg from "pg";
import { z } from "zod";

const [prefix = "", schema = "", tries = "1"] = process.argv.slice(2);
const pool = new pg.Pool({
  host: "127.0.0.1",
  user: "postgres",
  database: "test",
  options: `-c search_path=${schema}`,
});
const transactions = createTransactionManager(pgDatabase(pool));
const ledger = createLedger({ transactions });
const connection = new Redis({ host: "127.0.0.1", maxRetriesPerRequest: null });
const queue = defineConnection({ queues: bullmqQueues({ connection, prefix }), retryAfter: 1.2 }).queue("orders", {
  payload: z.object({ orderId: z.number() }),
  timeout: 1,
  tries: Number(tries),
  repeatSafety: { by: "ledger" },
  delivery: afterCommit(),
});

await startWorker(queue, async ({ payload: { orderId } }) => {
  await transactions.run((tx) =>
    ledger.once(tx, idempotencyKey("done", orderId), () =>
      tx.handle.query("update orders set done = done + 1 where id = $1", [orderId]),
    ),
  );
  process.stdout.write("committed\n");
  await new Promise(() => undefined);
});
