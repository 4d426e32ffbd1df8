import { noLockAsGuarantee as rule } from "../../../rules/no-lock-as-guarantee.js";
import { lintCases } from "../lint-cases.js";

const clients = `import Stripe from "stripe"; import nodemailer from "nodemailer"; import { PrismaClient } from "@prisma/client";
const stripe = new Stripe("k"); const mail = nodemailer.createTransport({}); const prisma = new PrismaClient();`;
const redlock = `import Redlock from "redlock"; import { Redis } from "ioredis"; const redis = new Redis(); const redlock = new Redlock([redis as never]);`;

lintCases("Locks: each library", rule, {
  redlock: `${clients} ${redlock}
export async function charge(id: string) {
  await redlock.using([\`invoice:\${id}\`], 5000, async () => {
    await stripe.charges.create({ amount: 1, currency: "eur" }); // report charge
  });
}
export async function send(id: string) {
  const lock = await redlock.acquire([\`mail:\${id}\`], 5000);
  try {
    await mail.sendMail({ to: "a@example.com" }); // report send
  } finally { await lock.release(); }
}`,
  "async-mutex": `${clients} import { Mutex } from "async-mutex"; const mutex = new Mutex();
export const charge = () => mutex.runExclusive(async () => {
  await stripe.paymentIntents.create({ amount: 1, currency: "eur" }); // report charge
});`,
  "SET NX with ioredis": `${clients} ${redlock}
export async function charge(id: string) {
  const isFirst = await redis.set(\`charged:\${id}\`, "1", "EX", 3600, "NX");
  if (!isFirst) return;
  await stripe.charges.create({ amount: 1, currency: "eur" }); // report charge
}`,
  "SET NX with node-redis": `${clients} import { createClient } from "redis"; const client = createClient();
export async function charge(id: string) {
  const isFirst = await client.set(\`charged:\${id}\`, "1", { NX: true, EX: 60 });
  if (!isFirst) return;
  await stripe.charges.create({ amount: 1, currency: "eur" }); // report charge
}`,
});

lintCases("Locks: a look-up that decides on an insert", rule, {
  Prisma: `${clients} ${redlock}
export const place = (id: string) => redlock.using(["orders"], 5000, async () => {
  const existing = await prisma.order.findUnique({ where: { id } });
  if (existing) return existing;
  return prisma.order.create({ data: { id } as never }); // report insert
});`,
  "inside a transaction": `${clients} ${redlock}
export const place = (id: string) => redlock.using(["orders"], 5000, async () => {
  await prisma.$transaction(async (tx) => {
    const existing = await tx.order.findUnique({ where: { id } });
    if (!existing) {
      await tx.order.create({ data: { id } as never }); // report insert
    }
  });
});`,
  TypeORM: `${redlock} import type { Repository } from "typeorm";
export const place = (orders: Repository<{ id: string }>, id: string) => redlock.using(["orders"], 5000, async () => {
  const existing = await orders.findOne({ where: { id } });
  if (existing !== null) return;
  await orders.insert({ id }); // report insert
});`,
  Knex: `${redlock} import knexLib from "knex"; const knex = knexLib({});
export const place = (id: string) => redlock.using(["orders"], 5000, async () => {
  const existing = await knex("orders").where({ id }).first();
  if (existing) throw new Error("there already");
  await knex("orders").insert({ id }); // report insert
});`,
  SQL: `${redlock} import { Pool } from "pg"; const pool = new Pool();
export const place = (id: string) => redlock.using(["orders"], 5000, async () => {
  const found = await pool.query("select 1 from orders where id = $1", [id]);
  if (found.rowCount) return;
  await pool.query("insert into orders (id) values ($1)", [id]); // report insert
});`,
});

lintCases("Locks: through calls", rule, {
  "services of other files": {
    "main.ts": `${redlock} import { Payments } from "./payments.js";
export class Invoices {
  constructor(private readonly payments: Payments) {}
  charge(id: string) {
    return redlock.using([id], 5000, async () => {
      await this.payments.total(id);
      await this.payments.charge(id); // report charge typed
    });
  }
}`,
    "payments.ts": `import Stripe from "stripe"; const stripe = new Stripe("k");
export class Payments {
  async charge(id: string) { await stripe.charges.create({ amount: 1, currency: "eur", description: id }); }
  async total(id: string) { return id.length; }
}`,
  },
});

lintCases("Deduplication of jobs", rule, {
  "BullMQ, by jobId": `${clients} import { Queue, Worker } from "bullmq"; const queue = new Queue("charge-1");
export const ask = (id: string) => queue.add("charge-1", { id }, { jobId: \`charge-\${id}\` });
new Worker("charge-1", async () => {
  await stripe.charges.create({ amount: 1, currency: "eur" }); // report keyed
});`,
  "BullMQ, by deduplication, with a named handler": `${clients} import { Queue, Worker } from "bullmq"; const queue = new Queue("mail-2");
export const ask = (id: string) => queue.add("mail", { id }, { deduplication: { id } });
async function send() {
  await mail.sendMail({ to: "a@example.com" }); // report keyed
}
new Worker("mail-2", send);`,
  "pg-boss, by singletonKey": `${clients} import { PgBoss } from "pg-boss"; const boss = new PgBoss("x");
export const ask = (id: string) => boss.send("charge-3", { id }, { singletonKey: id });
await boss.work("charge-3", async () => {
  await stripe.charges.create({ amount: 1, currency: "eur" }); // report keyed
});`,
  "Nest, dispatched in another file": {
    "worker.ts": `${clients} import { Processor, WorkerHost } from "@nestjs/bullmq";
@Processor("charge-4") export class Charges extends WorkerHost {
  async process() {
    await stripe.charges.create({ amount: 1, currency: "eur" }); // report keyed typed
  }
}`,
    "orders.ts": `import { InjectQueue } from "@nestjs/bullmq"; import type { Queue } from "bullmq";
export class Orders {
  constructor(@InjectQueue("charge-4") private readonly queue: Queue) {}
  ask(id: string) { return this.queue.add("charge-4", { id }, { jobId: id }); }
}`,
  },
});
