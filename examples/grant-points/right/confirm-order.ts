import { eq } from "drizzle-orm";
import { withTransaction } from "../database.js";
import { orders, pointRequests } from "../schema.js";

export async function confirmOrder(orderId: string): Promise<void> {
  await withTransaction(async (tx) => {
    const [order] = await tx.update(orders).set({ status: "confirmed" }).where(eq(orders.id, orderId)).returning();
    if (order === undefined) throw new Error(`there is no order ${orderId}`);

    const points = Math.floor(order.total / 100);
    await tx.insert(pointRequests).values({ orderId, customerId: order.customerId, points }).onConflictDoNothing();
  });
}
