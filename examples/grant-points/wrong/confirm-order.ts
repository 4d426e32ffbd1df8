import { Queue } from "bullmq";
import { eq } from "drizzle-orm";
import { withTransaction } from "../database.js";
import type { PointsJob } from "../points-job.js";
import { orders } from "../schema.js";

const queue = new Queue<PointsJob>("points", { connection: { host: "localhost" } });

export async function confirmOrder(orderId: string): Promise<void> {
  await withTransaction(async (tx) => {
    const [order] = await tx.update(orders).set({ status: "confirmed" }).where(eq(orders.id, orderId)).returning();
    if (order === undefined) throw new Error(`there is no order ${orderId}`);

    // Points for an order that may still be rolled back.
    await queue.add("grant-points", { orderId, customerId: order.customerId, points: Math.floor(order.total / 100) });
  });
}
