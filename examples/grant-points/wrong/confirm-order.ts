import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { PointGrant } from "../partner.ts";
import { withTransaction } from "./database.ts";

const sqs = new SQSClient();

export async function confirmOrder(orderId: string): Promise<void> {
  await withTransaction(async (trx) => {
    const order = await trx
      .updateTable("orders")
      .set({ status: "confirmed" })
      .where("id", "=", orderId)
      .returningAll()
      .executeTakeFirstOrThrow();

    // Points for an order that may still be rolled back.
    const points = Math.floor(order.total / 100);
    const grant: PointGrant = { orderId, customerId: order.customer_id, points };
    await sqs.send(new SendMessageCommand({ QueueUrl: process.env["QUEUE_URL"], MessageBody: JSON.stringify(grant) }));

    // Fails when the campaign has no points left.
    await trx
      .updateTable("campaign")
      .set((campaign) => ({ points_left: campaign("points_left", "-", points) }))
      .where("name", "=", order.campaign)
      .execute();
  });
}
