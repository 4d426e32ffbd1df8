import { noRandomIdInHandler } from "../../../rules/no-random-id-in-handler.js";
import { casesOfFiles } from "../cases-of-files.js";

casesOfFiles("a random id becomes an identity in a handler", noRandomIdInHandler, {
  "a row's id, through a variable": `
    import { randomUUID } from "node:crypto";
    import { PrismaClient } from "@prisma/client";
    import { Worker } from "bullmq";
    const prisma = new PrismaClient();
    new Worker("orders", async (job) => {
      const id = randomUUID(); // report stored
      await prisma.order.create({ data: { id, total: job.data.total, userId: job.data.userId } });
    });
  `,
  "a row of Drizzle, in an array, with a fallback from the payload": `
    import { Queue, Worker, type Job } from "bullmq";
    import { drizzle } from "drizzle-orm/node-postgres";
    import { pgTable, text } from "drizzle-orm/pg-core";
    import { v4 as uuid } from "uuid";
    const items = pgTable("items", { id: text("id").primaryKey(), name: text("name") });
    const db = drizzle("postgres://localhost/shop");
    export async function store(job: Job<{ id?: string; names: string[] }>) {
      const rows = job.data.names.map((name) => ({ id: job.data.id ?? uuid(), name })); // report stored
      await db.insert(items).values(rows);
    }
    new Worker("items", store);
  `,
  "SQL text with its values": `
    import { Worker } from "bullmq";
    import { nanoid } from "nanoid";
    import { Pool } from "pg";
    const pool = new Pool();
    new Worker("invoices", async (job) => {
      await pool.query("INSERT INTO invoices (id, order_id) VALUES ($1, $2)", [nanoid(), job.data.orderId]); // report stored
    });
  `,
  "SQL in a template": `
    import { randomUUID } from "node:crypto";
    import { Worker } from "bullmq";
    import postgres from "postgres";
    const sql = postgres();
    new Worker("invoices", async (job) => {
      await sql\`INSERT INTO invoices (id, order_id) VALUES (\${randomUUID()}, \${job.data.orderId})\`; // report stored
    });
  `,
  "a text made from random bytes": `
    import { randomBytes } from "node:crypto";
    import { PrismaClient } from "@prisma/client";
    import { Worker } from "bullmq";
    const prisma = new PrismaClient();
    new Worker("orders", async (job) => {
      const suffix = randomBytes(4).toString("hex"); // report stored
      await prisma.order.create({ data: { id: \`ord_\${suffix}\`, total: 1, userId: job.data.userId } });
    });
  `,
  "Math.random in an id": `
    import { PrismaClient } from "@prisma/client";
    import { Worker } from "bullmq";
    const prisma = new PrismaClient();
    new Worker("orders", async (job) => {
      const id = "ord_" + Math.random().toString(36).slice(2); // report stored
      await prisma.order.create({ data: { id, total: 1, userId: job.data.userId } });
    });
  `,
  "an id that a small helper makes is reported where the handler asks for it": `
    import { PrismaClient } from "@prisma/client";
    import { Worker } from "bullmq";
    import { customAlphabet } from "nanoid";
    const prisma = new PrismaClient();
    const makeId = customAlphabet("abc", 12);
    const newId = (prefix: string) => \`\${prefix}_\${makeId()}\`;
    new Worker("orders", async (job) => {
      const id = newId("ord"); // report stored
      await prisma.order.create({ data: { id, total: 1, userId: job.data.userId } });
    });
  `,
  "an idempotency key of Stripe": `
    import { randomUUID } from "node:crypto";
    import { Worker } from "bullmq";
    import Stripe from "stripe";
    const stripe = new Stripe("sk");
    new Worker("charges", async (job) => {
      await stripe.paymentIntents.create({ amount: job.data.amount, currency: "eur" }, { idempotencyKey: randomUUID() }); // report key
    });
  `,
  "a header against repeats": `
    import { randomUUID } from "node:crypto";
    import { Worker } from "bullmq";
    new Worker("charges", async (job) => {
      await fetch("https://pay.example/charges", {
        method: "POST",
        headers: { "Idempotency-Key": \`charge-\${randomUUID()}\` }, // report key
        body: JSON.stringify({ amount: job.data.amount }),
      });
    });
  `,
  "an id in an outgoing body": `
    import { randomUUID } from "node:crypto";
    import axios from "axios";
    import { Worker } from "bullmq";
    new Worker("payouts", async (job) => {
      await axios.post("https://bank.example/payouts", { payoutId: randomUUID(), amount: job.data.amount }); // report sent
    });
  `,
  "the id of what a follow-up job is about": `
    import { randomUUID } from "node:crypto";
    import { Queue, Worker } from "bullmq";
    const exportsQueue = new Queue("exports");
    new Worker("reports", async (job) => {
      const exportId = randomUUID(); // report dispatched
      await exportsQueue.add("export", { exportId, account: job.data.account });
    });
  `,
  "the job id of a follow-up": `
    import { randomUUID } from "node:crypto";
    import { Queue, Worker } from "bullmq";
    const mails = new Queue("mails");
    new Worker("reports", async (job) => {
      await mails.add("mail", { to: job.data.to }, { jobId: randomUUID() }); // report key
    });
  `,
  "in a NestJS processor, through a service and a repository": {
    "order.entity.ts": `export class OrderEntity { id!: string; userId!: string; }`,
    "orders.repository.ts": `
      import { Repository } from "typeorm";
      import { OrderEntity } from "./order.entity";
      export class OrdersRepository {
        constructor(private readonly rows: Repository<OrderEntity>) {}
        async add(order: { id: string; userId: string }) {
          const row = this.rows.create(order);
          await this.rows.save(row);
        }
      }`,
    "orders.service.ts": `
      import { randomUUID } from "node:crypto";
      import { OrdersRepository } from "./orders.repository";
      export class OrdersService {
        constructor(private readonly orders: OrdersRepository) {}
        async confirm(userId: string) {
          await this.orders.add({ id: randomUUID(), userId }); // report stored, typed
        }
      }`,
    "orders.processor.ts": `
      import { Processor, WorkerHost } from "@nestjs/bullmq";
      import type { Job } from "bullmq";
      import { OrdersService } from "./orders.service";
      @Processor("orders")
      export class OrdersProcessor extends WorkerHost {
        constructor(private readonly service: OrdersService) { super(); }
        async process(job: Job<{ userId: string }>) {
          await this.service.confirm(job.data.userId);
        }
      }`,
  },
  "below a wrapper of the project that registers what it is given": {
    "workers.ts": `
      import { Worker, type Processor } from "bullmq";
      export class Workers {
        static traced(processor: Processor): Processor { return async (job) => processor(job); }
        static register(name: string, processor: Processor) { return new Worker(name, Workers.traced(processor)); }
      }`,
    "confirm.ts": `
      import { randomUUID } from "node:crypto";
      import { PrismaClient } from "@prisma/client";
      const prisma = new PrismaClient();
      export const confirm = async (job: { data: { userId: string } }) => {
        await prisma.order.create({ data: { id: randomUUID(), total: 1, userId: job.data.userId } }); // report stored, typed
      };`,
    "main.ts": `
      import { confirm } from "./confirm";
      import { Workers } from "./workers";
      Workers.register("confirm", confirm);`,
  },
  "below a registry of task classes": {
    "base.ts": `export abstract class Task { abstract perform(data: unknown): Promise<void>; }`,
    "import.ts": `
      import { randomUUID } from "node:crypto";
      import { PrismaClient } from "@prisma/client";
      import { Task } from "./base";
      const prisma = new PrismaClient();
      export class ImportTask extends Task {
        async perform() {
          await prisma.order.create({ data: { id: randomUUID(), total: 1, userId: "u" } }); // report stored, typed
        }
      }`,
    "worker.ts": `
      import Queue from "bull";
      declare const tasks: Record<string, any>;
      new Queue("tasks").process(async (job) => {
        const task = new tasks[job.data.name]();
        await task.perform(job.data.props);
      });`,
  },
  "a map of handlers by job name": {
    "handlers.ts": `
      import { randomUUID } from "node:crypto";
      import { PrismaClient } from "@prisma/client";
      const prisma = new PrismaClient();
      async function confirm(userId: string) {
        await prisma.order.create({ data: { id: randomUUID(), total: 1, userId } }); // report stored, typed
      }
      export const handlers = { confirm };`,
    "worker.ts": `
      import { Worker } from "bullmq";
      import { handlers } from "./handlers";
      new Worker("orders", async (job) => {
        const handler = handlers[job.name as "confirm"];
        await handler(job.data.userId);
      });`,
  },
  "an activity that a workflow calls through its proxy": {
    "activities.ts": `
      import { randomUUID } from "node:crypto";
      import { PrismaClient } from "@prisma/client";
      const prisma = new PrismaClient();
      export async function place(userId: string) {
        await prisma.order.create({ data: { id: randomUUID(), total: 1, userId } }); // report stored, typed
      }`,
    "workflow.ts": `
      import { proxyActivities } from "@temporalio/workflow";
      import type * as activities from "./activities";
      const { place } = proxyActivities<typeof activities>({ startToCloseTimeout: "1 minute" });
      export async function order(userId: string) { await place(userId); }`,
  },
  "an SQS handler of Lambda": `
    import { randomUUID } from "node:crypto";
    import type { SQSHandler } from "aws-lambda";
    import { PrismaClient } from "@prisma/client";
    const prisma = new PrismaClient();
    export const handler: SQSHandler = async (event) => {
      for (const record of event.Records) {
        await prisma.order.create({ data: { id: randomUUID(), total: 1, userId: record.body } }); // report stored
      }
    };
  `,
  "outside the steps of an Inngest function, and inside the step that stores": `
    import { randomUUID } from "node:crypto";
    import { PrismaClient } from "@prisma/client";
    import { Inngest } from "inngest";
    const inngest = new Inngest({ id: "shop" });
    const prisma = new PrismaClient();
    export const confirm = inngest.createFunction({ id: "confirm", triggers: [{ event: "shop/order" }] }, async ({ step }) => {
      const outside = randomUUID(); // report stored
      await step.run("store", async () => {
        await prisma.order.create({ data: { id: outside, total: 1, userId: "u" } });
        await prisma.order.create({ data: { id: randomUUID(), total: 1, userId: "u" } }); // report stored
      });
    });
  `,
  "an upsert that meets its row by the random id": `
    import { randomUUID } from "node:crypto";
    import { Worker } from "bullmq";
    import { Model } from "sequelize";
    import type { Repository } from "typeorm";
    class Account extends Model {}
    declare const accounts: Repository<{ id: string; email: string }>;
    new Worker("accounts", async (job) => {
      const { email } = job.data;
      await accounts.upsert({ id: randomUUID(), email }, ["id"]); // report stored
      await Account.upsert({ id: randomUUID(), email }, { conflictFields: ["id"] as never }); // report stored
    });
  `,
  "an upsert that looks for a random id finds nothing": `
    import { randomUUID } from "node:crypto";
    import { PrismaClient } from "@prisma/client";
    import { Worker } from "bullmq";
    const prisma = new PrismaClient();
    new Worker("orders", async (job) => {
      const id = randomUUID(); // report stored
      await prisma.order.upsert({ where: { id }, create: { id, total: 1, userId: job.data.userId }, update: {} });
    });
  `,
  "an object that its type calls a row to insert": `
    import { randomUUID } from "node:crypto";
    import { Worker } from "bullmq";
    interface TraceInsert { id: string; name: string; }
    declare function merge(rows: TraceInsert[]): void;
    new Worker("traces", async (job) => {
      const row: TraceInsert = { id: randomUUID(), name: job.data.name }; // report stored
      merge([row]);
    });
  `,
  "a function of a package without types, that says that it stores": `
    import { insertExecution, prisma } from "@acme/database";
    import { randomUUID } from "node:crypto";
    import { Worker } from "bullmq";
    new Worker("executions", async (job) => {
      await insertExecution({ id: randomUUID(), name: job.data.name }); // report stored
      await prisma.execution.create({ data: { id: randomUUID(), name: job.data.name } }); // report stored
    });
  `,
});
