import type { Message } from "@aws-sdk/client-sqs";
import { randomUUID } from "node:crypto";
import { Consumer } from "sqs-consumer";
import { tellPartner, type PointGrant } from "../partner.ts";
import { withTransaction } from "./database.ts";

const consumer = Consumer.create({
  queueUrl: process.env["QUEUE_URL"] ?? "",
  // The handler may take a minute; after half of one the queue hands the message to the next worker.
  handleMessageTimeout: 60_000,
  visibilityTimeout: 30,
  handleMessage: async (message: Message): Promise<Message> => {
    const grant = JSON.parse(message.Body ?? "") as PointGrant;
    const { orderId, customerId, points } = grant;

    await withTransaction(async (trx) => {
      // A retry makes another id, and so another grant of the same points.
      const id = randomUUID();
      await trx.insertInto("point_grants").values({ id, order_id: orderId, points }).execute();
      await trx
        .updateTable("point_balances")
        .set((balances) => ({ balance: balances("balance", "+", points) }))
        .where("customer_id", "=", customerId)
        .execute();
    });

    // "Grant again" in the back office is another message with another id, so the partner grants again.
    const headers = { "Idempotency-Key": `points:${message.MessageId ?? ""}` };
    await tellPartner(grant, headers, AbortSignal.timeout(40_000));
    return message;
  },
});

consumer.start();
