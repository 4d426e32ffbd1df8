import { z } from "zod";
import {
  afterCommit,
  defineConnection,
  sameTransaction,
  type Committed,
  type Transaction,
} from "../../../src/index.js";
import { memoryQueues } from "../../../src/queues/memory.js";

declare const tx: Transaction;
declare const handle: { query(text: string): Promise<unknown> };
declare const committed: Committed<{ orderId: string }>;

const payload = z.object({ orderId: z.string() });
const connection = defineConnection({ queues: memoryQueues(), retryAfter: 90 });
const repeatSafety = { by: "ledger" } as const;
const delivery = afterCommit();

connection.queue("equal", {
  payload,
  // ✗ The timeout (90) must be below the connection's retryAfter (90): a job that runs longer is given to a second worker while the first still runs.
  timeout: 90,
  repeatSafety,
  delivery,
});

declare class Order {
  readonly id: string;
  confirm(): void;
}
declare const order: Order;

// PL-01: an entity is no payload.
const ids = connection.queue("ids", { payload, timeout: 30, repeatSafety, delivery });
// ✗ Property 'orderId' is missing in type 'Order'
void ids.enqueue(tx, order);

connection.queue("longer", {
  payload,
  // ✗ The timeout (120) must be below the connection's retryAfter (90)
  timeout: 120,
  repeatSafety,
  delivery,
});

connection.queue("lock", {
  payload,
  timeout: 30,
  // ✗ A lock only saves work: it expires, and its holder can lose it.
  repeatSafety: { by: "unique" },
  delivery,
});

connection.queue("unknown answer", {
  payload,
  timeout: 30,
  // ✗ "external-key"
  repeatSafety: { by: "hope" },
  delivery,
});

connection.queue("no reason", {
  payload,
  timeout: 30,
  // ✗ 'reason' is missing
  repeatSafety: { by: "tolerated" },
  delivery,
});

// ✗ 'repeatSafety' is missing
connection.queue("no answer", { payload, timeout: 30, delivery });

// ✗ 'delivery' is missing
connection.queue("no delivery", { payload, timeout: 30, repeatSafety });

connection.queue("unique and debounced", {
  payload,
  timeout: 30,
  repeatSafety,
  delivery,
  unique: { id: () => "all", for: 60 },
  // ✗ A queue is unique or debounced, not both: unique drops the later jobs, debounce the earlier ones.
  debounce: { id: () => "all", for: 60 },
});

connection.queue("a lock without an end", {
  payload,
  timeout: 30,
  repeatSafety,
  delivery,
  // ✗ Property 'for' is missing
  unique: { id: ({ orderId }) => orderId },
});

connection.queue("one lock for all by mistake", {
  payload,
  timeout: 30,
  repeatSafety,
  delivery,
  // ✗ Property 'id' is missing
  withoutOverlapping: { for: 60 },
});

connection.queue("an id that is not there", {
  payload,
  timeout: 30,
  repeatSafety,
  delivery,
  // ✗ Property 'customerId' does not exist on type '{ orderId: string; }'
  debounce: { id: ({ customerId }) => customerId, for: 60 },
});

connection.queue("in memory", {
  payload,
  timeout: 30,
  repeatSafety,
  // ✗ Only a queue that lives in the business database can be written in the same transaction. Use an outbox.
  delivery: sameTransaction(),
});

const orders = connection.queue("orders", { payload, timeout: 30, repeatSafety, delivery });

// ✗ 'Committed<{ orderId: string; }>'
void orders.dispatch({ orderId: "7" });
// ✗ 'Committed<{ orderId: string; }>'
void orders.dispatch({ value: { orderId: "7" }, map: () => committed });
// ✗ 'Committed<{ orderId: number; }>'
void orders.dispatch(committed.map(() => ({ orderId: 7 })));
// ✗ Type 'number' is not assignable to type 'string'
void orders.enqueue(tx, { orderId: 7 });
// ✗ is missing the following properties from type 'Transaction<unknown>'
void orders.enqueue(handle, { orderId: "7" });
