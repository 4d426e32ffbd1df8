import { idempotencyKey, startWorker } from "aftercommit";
import type { Database } from "better-sqlite3";
import { tellPartner } from "../partner.ts";
import { ledger, points, transactions } from "./queues.ts";

const worker = await startWorker(points, async ({ payload, signal }) => {
  const key = idempotencyKey("grant-points", payload.orderId);

  // The second run finds the key of the first, and adds nothing. The same order with other points is an error.
  await transactions.run((tx) =>
    ledger.once(tx, key, () => addPoints(tx.handle, payload.customerId, payload.points), { fingerprint: payload }),
  );

  // Said again by each retry, counted once: the key is the operation, not the job.
  await tellPartner(payload, { "Idempotency-Key": key }, signal);
});

process.once("SIGTERM", () => void worker.stop());

function addPoints(database: Database, customerId: number, added: number): void {
  const { changes } = database
    .prepare("UPDATE point_balances SET balance = balance + ? WHERE customer_id = ?")
    .run(added, customerId);
  if (changes !== 1) throw new Error(`customer ${customerId.toString()} has no balance`);
}
