import { z } from "zod";
import {
  afterCommit,
  createLedger,
  createTransactionManager,
  defineConnection,
  idempotencyKey,
  startWorker,
  type JobId,
} from "../../../src/index.js";
import { pgDatabase } from "../../../src/databases/pg.js";
import { memoryQueues } from "../../../src/queues/memory.js";
import type { Pool, PoolClient } from "pg";

declare const pool: Pool;
declare const client: PoolClient;
declare const jobId: JobId;

const transactions = createTransactionManager(pgDatabase(pool));
const ledger = createLedger({ transactions });
const key = idempotencyKey("grant-points", 7);
const queue = defineConnection({ queues: memoryQueues(), retryAfter: 90 }).queue("orders", {
  payload: z.object({ orderId: z.number() }),
  timeout: 30,
  repeatSafety: { by: "ledger" },
  delivery: afterCommit(),
});

// LG-14
// ✗ is missing the following properties from type 'Transaction<PoolClient>'
void ledger.once(client, key, () => undefined);
void transactions.run(async (tx) => {
  // ✗ Argument of type 'string' is not assignable to parameter of type 'IdempotencyKey'
  await ledger.once(tx, "grant-points:7", () => undefined);
  // ✗ Argument of type 'JobId' is not assignable to parameter of type 'IdempotencyKey'
  await ledger.once(tx, jobId, () => undefined);
  // ✗ Argument of type 'string' is not assignable to parameter of type
  await ledger.once(tx, key, "update balances set points = points + 1");
});

void startWorker(queue, async (job) => {
  // ✗ Property 'orderNumber' does not exist on type '{ orderId: number; }'
  await Promise.resolve(job.payload.orderNumber);
  // ✗ A job's id is another one each time the operation is asked for.
  idempotencyKey("grant-points", job.id);
});
