/** Programs that must compile; the `typecheck:*` scripts compile them with each supported TypeScript. */
import { z } from "zod";
import {
  afterCommit,
  createEffects,
  createLedger,
  createTransactionManager,
  defineConnection,
  idempotencyKey,
  refused,
  sameTransaction,
  startWorker,
  type Committed,
  type Delivery,
  type EffectOutcome,
  type IdempotencyKey,
  type JobId,
  type Queue,
  type Receipt,
  type Transaction,
} from "../../src/index.js";
import { pgDatabase } from "../../src/databases/pg.js";
import { memoryLocks } from "../../src/locks/memory.js";
import { memoryQueues } from "../../src/queues/memory.js";
import type { TransactionalQueues } from "../../src/queues/queues.js";
import type { Pool, PoolClient } from "pg";

declare const pool: Pool;
declare const outbox: Delivery;
declare const tableQueues: TransactionalQueues;
declare function computed(): number;

const schema = z.object({ orderId: z.string(), at: z.iso.datetime().transform((text) => new Date(text)) });
const options = { payload: schema, timeout: 30, repeatSafety: { by: "external-key" } } as const;

const transactions = createTransactionManager(pgDatabase(pool));
const memory = defineConnection({ queues: memoryQueues(), retryAfter: 90 });

const shipments = memory.queue("shipments", {
  payload: schema,
  timeout: 30,
  tries: 5,
  backoff: [10, 60, 300],
  repeatSafety: { by: "external-key" },
  delivery: outbox,
});

export const asQueue: Queue<{ orderId: string; at: string }, { orderId: string; at: Date }> = shipments;

export async function confirm(): Promise<Receipt> {
  const confirmed: Committed<{ id: string }> = await transactions.run(async (tx: Transaction<PoolClient>) => {
    await tx.handle.query("select 1");
    const count: number = await tx.savepoint(() => 1);
    await shipments.enqueue(tx, { orderId: count.toString(), at: "2026-11-30T00:00:00Z" }, { delay: 60 });
    return { id: "7" };
  });
  return shipments.dispatch(confirmed.map(({ id }) => ({ orderId: id, at: "2026-11-30T00:00:00Z" })));
}

export const queues = [
  memory.queue("just-below", { ...options, timeout: 89, delivery: afterCommit() }),
  memory.queue("fraction", { ...options, timeout: 89.5, delivery: afterCommit() }),
  memory.queue("computed", { ...options, timeout: computed(), delivery: afterCommit() }),
  memory.queue("tolerated", {
    ...options,
    repeatSafety: { by: "tolerated", reason: "the cache is only warmed" },
    delivery: afterCommit(),
  }),
  memory.queue("unique", {
    ...options,
    unique: { id: ({ orderId }) => orderId, for: 60, until: "processing" },
    locks: memoryLocks(),
    delivery: afterCommit(),
  }),
  memory.queue("debounced", {
    ...options,
    debounce: { id: ({ orderId, at }) => [orderId, at.getTime()], for: 60, maxWait: 600 },
    locks: memoryLocks(),
    delivery: afterCommit(),
  }),
  memory.queue("controlled", {
    ...options,
    withoutOverlapping: { id: (job) => job.orderId, for: 60, otherwise: "skip" },
    rateLimit: [
      { id: (job) => job.orderId, limit: 1, per: 1 },
      { id: () => "all", limit: 100, per: 60, otherwise: 30 },
    ],
    throttleErrors: { id: () => "carrier", after: 10, within: 600 },
    locks: memoryLocks(),
    delivery: afterCommit(),
  }),
  defineConnection({ queues: memoryQueues(), retryAfter: computed() }).queue("any", {
    ...options,
    delivery: afterCommit(),
  }),
  defineConnection({ queues: memoryQueues(), retryAfter: 1000, delivery: outbox }).queue("by default", {
    ...options,
    timeout: 999,
  }),
  defineConnection({ queues: tableQueues, retryAfter: 90 }).queue("table", { ...options, delivery: sameTransaction() }),
];

declare const orderId: string;
declare const customer: { readonly id: number; readonly tenant: bigint };
export const keys: IdempotencyKey[] = [
  idempotencyKey("grant-points", orderId),
  idempotencyKey("grant-points", customer.id, customer.tenant, "order-confirmed"),
  idempotencyKey("import", 7),
];

const ledger = createLedger({ transactions, retention: 90 * 86_400 });
export const granted: Promise<Committed<boolean>> = transactions.run((tx) =>
  ledger.once(tx, idempotencyKey("grant-points", 7), () => tx.handle.query("select 1"), {
    fingerprint: { points: 10 },
    occurredAt: new Date(),
  }),
);
export const worker = startWorker(shipments, async ({ payload, id, attempt, occurredAt, signal }) => {
  const handled: [string, Date, JobId, number, Date] = [payload.orderId, payload.at, id, attempt, occurredAt];
  await fetch(`https://carrier.example/${handled[0]}`, { signal });
});
export const pruned: Promise<number> = ledger.prune({ queues: [shipments], resentWithin: 30 * 86_400 });

const effects = createEffects({ transactions, retention: 90 * 86_400 });
const carrier = effects.service("carrier", { timeout: 20 });
const payments = effects.service("payments", { timeout: 20, keysKeptFor: 86_400 });
export const reviewed = [
  memory.queue("parcels", {
    ...options,
    repeatSafety: { by: "review", service: carrier },
    delivery: afterCommit(),
  }),
  memory.queue("charges", {
    ...options,
    repeatSafety: { by: "external-key", service: payments },
    delivery: afterCommit(),
  }),
];
export const parcel: Promise<EffectOutcome<{ parcel: number }>> = carrier.call(
  idempotencyKey("request-shipment", 7),
  { orderId: 7 },
  async ({ request, signal }) => {
    const response = await fetch(`https://carrier.example/${request.orderId}`, { signal });
    return response.status === 422 ? refused("no such street") : { parcel: 1 };
  },
  { occurredAt: new Date() },
);
