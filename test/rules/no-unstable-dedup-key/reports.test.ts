import { expect, test } from "vitest";

import { noUnstableDedupKey as rule } from "../../../rules/no-unstable-dedup-key.js";
import { linted, lintCases } from "../lint-cases.js";

const stripe = `import Stripe from "stripe"; const stripe = new Stripe("sk"); import { randomUUID } from "node:crypto"; const charge = { amount: 1, currency: "eur" };`;

lintCases("Keys that are new at each attempt", rule, {
  "a deduplication id that is made at each dispatch": `import { randomUUID } from "node:crypto";
import { Queue } from "bullmq";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
const sqs = new SQSClient({});
const queue = new Queue("orders");
export async function dispatch(body: string, deduplicationId?: string) {
  const id = randomUUID(); // report randomDeduplication
  await sqs.send(new SendMessageCommand({
    QueueUrl: "https://sqs/orders.fifo",
    MessageGroupId: "orders",
    MessageBody: JSON.stringify({ id, body }),
    MessageDeduplicationId: deduplicationId ?? id,
  }));
}
export async function other(body: string) {
  const deduplication = { id: randomUUID() }; // report randomDeduplication
  await queue.add("order", { body }, { deduplication });
}`,
  "a random key of a provider, made at the call": `${stripe} import { Resend } from "resend"; const resend = new Resend("re"); import axios from "axios"; import { nanoid } from "nanoid";
export async function pay(orderId: string) {
  await stripe.paymentIntents.create(charge, { idempotencyKey: randomUUID() }); // report random
  await stripe.paymentIntents.create(charge, { idempotencyKey: \`charge-\${orderId}-\${nanoid()}\` }); // report random
  const key = crypto.randomUUID(); // report random
  await stripe.refunds.create({}, { idempotencyKey: key });
  await resend.emails.send({ from: "a@b.c", to: "a@b.c", subject: "Hi", text: "Hi" }, { idempotencyKey: nanoid() }); // report random
  await fetch("https://pay.example", { method: "POST", headers: { "Idempotency-Key": randomUUID() } }); // report random
  await fetch("https://pay.example", { method: "POST", headers: { "idempotency-key": randomUUID() } }); // report random
  await axios.post("https://pay.example", {}, { headers: { "Idempotency-Key": randomUUID() } }); // report random
}`,
  "options beside the call": `${stripe}
export async function pay() {
  const options = { idempotencyKey: randomUUID() }; // report random
  await stripe.paymentIntents.create(charge, options);
}`,
  "the clock": `${stripe} import { Queue } from "bullmq"; import { PgBoss } from "pg-boss"; import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs"; import { makeWorkerUtils } from "graphile-worker";
const queue = new Queue("x"); const boss = new PgBoss("x"); const sqs = new SQSClient({}); const utils = await makeWorkerUtils({});
export async function send(orderId: string) {
  await queue.add("a", {}, { deduplication: { id: \`\${orderId}-\${Date.now()}\` } }); // report clock
  await boss.send("a", {}, { singletonKey: orderId + new Date().toISOString() }); // report clock
  await utils.addJob("a", {}, { jobKey: String(Date.now()) }); // report clock
  await sqs.send(new SendMessageCommand({ QueueUrl: "x", MessageBody: "x", MessageDeduplicationId: \`\${orderId}-\${new Date().getTime()}\` })); // report clock
  await stripe.paymentIntents.create(charge, { idempotencyKey: "charge-" + Date.now() }); // report clock
}`,
  "a counter": `${stripe} let count = 0;
export async function pay() {
  await stripe.paymentIntents.create(charge, { idempotencyKey: \`charge-\${++count}\` }); // report counter
}`,
  "a header of the request": `${stripe} import { Queue } from "bullmq"; const queue = new Queue("x"); interface Request { headers: Record<string, string>; get(name: string): string }
export async function webhook(req: Request) {
  await stripe.paymentIntents.create(charge, { idempotencyKey: req.headers["x-request-id"] }); // report header
  await queue.add("a", {}, { deduplication: { id: \`a-\${req.get("X-Correlation-ID")}\` } }); // report header
}`,
  "a part that may be absent": `${stripe} import { Queue } from "bullmq"; const queue = new Queue("x"); interface Order { id?: string; total: number | null }
export async function pay(order: Order, user: { id: string } | undefined) {
  await stripe.paymentIntents.create(charge, { idempotencyKey: \`charge-\${order.id}\` }); // report nullish typed
  await queue.add("a", {}, { jobId: \`order-\${user?.id}\` }); // report nullish typed
  await queue.add("a", {}, { deduplication: { id: "total-" + order.total } }); // report nullish typed
}`,
  "of each element": `import { Queue } from "bullmq"; const queue = new Queue("x");
export async function all(orders: { id: string }[]) {
  await queue.addBulk(orders.map((order) => ({ name: "a", data: {}, opts: { deduplication: { id: \`\${order.id}-\${Date.now()}\` } } }))); // report clock
}`,
});

const found = linted(
  rule,
  `${stripe}
export const pay = (order: { id?: string }) => stripe.paymentIntents.create(charge, { idempotencyKey: \`charge-\${order.id}\` });
export const again = () => stripe.paymentIntents.create(charge, { idempotencyKey: randomUUID() });`,
);

test("the message says what happens and what to do", () => {
  expect(found().map(({ message }) => message)).toEqual([
    '`order.id` may be undefined or null, and then the key `idempotencyKey` of `stripe.paymentIntents.create` only says "undefined" or "null" there: all operations without it share one key, and all but the first are dropped as repeats. Check it first, and throw where it is missing.',
    "A new random UUID is made at each call of `stripe.paymentIntents.create` and becomes its key `idempotencyKey`: when the same operation is asked for again (a retry, a double click), the key is another one, and it is done twice. Build it from the operation (what is done, and for which business object), or make it once, where the operation begins, keep it, and pass it in.",
  ]);
});
