/** What the blocks of the guide use without saying where it comes from, as their pages introduce it. */
import type { Pool as PgPool, PoolClient } from "pg";
import type * as zod from "zod";
import type {
  BusinessEvent,
  Effects,
  Ledger,
  Outbox,
  Queue,
  QueueConnection,
  Queues,
  TransactionManager,
} from "../../src/index.js";

declare global {
  const pool: PgPool;
  const z: typeof zod.z;
  const transactions: TransactionManager<PoolClient>;
  const outbox: Outbox;
  const ledger: Ledger<PoolClient>;
  const effects: Effects;
  const redis: QueueConnection<Queues, 90, Outbox>;
  const orderId: string;
  const orderConfirmed: BusinessEvent<{ readonly orderId: string }, PoolClient>;
  const customerId: number;
  const points: Queue<never, { readonly orderId: string; readonly customerId: number; readonly added: number }>;
  const pageViews: Queue;
  const mails: Queue<{ readonly to: string }>;
}
