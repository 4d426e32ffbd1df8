import { noUnstableDedupKey as rule } from "../../../rules/no-unstable-dedup-key.js";
import { lintCases } from "../lint-cases.js";

const stripe = `import Stripe from "stripe"; const stripe = new Stripe("sk"); import { createHash, randomUUID } from "node:crypto"; const charge = { amount: 1, currency: "eur" };`;

lintCases("Keys that stay the same", rule, {
  "the operation's own": `${stripe} import { Queue } from "bullmq"; import { v5 } from "uuid"; const queue = new Queue("x");
export async function pay(order: { id: string; version: number }, body: string) {
  await stripe.paymentIntents.create(charge, { idempotencyKey: \`charge-\${order.id}-\${order.version}\` });
  await stripe.paymentIntents.create(charge, { idempotencyKey: v5(order.id, "6ba7b810-9dad-11d1-80b4-00c04fd430c8") });
  await queue.add("a", {}, { deduplication: { id: createHash("sha256").update(body).digest("hex") } });
  await queue.add("a", {}, { jobId: \`order-\${order.id}\` });
}`,
  "made once, outside what is tried again": `${stripe}
async function retry<T>(work: () => Promise<T>) { try { return await work(); } catch { return work(); } }
export async function pay(save: (key: string) => Promise<void>, given: string) {
  const key = randomUUID();
  await retry(() => stripe.paymentIntents.create(charge, { idempotencyKey: key }));
  const other = randomUUID();
  for (let attempt = 0; attempt < 3; attempt++) await stripe.paymentIntents.create(charge, { idempotencyKey: other });
  const kept = randomUUID();
  await save(kept);
  await stripe.paymentIntents.create(charge, { idempotencyKey: kept });
  await stripe.paymentIntents.create(charge, { idempotencyKey: given });
}
export class Form {
  private readonly key = randomUUID();
  submit() { return fetch("https://pay.example", { method: "POST", headers: { "Idempotency-Key": this.key } }); }
}`,
  "options that other code makes": {
    "main.ts": `${stripe} import { options } from "./options.js"; const shared = { idempotencyKey: randomUUID() };
export async function pay() {
  await stripe.paymentIntents.create(charge, options());
  await stripe.paymentIntents.create(charge, shared);
  const own = { idempotencyKey: randomUUID() };
  for (let attempt = 0; attempt < 3; attempt++) await stripe.paymentIntents.create(charge, own);
}`,
    "options.ts": `import { randomUUID } from "node:crypto"; export function options() { return { idempotencyKey: randomUUID() }; }`,
  },
  "the id of a row": `${stripe} import { PrismaClient } from "@prisma/client"; import { Queue } from "bullmq"; const prisma = new PrismaClient(); const queue = new Queue("x");
export async function place() {
  const id = randomUUID();
  await prisma.order.create({ data: { id } as never });
  await queue.add("a", { id }, { deduplication: { id } });
  await stripe.paymentIntents.create(charge, { idempotencyKey: \`charge-\${id}\` });
}`,
  "a day or a bucket of time, on purpose": `import { Queue } from "bullmq"; import { PgBoss } from "pg-boss"; const queue = new Queue("x"); const boss = new PgBoss("x");
export async function daily() {
  await queue.add("report", {}, { deduplication: { id: \`report-\${new Date().toISOString().slice(0, 10)}\` } });
  await boss.send("report", {}, { singletonKey: String(Math.floor(Date.now() / 60_000)) });
}`,
  "ids that only name a job": `import { Queue } from "bullmq"; import { randomUUID } from "node:crypto"; const queue = new Queue("x");
export async function send(orderId: string) {
  await queue.add("a", {}, { jobId: randomUUID() });
  await queue.add("a", {}, { jobId: \`\${orderId}-\${Date.now()}\` });
}`,
  "random values and times elsewhere": `${stripe} import { Queue } from "bullmq"; const queue = new Queue("x");
export async function send(orderId: string) {
  await queue.add("a", { id: randomUUID(), at: Date.now() }, { deduplication: { id: orderId, ttl: Date.now() }, timestamp: Date.now() });
  await stripe.paymentIntents.create({ ...charge, metadata: { at: String(Date.now()) } }, { idempotencyKey: orderId });
  await fetch("https://x.example", { headers: { "X-Request-Id": randomUUID() } });
}`,
  "parts that are there": `${stripe} import { Queue } from "bullmq"; const queue = new Queue("x");
export async function pay(order: { id?: string }, anything: any, key: string | undefined) {
  if (order.id === undefined) throw new Error("no id");
  await stripe.paymentIntents.create(charge, { idempotencyKey: \`charge-\${order.id}\` });
  await stripe.paymentIntents.create(charge, { idempotencyKey: \`charge-\${anything.id}\` });
  await stripe.paymentIntents.create(charge, { idempotencyKey: \`\${process.env["STAGE"]}-charge\` });
  await stripe.paymentIntents.create(charge, { idempotencyKey: key });
  await queue.add("a", {}, { jobId: key });
}`,
  "the event's own id in a header": `${stripe} interface Request { headers: Record<string, string> }
export const webhook = (req: Request) => stripe.paymentIntents.create(charge, { idempotencyKey: \`a-\${req.headers["webhook-id"]}\` });`,
});

lintCases("Values that are there although their type says that they may not be", rule, {
  "the job that a handler is given, and what is asserted": `import { Queue, Worker } from "bullmq"; const queue = new Queue("a");
export const worker = new Worker("b", async (job) => {
  await queue.add("a", {}, { jobId: \`next-\${job.id}\` });
  await queue.add("a", {}, { jobId: "next-" + String(job.id) });
});
export const pay = (order: { id?: string }) => queue.add("a", {}, { jobId: \`order-\${order.id!}\` });`,
});

lintCases("Look-alikes", rule, {
  "calls of one's own, and any": `import { randomUUID } from "node:crypto"; class Queue { add(name: string, data: object, options: { deduplication: { at: number }; idempotencyKey: string }) { return [name, data, options]; } }
export const run = (anything: any) => [new Queue().add("a", {}, { deduplication: { at: Date.now() }, idempotencyKey: randomUUID() }), anything.create({}, { at: randomUUID() })];`,
});

lintCases("Tests", rule, {
  "are silent": {
    "pay.test.ts": `${stripe}
export const pay = () => stripe.paymentIntents.create(charge, { idempotencyKey: randomUUID() });`,
  },
});
