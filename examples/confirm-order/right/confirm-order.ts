import { shipments, transactions } from "./queues.ts";

export async function confirmOrder(orderId: string): Promise<void> {
  await transactions.run(async (tx) => {
    tx.handle.prepare("UPDATE orders SET status = 'confirmed' WHERE id = ?").run(orderId);

    // The request commits with the order, or rolls back with it.
    await shipments.enqueue(tx, { orderId });

    // Fails when the product is sold out.
    tx.handle
      .prepare("UPDATE stock SET pieces = pieces - 1 WHERE product = (SELECT product FROM orders WHERE id = ?)")
      .run(orderId);
  });
}
