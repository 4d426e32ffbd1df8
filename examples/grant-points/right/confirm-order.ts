import { points, transactions } from "./queues.ts";

interface Order {
  readonly customer_id: number;
  readonly campaign: string;
  readonly total: number;
}

export async function confirmOrder(orderId: string): Promise<void> {
  await transactions.run(async (tx) => {
    const order = tx.handle
      .prepare<[string], Order>("UPDATE orders SET status = 'confirmed' WHERE id = ? RETURNING *")
      .get(orderId);
    if (order === undefined) throw new Error(`there is no order ${orderId}`);

    // The number of points is decided here, and travels in the job.
    const granted = Math.floor(order.total / 100);
    await points.enqueue(tx, { orderId, customerId: order.customer_id, points: granted });

    // Fails when the campaign has no points left.
    tx.handle.prepare("UPDATE campaign SET points_left = points_left - ? WHERE name = ?").run(granted, order.campaign);
  });
}
