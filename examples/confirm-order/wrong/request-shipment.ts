import { Worker } from "bullmq";
import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { randomUUID } from "node:crypto";
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

    // When the same shipment is asked for again, the job has another id, and Stripe takes the money again.
    await stripe.paymentIntents.capture(order.paymentIntentId, {}, { idempotencyKey: job.id ?? "" });

    // Each retry makes another id, so each retry is another parcel.
    const shipmentId = randomUUID();
    const trackingCode = await bookParcel({ shipmentId, orderId }, AbortSignal.timeout(45_000));
    await db.insert(shipments).values({ id: shipmentId, orderId, trackingCode });
  },
  // The carrier may take 45 seconds; after 30 the queue hands the job to the next worker.
  { connection: { host: "localhost" }, lockDuration: 30_000, skipLockRenewal: true },
);
