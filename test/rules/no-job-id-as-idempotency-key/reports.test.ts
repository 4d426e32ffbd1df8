import { noJobIdAsIdempotencyKey } from "../../../rules/no-job-id-as-idempotency-key.js";
import { casesOfFiles } from "../cases-of-files.js";

casesOfFiles("what the queue made is used to recognise a repeat", noJobIdAsIdempotencyKey, {
  "BullMQ's job id as key of Stripe": `
    import { Worker } from "bullmq";
    import Stripe from "stripe";
    const stripe = new Stripe("sk");
    new Worker("charges", async (job) => {
      await stripe.paymentIntents.create({ amount: job.data.amount, currency: "eur" }, { idempotencyKey: job.id }); // report newPerDispatch
    });
  `,
  "in a text, through a variable": `
    import type { Job } from "bullmq";
    import { Resend } from "resend";
    const resend = new Resend("re");
    export async function send(job: Job<{ to: string }>) {
      const idempotencyKey = \`mail-\${job.id}\`; // report newPerDispatch
      await resend.emails.send({ from: "a@b.c", to: job.data.to, subject: "Hi", text: "Hi" }, { idempotencyKey });
    }
  `,
  "in a header": `
    import { Worker } from "bullmq";
    new Worker("charges", async (job) => {
      await fetch("https://pay.example", { method: "POST", headers: { "Idempotency-Key": String(job.id) } }); // report newPerDispatch
    });
  `,
  "taken apart, with another name": `
    import type { Job } from "bullmq";
    import axios from "axios";
    export async function charge({ id: jobId, data }: Job<{ amount: number }>) {
      await axios.post("https://pay.example", data, { headers: { "X-Idempotency-Key": jobId } }); // report newPerDispatch
    }
  `,
  "handed to a service": {
    "payments.ts": `
      import Stripe from "stripe";
      export class Payments {
        constructor(private readonly stripe: Stripe) {}
        async charge(amount: number, key: string) {
          await this.stripe.paymentIntents.create({ amount, currency: "eur" }, { idempotencyKey: key });
        }
      }`,
    "worker.ts": `
      import { Processor, WorkerHost } from "@nestjs/bullmq";
      import type { Job } from "bullmq";
      import { Payments } from "./payments";
      @Processor("charges")
      export class Charges extends WorkerHost {
        constructor(private readonly payments: Payments) { super(); }
        async process(job: Job<{ amount: number }>) {
          await this.payments.charge(job.data.amount, job.id ?? ""); // report newPerDispatch, typed
        }
      }`,
  },
  "a row of the table of what was processed": `
    import { PrismaClient } from "@prisma/client";
    import type { SQSEvent } from "aws-lambda";
    const prisma = new PrismaClient();
    export const handler = async (event: SQSEvent) => {
      for (const record of event.Records) {
        await prisma.processedMessage.create({ data: { consumer: "orders", messageId: record.messageId } }); // report newPerDispatch
      }
    };
  `,
  "SQL into such a table": `
    import { Worker } from "bullmq";
    import { Pool } from "pg";
    const pool = new Pool();
    new Worker("orders", async (job) => {
      await pool.query("INSERT INTO processed_jobs (job_id) VALUES ($1)", [job.id]); // report newPerDispatch
    });
  `,
  "a receipt handle is new at each delivery": `
    import type { SQSRecord } from "aws-lambda";
    import Stripe from "stripe";
    const stripe = new Stripe("sk");
    export async function charge(record: SQSRecord) {
      await stripe.refunds.create({ charge: record.body }, { idempotencyKey: record.receiptHandle }); // report newPerDelivery
    }
  `,
  "a delivery tag": `
    import type { ConsumeMessage } from "amqplib";
    export async function charge(message: ConsumeMessage) {
      await fetch("https://pay.example", { method: "POST", headers: { "Idempotency-Key": \`charge-\${message.fields.deliveryTag}\` } }); // report newPerDelivery
    }
  `,
  "a run's id": `
    import { task } from "@trigger.dev/sdk";
    import Stripe from "stripe";
    const stripe = new Stripe("sk");
    export const charge = task({
      id: "charge",
      run: async (payload: { amount: number }, { ctx }) => {
        await stripe.charges.create({ amount: payload.amount, currency: "eur" }, { idempotencyKey: ctx.run.id }); // report newPerDispatch
      },
    });
  `,
  "Powertools with the message's id as path": `
    import { IdempotencyConfig, makeIdempotent } from "@aws-lambda-powertools/idempotency";
    import type { SQSEvent } from "aws-lambda";
    declare const persistenceStore: never;
    const config = new IdempotencyConfig({ eventKeyJmesPath: "Records[0].messageId" }); // report newPerDispatch
    async function main(event: SQSEvent) { return event.Records.length; }
    export const handler = makeIdempotent(main, { persistenceStore, config });
  `,
  "Powertools without a path": `
    import { IdempotencyConfig, makeIdempotent } from "@aws-lambda-powertools/idempotency";
    import type { SQSEvent } from "aws-lambda";
    declare const persistenceStore: never;
    async function main(event: SQSEvent) { return event.Records.length; }
    export const handler = makeIdempotent(main, { persistenceStore }); // report wholeMessage
  `,
  "Powertools as a decorator": `
    import { IdempotencyConfig, idempotent } from "@aws-lambda-powertools/idempotency";
    import type { SQSEvent } from "aws-lambda";
    declare const persistenceStore: never;
    export class Handler {
      @idempotent({ persistenceStore, config: new IdempotencyConfig({ eventKeyJmesPath: "Records[0].receiptHandle" }) }) // report newPerDelivery
      async handler(event: SQSEvent) { return event.Records.length; }
    }
  `,
  "a path that a helper hands on or leaves out": {
    "options.ts": `
      import { IdempotencyConfig } from "@aws-lambda-powertools/idempotency";
      declare const persistenceStore: never;
      export function optionsFor(input: { table: string; path?: string }) {
        let config: IdempotencyConfig | undefined;
        if (input.path) {
          config = new IdempotencyConfig({ eventKeyJmesPath: input.path });
        }
        return { persistenceStore, config: config! };
      }`,
    "whole.ts": `
      import { makeIdempotent } from "@aws-lambda-powertools/idempotency";
      import type { SQSEvent } from "aws-lambda";
      import { optionsFor } from "./options";
      const options = optionsFor({ table: "t" }); // report wholeMessage, typed
      async function main(event: SQSEvent) { return event.Records.length; }
      export const handler = makeIdempotent(main, options);`,
    "by-id.ts": `
      import { makeIdempotent } from "@aws-lambda-powertools/idempotency";
      import type { SQSEvent } from "aws-lambda";
      import { optionsFor } from "./options";
      const path = "Records[0].messageId"; // report newPerDispatch, typed
      const options = optionsFor({ table: "t", path });
      async function main(event: SQSEvent) { return event.Records.length; }
      export const handler = makeIdempotent(main, options);`,
    "by-body.ts": `
      import { makeIdempotent } from "@aws-lambda-powertools/idempotency";
      import type { SQSEvent } from "aws-lambda";
      import { optionsFor } from "./options";
      const options = optionsFor({ table: "t", path: "powertools_json(Records[0].body).orderId" });
      async function main(event: SQSEvent) { return event.Records.length; }
      export const handler = makeIdempotent(main, options);`,
  },
  "a key of a cache that remembers what was processed": `
    import { Worker } from "bullmq";
    import { Redis } from "ioredis";
    const redis = new Redis();
    new Worker("orders", async (job) => {
      await redis.set(\`processed:\${job.id}\`, "1"); // report newPerDispatch
      await redis.set("processed:" + job.id, "1", "EX", 60, "NX"); // report newPerDispatch
      await redis.setnx(\`idempotency:\${job.id}\`, "1"); // report newPerDispatch
      await redis.sadd("processed-jobs", job.id ?? ""); // report newPerDispatch
    });
  `,
  "the run of an Inngest function": `
    import { Inngest } from "inngest";
    import Stripe from "stripe";
    const inngest = new Inngest({ id: "shop" });
    const stripe = new Stripe("sk");
    export const first = inngest.createFunction({ id: "first", triggers: [{ event: "paid" }] }, async ({ runId, step }) => {
      await step.run("pay", () => stripe.charges.create({ amount: 1, currency: "eur" }, { idempotencyKey: runId })); // report newPerDispatch
    });
    export const second = inngest.createFunction({ id: "second", triggers: [{ event: "paid" }] }, async (ctx) => {
      await stripe.charges.create({ amount: 1, currency: "eur" }, { idempotencyKey: ctx.runId }); // report newPerDispatch
    });
  `,
  "without types in the handler": `
    import { Worker } from "bullmq";
    import got from "got";
    new Worker("charges", async (job) => {
      const { id } = job;
      await got.post("https://pay.example", { headers: { "Idempotency-Key": id } }); // report newPerDispatch
    });
  `,
});
