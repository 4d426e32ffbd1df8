import { Queue } from "bullmq";
import { eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { orders } from "../schema.js";

const db = drizzle(process.env["DATABASE_URL"] ?? "");

/** Asks the warehouse for a shipment. */
class Shipments {
  readonly #queue = new Queue<{ orderId: string }>("shipments", { connection: { host: "localhost" } });

  async request(orderId: string): Promise<void> {
    await this.#queue.add("request-shipment", { orderId });
  }
}

export class ConfirmOrder {
  readonly #shipments: Shipments;

  constructor(shipments: Shipments) {
    this.#shipments = shipments;
  }

  async execute(orderId: string): Promise<void> {
    await db.transaction(async (tx) => {
      await tx.update(orders).set({ status: "confirmed", confirmedAt: new Date() }).where(eq(orders.id, orderId));

      // A free worker takes the job now and reads an order that is not confirmed yet.
      // If the transaction rolls back, the warehouse ships an order that nobody confirmed.
      await this.#shipments.request(orderId);
    });
  }
}
