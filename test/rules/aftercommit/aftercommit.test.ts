import { noDispatchInTransaction } from "../../../rules/no-dispatch-in-transaction.js";
import { noEffectInRetriedTransaction } from "../../../rules/no-effect-in-retried-transaction.js";
import { noExternalEffectInTransaction } from "../../../rules/no-external-effect-in-transaction.js";
import { noJobIdAsIdempotencyKey } from "../../../rules/no-job-id-as-idempotency-key.js";
import { noLockAsGuarantee } from "../../../rules/no-lock-as-guarantee.js";
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
    await transactions.afterCommit(() => mails.add("mail", { id }));
    return { orderId: id };
  });
  await shipments.dispatch(confirmed);
  await mails.add("mail", { id });
}
export async function store(tx: Transaction, id: string) { await mails.add("mail", { id }); } // report dispatch`,
});

casesOfFiles("The runtime of this project: attempts", noEffectInRetriedTransaction, {
  "a transaction that is run again, one that is not, and a savepoint": `${head}
export async function confirm(ids: string[]) {
  const confirmed: string[] = [];
  await transactions.run(async (tx) => {
    confirmed.push(ids[0] as string); // report collects
    await tx.savepoint(async () => { await tx.query("select 1"); });
  }, { attempts: 3 });
  await transactions.run(async () => { confirmed.push(ids[1] as string); }, { attempts: 1 });
  await transactions.run(async (tx) => {
    await tx.savepoint(async () => { confirmed.push(ids[2] as string); });
  });
  return confirmed;
}`,
});

casesOfFiles("The runtime of this project: other services", noExternalEffectInTransaction, {
  "asked inside a transaction, which the runtime refuses, and behind it": `${head}
import { createEffects } from "aftercommit";
const labels = createEffects({ transactions }).service("labels", { timeout: 10 });
export async function ship(id: string) {
  await transactions.run(async () => {
    await labels.call(idempotencyKey("ship", id), { id }, async () => 1); // report effect, typed
  });
  await labels.call(idempotencyKey("ship", id), { id }, async () => 1);
}`,
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

casesOfFiles("The runtime of this project: controls", noLockAsGuarantee, {
  "a queue of unique jobs whose handler charges, and one whose handler gives a key": `${head} import Stripe from "stripe";
const stripe = new Stripe("k");
const connection = defineConnection({ queues: bullmqQueues({ connection: {} }), retryAfter: 90 });
const options = { payload: z.object({ orderId: z.string() }), timeout: 30, delivery: createOutbox({ transactions }) };
const unique = { id: ({ orderId }: { orderId: string }) => orderId, for: 3600 };
const charges = connection.queue("charges", { ...options, unique });
const payments = connection.queue("payments", { ...options, unique: { id: () => "payment", for: 60 } });
const refunds = connection.queue("refunds", options);
await startWorker(charges, async () => {
  await stripe.charges.create({ amount: 1, currency: "eur" }); // report keyed
});
await startWorker(payments, async (job) => {
  await stripe.charges.create({ amount: 1, currency: "eur" }, { idempotencyKey: job.payload.orderId });
});
await startWorker(refunds, async () => {
  await stripe.refunds.create({ charge: "ch" });
});`,
});
