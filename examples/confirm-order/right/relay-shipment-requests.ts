import { Queue } from "bullmq";
import { asc, eq, isNull } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { shipmentRequests } from "../schema.js";

const db = drizzle(process.env["DATABASE_URL"] ?? "");
const queue = new Queue<{ orderId: string }>("shipments", { connection: { host: "localhost" } });

/** Run every few seconds. When it stops between the two steps, the request is dispatched twice: never less than once. */
export async function relayShipmentRequests(): Promise<void> {
  const requests = await db
    .select()
    .from(shipmentRequests)
    .where(isNull(shipmentRequests.dispatchedAt))
    .orderBy(asc(shipmentRequests.id))
    .limit(100);

  for (const { id, orderId } of requests) {
    await queue.add("request-shipment", { orderId });
    await db.update(shipmentRequests).set({ dispatchedAt: new Date() }).where(eq(shipmentRequests.id, id));
  }
}
