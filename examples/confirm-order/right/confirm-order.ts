import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { orders, shipmentRequests } from "../schema.js";

const db = drizzle(process.env["DATABASE_URL"] ?? "");

export async function confirmOrder(orderId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.update(orders).set({ status: "confirmed", confirmedAt: new Date() }).where(eq(orders.id, orderId));

    // The request is a row: it commits with the order, or rolls back with it.
    await tx.insert(shipmentRequests).values({ orderId }).onConflictDoNothing();
  });
}
