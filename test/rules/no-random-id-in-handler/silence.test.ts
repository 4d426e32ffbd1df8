import { noRandomIdInHandler } from "../../../rules/no-random-id-in-handler.js";
import { casesOfFiles } from "../cases-of-files.js";

casesOfFiles("a random value that is no identity, or that a retry meets again", noRandomIdInHandler, {
  "no handler leads here": `
    import { randomUUID } from "node:crypto";
    import { PrismaClient } from "@prisma/client";
    import { Queue } from "bullmq";
    const prisma = new PrismaClient();
    const queue = new Queue("orders");
    export async function route(userId: string) {
      const id = randomUUID();
      await prisma.order.create({ data: { id, total: 1, userId } });
      await queue.add("confirm", { orderId: id }, { jobId: id });
    }
  `,
  "a name-based UUID of the business key": `
    import { PrismaClient } from "@prisma/client";
    import { Worker } from "bullmq";
    import { v5 } from "uuid";
    const prisma = new PrismaClient();
    new Worker("orders", async (job) => {
      await prisma.order.create({ data: { id: v5(job.data.cartId, v5.URL), total: 1, userId: job.data.userId } });
    });
  `,
  "the envelope's id of a follow-up job": `
    import { randomUUID } from "node:crypto";
    import { Queue, Worker } from "bullmq";
    const queue = new Queue("mails");
    new Worker("orders", async (job) => {
      await queue.add("mail", { id: randomUUID(), name: "mail", timestamp: new Date(), payload: { to: job.data.to } });
      const message = { messageId: randomUUID(), type: "mail", data: { to: job.data.to } };
      await queue.addBulk([{ name: "mail", data: message }]);
    });
  `,
  "logs, traces and metrics": `
    import { randomUUID } from "node:crypto";
    import { Worker } from "bullmq";
    declare const logger: { child(bindings: object): { info(text: string, data?: object): void } };
    declare const tracer: { startSpan(name: string, options: object): void };
    new Worker("orders", async (job) => {
      const batchId = randomUUID();
      const log = logger.child({ batchId });
      log.info("start", { runId: randomUUID() });
      tracer.startSpan("order", { traceId: randomUUID() });
      console.log({ id: randomUUID(), job: job.name });
    });
  `,
  "request and correlation ids of outgoing calls": `
    import { randomUUID } from "node:crypto";
    import axios from "axios";
    import { Worker } from "bullmq";
    new Worker("orders", async (job) => {
      await axios.post("https://api.example/orders", { requestId: randomUUID(), order: job.data.orderId }, { headers: { "X-Request-Id": randomUUID() } });
      await fetch("https://api.example", { method: "POST", headers: { "x-correlation-id": randomUUID() } });
    });
  `,
  "the owner of a lock": `
    import { randomUUID } from "node:crypto";
    import { Worker } from "bullmq";
    import { Redis } from "ioredis";
    import { PrismaClient } from "@prisma/client";
    const redis = new Redis();
    const prisma = new PrismaClient();
    new Worker("orders", async (job) => {
      const lockValue = randomUUID();
      await redis.set("lock:" + job.data.orderId, lockValue, "PX", 30000, "NX");
      await prisma.outbox.create({ data: { topic: "t", payload: { lockedBy: randomUUID() }, idempotencyKey: job.data.key } });
    });
  `,
  "who this process is": `
    import { randomUUID } from "node:crypto";
    import { Worker } from "bullmq";
    const workerId = randomUUID();
    new Worker("orders", async () => { console.log(workerId); });
  `,
  "secrets and codes that are sent to a person": `
    import { randomBytes, randomUUID } from "node:crypto";
    import { insertUser, insertInvite } from "@acme/database";
    import { Worker } from "bullmq";
    new Worker("users", async (job) => {
      await insertUser({ id: job.data.userId, passwordSalt: randomBytes(16).toString("hex"), resetToken: randomUUID() });
      await insertInvite({ email: job.data.email, verificationCode: randomUUID().slice(0, 6) });
    });
  `,
  "files that are gone after the run, jitter and sampling": `
    import { randomUUID } from "node:crypto";
    import { writeFile } from "node:fs/promises";
    import { tmpdir } from "node:os";
    import { Worker } from "bullmq";
    new Worker("reports", async (job) => {
      const path = tmpdir() + "/" + randomUUID() + ".pdf";
      await writeFile(path, job.data.text);
      await new Promise((done) => setTimeout(done, Math.random() * 1000));
      if (Math.random() < 0.1) console.log("sampled");
    });
  `,
  "ids that tell things apart in memory": `
    import { randomUUID } from "node:crypto";
    import { Worker } from "bullmq";
    new Worker("merge", async (job) => {
      const rows: { id?: string; title: string }[] = job.data.rows;
      for (const row of rows) row.id = randomUUID();
      return rows.filter((row) => !job.data.known.includes(row.id)).length;
    });
  `,
  "an id that a step keeps": `
    import { randomUUID } from "node:crypto";
    import { PrismaClient } from "@prisma/client";
    import { Inngest } from "inngest";
    const inngest = new Inngest({ id: "shop" });
    const prisma = new PrismaClient();
    export const confirm = inngest.createFunction({ id: "confirm", triggers: [{ event: "shop/order" }] }, async ({ step }) => {
      const id = await step.run("id", () => randomUUID());
      await step.run("store", () => prisma.order.create({ data: { id, total: 1, userId: "u" } }));
    });
  `,
  "a workflow's own generator, which a replay repeats": `
    import { uuid4 } from "@temporalio/workflow";
    import { proxyActivities } from "@temporalio/workflow";
    declare const activities: { place(id: string): Promise<void> };
    const { place } = proxyActivities<typeof activities>({ startToCloseTimeout: "1 minute" });
    export async function order() { await place(uuid4()); }
  `,
  "an upsert that finds its row by a business key": `
    import { randomUUID } from "node:crypto";
    import { PrismaClient } from "@prisma/client";
    import { Worker } from "bullmq";
    const prisma = new PrismaClient();
    new Worker("users", async (job) => {
      await prisma.user.upsert({ where: { email: job.data.email }, create: { id: randomUUID(), email: job.data.email }, update: {} });
    });
  `,
  "an insert that gives way to the row that is there": `
    import { randomUUID } from "node:crypto";
    import { Worker } from "bullmq";
    import { drizzle } from "drizzle-orm/node-postgres";
    import { pgTable, text } from "drizzle-orm/pg-core";
    import { Pool } from "pg";
    const items = pgTable("items", { id: text("id").primaryKey(), sku: text("sku").unique() });
    const db = drizzle("postgres://localhost/shop");
    const pool = new Pool();
    new Worker("items", async (job) => {
      await db.insert(items).values({ id: randomUUID(), sku: job.data.sku }).onConflictDoNothing({ target: items.sku });
      await pool.query("INSERT INTO items (id, sku) VALUES ($1, $2) ON CONFLICT (sku) DO NOTHING", [randomUUID(), job.data.sku]);
    });
  `,
  "a listener of an in-process bus hears an event once": `
    import { randomUUID } from "node:crypto";
    import { OnEvent } from "@nestjs/event-emitter";
    import { PrismaClient } from "@prisma/client";
    const prisma = new PrismaClient();
    export class Orders {
      @OnEvent("cart.closed")
      async place(event: { userId: string }) {
        await prisma.order.create({ data: { id: randomUUID(), total: 1, userId: event.userId } });
      }
    }
  `,
  "a listener of a worker's events works on no job": `
    import { randomUUID } from "node:crypto";
    import { PrismaClient } from "@prisma/client";
    import { Worker, type Job } from "bullmq";
    const prisma = new PrismaClient();
    const worker = new Worker("orders", async () => undefined);
    worker.on("failed", async (job: Job | undefined) => {
      await prisma.order.create({ data: { id: randomUUID(), total: 0, userId: job?.data.userId } });
    });
  `,
  "an upsert of MongoDB, whose second run finds the document": `
    import { randomUUID } from "node:crypto";
    import { Worker } from "bullmq";
    import mongoose from "mongoose";
    const Account = mongoose.model("Account", new mongoose.Schema({ _id: String, email: String }));
    new Worker("accounts", async (job) => {
      const { email } = job.data;
      await Account.updateOne({ email }, { $setOnInsert: { _id: randomUUID() } }, { upsert: true });
      await mongoose.connection.collection<{ _id: string }>("a").updateOne({ email }, { $setOnInsert: { _id: randomUUID() } }, { upsert: true });
    });
  `,
  "an upsert that meets its row by another column": `
    import { randomUUID } from "node:crypto";
    import type { EntityManager } from "@mikro-orm/postgresql";
    import { Worker } from "bullmq";
    import { Model } from "sequelize";
    import type { Repository } from "typeorm";
    class Account extends Model {}
    declare const accounts: Repository<{ id: string; email: string }>;
    declare const em: EntityManager;
    new Worker("accounts", async (job) => {
      const { email } = job.data;
      await accounts.upsert({ id: randomUUID(), email }, ["email"]);
      await accounts.upsert([{ id: randomUUID(), email }], { conflictPaths: ["email"] });
      await Account.upsert({ id: randomUUID(), email });
      await em.upsert("Account", { id: randomUUID(), email });
    });
  `,
  "a store of the same name that no handler reaches": {
    "store.ts": `
      import { randomUUID } from "node:crypto";
      import { PrismaClient } from "@prisma/client";
      const prisma = new PrismaClient();
      export async function save(userId: string) {
        await prisma.order.create({ data: { id: randomUUID(), total: 1, userId } });
      }`,
    "other.ts": `export async function save(userId: string) { return userId; }`,
    "worker.ts": `
      import { Worker } from "bullmq";
      import { save } from "./other";
      new Worker("orders", async (job) => { await save(job.data.userId); });`,
  },
  "a random value that is only compared": `
    import { randomUUID } from "node:crypto";
    import { PrismaClient } from "@prisma/client";
    import { Worker } from "bullmq";
    const prisma = new PrismaClient();
    new Worker("orders", async (job) => {
      const marker = randomUUID();
      if (job.data.marker !== marker) await prisma.order.create({ data: { id: job.data.id, total: marker.length, userId: job.data.userId } });
    });
  `,
  "code that is broken while it is written": `
    import { randomUUID } from "node:crypto";
    import { Worker } from "bullmq";
    new Worker("orders", async (job) => { const { } = randomUUID(); const [, x] = [randomUUID()]; job.data[randomUUID()] = 1; });
    export const f = ({ id = randomUUID() } = {}, ...rest: string[]) => ({ ...rest, id, [randomUUID()]: id });
    class A { #id = randomUUID(); static { A.prototype; } get x() { return this.#id; } }
  `,
});
