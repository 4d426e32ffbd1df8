import { noDispatchInTransaction } from "../../../rules/no-dispatch-in-transaction.js";
import { noJobIdAsIdempotencyKey } from "../../../rules/no-job-id-as-idempotency-key.js";
import { noRandomIdInHandler } from "../../../rules/no-random-id-in-handler.js";
import { casesOfFiles } from "../cases-of-files.js";

const head = `import { createLedger, createOutbox, createTransactionManager, defineConnection, idempotencyKey, startWorker, type Transaction } from "aftercommit";
import { pgDatabase } from "aftercommit/databases/pg"; import { bullmqQueues } from "aftercommit/queues/bullmq";
import { Queue } from "bullmq"; import { Pool } from "pg"; import { z } from "zod";
const mails = new Queue("mails");
const transactions = createTransactionManager(pgDatabase(new Pool()));
const shipments = defineConnection({ queues: bullmqQueues({ connection: {} }), retryAfter: 90 }).queue("shipments", {
  payload: z.object({ orderId: z.string() }), timeout: 30, tries: 5, backoff: [10], repeatSafety: { by: "ledger" }, delivery: createOutbox({ transactions }),
});`;

casesOfFiles("The runtime of this project: transactions", noDispatchInTransaction, {
  "a queue of another library inside, and what belongs there": `${head}
export async function confirm(id: string) {
  const confirmed = await transactions.run(async (tx) => {
    await mails.add("mail", { id }); // report dispatch
    await shipments.enqueue(tx, { orderId: id });
    tx.afterCommit(() => void mails.add("mail", { id }));
    await tx.savepoint(async () => { await mails.add("mail", { id }); }); // report dispatch
    return { orderId: id };
  });
  await shipments.dispatch(confirmed);
  await mails.add("mail", { id });
}
export async function store(tx: Transaction, id: string) { await mails.add("mail", { id }); } // report dispatch`,
});

casesOfFiles("The runtime of this project: keys", noJobIdAsIdempotencyKey, {
  "a job's id as a part of a key": `${head}
const ledger = createLedger({ transactions });
await startWorker(shipments, async (job) => {
  await transactions.run(async (tx) => {
    await ledger.once(tx, idempotencyKey("ship", job.id as never), () => undefined); // report newPerDispatch
    await ledger.once(tx, idempotencyKey("ship", job.payload.orderId), () => undefined);
  });
  console.log(job.id);
});`,
});

casesOfFiles("The runtime of this project: handlers", noRandomIdInHandler, {
  "a random part of a key": `${head} import { randomUUID } from "node:crypto";
await startWorker(shipments, async () => {
  const run = randomUUID(); // report key
  idempotencyKey("ship", run as string);
});`,
});
