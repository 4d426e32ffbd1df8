import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { db } from "./database.ts";

/** Asks the warehouse for a shipment. */
class Shipments {
  readonly #sqs = new SQSClient();

  async request(orderId: string): Promise<void> {
    const message = { QueueUrl: process.env["QUEUE_URL"], MessageBody: JSON.stringify({ orderId }) };
    await this.#sqs.send(new SendMessageCommand(message));
  }
}

class ConfirmOrder {
  readonly #shipments: Shipments;

  constructor(shipments: Shipments) {
    this.#shipments = shipments;
  }

  async execute(orderId: string): Promise<void> {
    await db.transaction().execute(async (trx) => {
      const { product } = await trx
        .updateTable("orders")
        .set({ status: "confirmed" })
        .where("id", "=", orderId)
        .returning("product")
        .executeTakeFirstOrThrow();

      // A free worker takes the job now and reads an order that is not confirmed yet.
      // If the transaction rolls back, the job is about an order that nobody confirmed.
      await this.#shipments.request(orderId);

      // Fails when the product is sold out.
      await trx
        .updateTable("stock")
        .set((stock) => ({ pieces: stock("pieces", "-", 1) }))
        .where("product", "=", product)
        .execute();
    });
  }
}

const confirmation = new ConfirmOrder(new Shipments());

export const confirmOrder = (orderId: string) => confirmation.execute(orderId);
