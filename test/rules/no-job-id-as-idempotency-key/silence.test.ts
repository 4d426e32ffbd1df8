import { noJobIdAsIdempotencyKey } from "../../../rules/no-job-id-as-idempotency-key.js";
import { casesOfFiles } from "../cases-of-files.js";

casesOfFiles("a key of the operation, or an id that is no key", noJobIdAsIdempotencyKey, {
  "a business key": `
    import { Worker } from "bullmq";
    import Stripe from "stripe";
    const stripe = new Stripe("sk");
    new Worker("charges", async (job) => {
      await stripe.paymentIntents.create({ amount: job.data.amount, currency: "eur" }, { idempotencyKey: \`charge-\${job.data.orderId}\` });
    });
  `,
  "logs, spans and results": `
    import { Worker, type Job } from "bullmq";
    declare const logger: { info(text: string, data: object): void };
    declare const span: { setAttribute(name: string, value: unknown): void };
    new Worker("charges", async (job: Job) => {
      logger.info("start", { jobId: job.id, idempotencyKey: job.id });
      span.setAttribute("messaging.message.id", job.id);
      await job.updateProgress({ jobId: job.id });
      return { id: job.id };
    });
  `,
  "the id of something else": `
    import { Worker } from "bullmq";
    import Stripe from "stripe";
    const stripe = new Stripe("sk");
    new Worker("charges", async (job) => {
      const order = { id: job.data.orderId };
      await stripe.charges.create({ amount: 1, currency: "eur" }, { idempotencyKey: order.id });
      await stripe.charges.create({ amount: 1, currency: "eur" }, { idempotencyKey: job.data.id });
    });
  `,
  "a row that belongs to the job": `
    import { Worker } from "bullmq";
    import { insertRun } from "@acme/database";
    new Worker("reports", async (job) => {
      await insertRun({ jobId: job.id, report: job.data.report });
    });
  `,
  "the job id of a follow-up": `
    import { Queue, Worker } from "bullmq";
    const mails = new Queue("mails");
    new Worker("orders", async (job) => {
      await mails.add("mail", { to: job.data.to }, { jobId: \`\${job.id}-mail\` });
    });
  `,
  "a random job id names a job, and drops nothing that it should not": `
    import { randomUUID } from "node:crypto";
    import { Queue } from "bullmq";
    const queue = new Queue("orders");
    export const dispatch = () => queue.add("order", {}, { jobId: randomUUID() });
  `,
  "a deduplication id of the content": `
    import { createHash } from "node:crypto";
    import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
    const sqs = new SQSClient({});
    export const dispatch = (body: string) =>
      sqs.send(new SendMessageCommand({ QueueUrl: "q", MessageBody: body, MessageDeduplicationId: createHash("sha256").update(body).digest("hex") }));
  `,
  "Powertools with a path into the body": `
    import { IdempotencyConfig, makeIdempotent } from "@aws-lambda-powertools/idempotency";
    import type { SQSEvent } from "aws-lambda";
    declare const persistenceStore: never;
    const config = new IdempotencyConfig({ eventKeyJmesPath: "powertools_json(Records[0].body).[tenant, messageId]" });
    async function main(event: SQSEvent) { return event.Records.length; }
    export const handler = makeIdempotent(main, { persistenceStore, config });
    export const charge = makeIdempotent(async (order: { id: string }) => order.id, { persistenceStore });
  `,
});

casesOfFiles("caches beside the keys that remember", noJobIdAsIdempotencyKey, {
  "a job id as the value, and words about progress behind it": `
    import { Worker } from "bullmq";
    import { Redis } from "ioredis";
    const redis = new Redis();
    new Worker("orders", async (job) => {
      await redis.set(\`processed:\${job.data.orderId}\`, job.id ?? "");
      await redis.set(\`progress:\${job.id}:processed\`, 10);
      await redis.hset(\`job:\${job.id}\`, "processed", 10);
    });
  `,
});

casesOfFiles("a job id that the dispatcher made from the operation", noJobIdAsIdempotencyKey, {
  "for this queue": {
    "dispatch.ts": `
      import { Queue } from "bullmq";
      const queue = new Queue("charges");
      export const charge = (orderId: string, amount: number) => queue.add("charge", { amount }, { jobId: \`charge-\${orderId}\` });`,
    "worker.ts": `
      import { Worker } from "bullmq";
      import Stripe from "stripe";
      const stripe = new Stripe("sk");
      new Worker("charges", async (job) => {
        await stripe.charges.create({ amount: job.data.amount, currency: "eur" }, { idempotencyKey: job.id }); // report newPerDispatch, untyped
      });`,
  },
});
