import type { Message } from "@aws-sdk/client-sqs";
import { randomUUID } from "node:crypto";
import { Consumer } from "sqs-consumer";
import { bookParcel, mailCustomer } from "../carrier.ts";
import { db } from "./database.ts";

const consumer = Consumer.create({
  queueUrl: process.env["QUEUE_URL"] ?? "",
  // The carrier may take 45 seconds; after 30 the queue hands the job to the next worker.
  handleMessageTimeout: 45_000,
  visibilityTimeout: 30,
  handleMessage: async (message: Message): Promise<Message> => {
    const { orderId } = JSON.parse(message.Body ?? "") as { orderId: string };

    // "Not confirmed" means that there is nothing to do. It may also mean: not yet.
    const order = await db.selectFrom("orders").selectAll().where("id", "=", orderId).executeTakeFirst();
    if (order?.status !== "confirmed") return message;

    // Each retry makes another id, so each retry is another parcel.
    const shipmentId = randomUUID();
    const signal = AbortSignal.timeout(40_000);
    const trackingCode = await bookParcel({ shipmentId, orderId }, signal);
    await db
      .insertInto("shipments")
      .values({ id: shipmentId, order_id: orderId, tracking_code: trackingCode })
      .execute();

    // When the same shipment is asked for again, the message has another id, and the customer gets another mail.
    await mailCustomer({ orderId, trackingCode }, { "Idempotency-Key": message.MessageId ?? "" }, signal);
    return message;
  },
});

consumer.start();
