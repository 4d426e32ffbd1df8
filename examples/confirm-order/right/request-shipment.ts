import { Worker } from "bullmq";
import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import Stripe from "stripe";
import { bookParcel } from "../carrier.js";
import { orders, shipments } from "../schema.js";

const db = drizzle(process.env["DATABASE_URL"] ?? "");
const stripe = new Stripe(process.env["STRIPE_KEY"] ?? "", { timeout: 20_000, maxNetworkRetries: 0 });

new Worker<{ orderId: string }>(
  "shipments",
  async (job) => {
    const { orderId } = job.data;
    const [order] = await db.select().from(orders).where(eq(orders.id, orderId));
    if (order?.status !== "confirmed") throw new Error(`order ${orderId} is not confirmed`);

    // Both keys are decided by the operation, "ship this order": the same for a retry and for a second request.
    const shipmentId = `shipment:${orderId}`;
    await stripe.paymentIntents.capture(order.paymentIntentId, {}, { idempotencyKey: `capture:${orderId}` });
    const trackingCode = await bookParcel({ shipmentId, orderId }, AbortSignal.timeout(45_000));
    await db.insert(shipments).values({ id: shipmentId, orderId, trackingCode }).onConflictDoNothing();
  },
  // The work ends well before the queue would hand the job to the next worker.
  { connection: { host: "localhost" }, lockDuration: 90_000, skipLockRenewal: true },
);
