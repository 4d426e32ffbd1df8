import { noLockAsGuarantee as rule } from "../../../rules/no-lock-as-guarantee.js";
import { lintCases } from "../lint-cases.js";

const clients = `import Stripe from "stripe"; import nodemailer from "nodemailer"; import { PrismaClient } from "@prisma/client";
const stripe = new Stripe("k"); const mail = nodemailer.createTransport({}); const prisma = new PrismaClient();`;
const redlock = `import Redlock from "redlock"; import { Redis } from "ioredis"; const redis = new Redis(); const redlock = new Redlock([redis as never]);`;

lintCases("Locks: something else decides", rule, {
  "a key for the provider": `${clients} ${redlock}
export const charge = (id: string) => redlock.using([id], 5000, async () => {
  await stripe.charges.create({ amount: 1, currency: "eur" }, { idempotencyKey: \`charge:\${id}\` });
});`,
  "a unique constraint": `${clients} ${redlock}
export const place = (id: string) => redlock.using([id], 5000, async () => {
  const existing = await prisma.order.findUnique({ where: { id } });
  if (existing) return;
  try { await prisma.order.create({ data: { id } as never }); } catch (error) { if ((error as { code?: string }).code !== "P2002") throw error; }
});
export const upsert = (id: string) => redlock.using([id], 5000, async () => {
  const existing = await prisma.order.findUnique({ where: { id } });
  if (!existing) await prisma.order.upsert({ where: { id }, create: { id } as never, update: {} });
});`,
  "a row lock": `${redlock} import knexLib from "knex"; const knex = knexLib({});
export const place = (id: string) => redlock.using([id], 5000, () => knex.transaction(async (trx) => {
  const existing = await trx("orders").where({ id }).forUpdate().first();
  if (!existing) await trx("orders").insert({ id });
}));`,
});

lintCases("Locks: work that may happen twice", rule, {
  "caches, updates, look-ups, inserts that no look-up decides on": `${clients} ${redlock}
export const refresh = (id: string) => redlock.using([id], 5000, async () => {
  const order = await prisma.order.findUnique({ where: { id } });
  if (!order) return;
  await redis.set(id, JSON.stringify(order), "EX", 60);
  await prisma.order.update({ where: { id }, data: {} });
  await prisma.user.create({ data: {} as never });
  await stripe.customers.retrieve("x");
  await fetch("https://x");
});`,
  "a look-up in another table": `${clients} ${redlock}
export const place = (id: string) => redlock.using([id], 5000, async () => {
  const user = await prisma.user.findUnique({ where: { id } });
  if (!user) throw new Error("nobody");
  await prisma.order.create({ data: { id } as never });
});`,
  "what stands before the lock, or outside it": `${clients} ${redlock}
export async function charge(id: string) {
  await stripe.charges.create({ amount: 1, currency: "eur" });
  await redlock.using([id], 5000, async () => { await redis.del(id); });
  await mail.sendMail({ to: "a@example.com" });
}`,
  "a key that is set and no lock": `${clients} ${redlock}
export async function charge(id: string) { await redis.set(id, "1", "EX", 60); await stripe.charges.create({ amount: 1, currency: "eur" }); }`,
});

lintCases("Locks: look-alikes", rule, {
  "members of the same name": `${clients}
class Lock { async using(work: () => Promise<void>) { await work(); } async acquire() {} async runExclusive(work: () => Promise<void>) { await work(); } async set(...all: unknown[]) { return all; } }
const lock = new Lock();
export async function charge() {
  await lock.using(async () => { await stripe.charges.create({ amount: 1, currency: "eur" }); });
  await lock.runExclusive(async () => { await stripe.charges.create({ amount: 1, currency: "eur" }); });
  await lock.acquire(); await lock.set("x", "1", "NX"); await stripe.charges.create({ amount: 1, currency: "eur" });
}`,
});

lintCases("Deduplication: another queue, or no key", rule, {
  "a queue without keys, and a queue of another name": `${clients} import { Queue, Worker } from "bullmq"; const queue = new Queue("reports"); const charges = new Queue("s1");
export const ask = (id: string) => queue.add("report", { id }, { jobId: id });
export const charge = (id: string) => charges.add("charge", { id });
new Worker("s1", async () => { await stripe.charges.create({ amount: 1, currency: "eur" }); });`,
  "a handler that gives a key": `${clients} import { Queue, Worker } from "bullmq"; const queue = new Queue("s2");
export const ask = (id: string) => queue.add("charge", { id }, { jobId: id });
new Worker("s2", async (job) => { await stripe.charges.create({ amount: 1, currency: "eur" }, { idempotencyKey: job.data.id }); });`,
  "a handler that remembers what it did":
    `${clients} import { Queue, Worker } from "bullmq"; const queue = new Queue("s3");
export const ask = (id: string) => queue.add("charge", { id }, { jobId: id });
new Worker("s3", async (job) => {
  const { count } = await prisma.ledger.createMany({ data: [{ key: job.data.id }] as never, skipDuplicates: true });
  if (count > 0) await stripe.charges.create({ amount: 1, currency: "eur" });
});`.replace("prisma.ledger", "(prisma as any).ledger"),
});
