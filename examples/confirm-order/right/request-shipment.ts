import { idempotencyKey, startWorker } from "aftercommit";
import { bookParcel, mailCustomer } from "../carrier.ts";
import { shipments, transactions } from "./queues.ts";

const worker = await startWorker(shipments, async ({ payload: { orderId }, signal }) => {
  // Decided by the operation, "ship this order": the same for a retry and for a second request.
  const shipmentId = idempotencyKey("ship-order", orderId);
  const trackingCode = await bookParcel({ shipmentId, orderId }, signal);

  await transactions.run((tx) => {
    tx.handle
      .prepare("INSERT INTO shipments (id, order_id, tracking_code) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING")
      .run(shipmentId, orderId, trackingCode);
  });
  await mailCustomer(
    { orderId, trackingCode },
    { "Idempotency-Key": idempotencyKey("mail-shipment", orderId) },
    signal,
  );
});

process.once("SIGTERM", () => void worker.stop());
