import { z } from "zod";
import {
  afterCommit,
  createEffects,
  createTransactionManager,
  defineConnection,
  idempotencyKey,
} from "../../../src/index.js";
import { pgDatabase } from "../../../src/databases/pg.js";
import { memoryQueues } from "../../../src/queues/memory.js";
import type { JobId } from "../../../src/index.js";
import type { Pool } from "pg";

declare const pool: Pool;
declare const jobId: JobId;

const effects = createEffects({ transactions: createTransactionManager(pgDatabase(pool)) });
const keyless = effects.service("carrier", { timeout: 20 });
const keyed = effects.service("payments", { timeout: 20, keysKeptFor: 86_400 });
const connection = defineConnection({ queues: memoryQueues(), retryAfter: 90 });
const options = { payload: z.object({ orderId: z.number() }), timeout: 30, delivery: afterCommit() };

// ✗ Property 'service' is missing
connection.queue("no service", { ...options, repeatSafety: { by: "review" } });
connection.queue("review of a service with keys", {
  ...options,
  // ✗ Type '"by its key"' is not assignable to type '"never, what is unknown goes to review"'
  repeatSafety: { by: "review", service: keyed },
});
connection.queue("keys of a service without", {
  ...options,
  // ✗ 'keysKeptFor' is missing in type 'ReviewedService' but required in type 'KeyedService'
  repeatSafety: { by: "external-key", service: keyless },
});
connection.queue("a ledger of a service", {
  ...options,
  // ✗ A service goes with external-key, where it takes keys, or with review.
  repeatSafety: { by: "ledger", service: keyless },
});

// ✗ No overload matches this call.
effects.service("no limit", {});

const key = idempotencyKey("request-shipment", 7);
// ✗ Argument of type 'string' is not assignable to parameter of type 'IdempotencyKey'
void keyed.call("request-shipment:7", {}, () => undefined);
// ✗ Argument of type 'JobId' is not assignable to parameter of type 'IdempotencyKey'
void keyed.call(jobId, {}, () => undefined);
// ✗ Property 'street' does not exist on type '{ orderId: number; }'
void keyed.call(key, { orderId: 7 }, ({ request }) => request.street);
// ✗ Property 'result' does not exist on type
void keyed.call(key, { orderId: 7 }, () => ({ parcel: 1 })).then((answer) => answer.result);
// ✗ Property 'reason' is missing
void effects.resolve(key, { as: "refused" });
