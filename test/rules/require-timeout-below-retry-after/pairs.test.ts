import { leaseCases } from "./cases.js";

/** A handler's work, which takes the signal that limits it. */
const work = "declare function work(job: unknown, signal: AbortSignal): Promise<void>;";

leaseCases("P1: BullMQ's renewal", {
  "renews after the lock is gone": {
    code: `import { Worker } from "bullmq";
new Worker("mail", async () => {}, { connection: {}, lockDuration: 20_000, lockRenewTime: 25_000 });`,
    at: "lockRenewTime: 25_000",
    is: "renewedTooLate",
    says: ["25 s (`lockRenewTime`, line 2)", "20 s only (`lockDuration`, line 2)", "second worker", "half of it"],
  },
  "renews later than half of the default": {
    code: `import { Worker } from "bullmq";
new Worker("mail", async () => {}, { connection: {}, lockRenewTime: 20_000 });`,
    at: "lockRenewTime: 20_000",
    is: "renewedLate",
    says: ["30 s (the default of BullMQ)", "every 20 s (`lockRenewTime`, line 2)", "later than half of it"],
  },
  "renews at half by itself": {
    code: `import { Worker } from "bullmq";
new Worker("mail", async () => {}, { connection: {}, lockDuration: 60_000 });`,
  },
  "renews at exactly half": {
    code: `import { Worker } from "bullmq";
new Worker("mail", async () => {}, { connection: {}, lockDuration: 60_000, lockRenewTime: 30_000 });`,
  },
  "seconds where milliseconds are meant": {
    code: `import { Worker } from "bullmq";
new Worker("mail", async () => {}, { connection: {}, lockDuration: 60 });`,
    at: "lockDuration: 60",
    is: "tooShort",
    says: ["`lockDuration` is 60 ms here: it counts milliseconds"],
  },
  "of a subclass": {
    code: `import { Worker } from "bullmq";
export class Mail extends Worker {
  constructor() {
    super("mail", async () => {}, { connection: {}, lockDuration: 20_000, lockRenewTime: 25_000 });
  }
}`,
    at: "lockRenewTime: 25_000",
    is: "renewedTooLate",
  },
  "under another name": {
    code: `import { Worker as Consumer } from "bullmq";
new Consumer("mail", async () => {}, { connection: {}, lockDuration: 20_000, lockRenewTime: 25_000 });`,
    at: "lockRenewTime: 25_000",
    is: "renewedTooLate",
  },
  "of a namespace import": {
    code: `import * as bullmq from "bullmq";
new bullmq.Worker("mail", async () => {}, { connection: {}, lockDuration: 20_000, lockRenewTime: 25_000 });`,
    at: "lockRenewTime: 25_000",
    is: "renewedTooLate",
  },
  "of a require": {
    code: `const { Worker } = require("bullmq");
new Worker("mail", async () => {}, { connection: {}, lockDuration: 20_000, lockRenewTime: 25_000 });`,
    at: "lockRenewTime: 25_000",
    is: "renewedTooLate",
    only: "untyped",
  },
  "in options that are spread": {
    code: `import { Worker } from "bullmq";
const base = { connection: {}, lockDuration: 20_000 };
new Worker("mail", async () => {}, { ...base, lockRenewTime: 25_000 });`,
    at: "lockRenewTime: 25_000",
    is: "renewedTooLate",
  },
  "in options that nobody knows": {
    code: `import { Worker } from "bullmq";
declare const base: { connection: object; lockDuration: number };
new Worker("mail", async () => {}, { ...base, lockRenewTime: 25_000 });`,
  },
  "in NestJS, of a processor": {
    code: `import { Processor, WorkerHost } from "@nestjs/bullmq";
import { Job } from "bullmq";
@Processor("mail", { lockDuration: 20_000, lockRenewTime: 20_000 })
export class MailProcessor extends WorkerHost {
  async process(job: Job) {}
}`,
    at: "lockRenewTime: 20_000",
    is: "renewedTooLate",
  },
});

leaseCases("P2: BullMQ without renewal", {
  "an inner deadline longer than the lock": {
    code: `import { Worker } from "bullmq";
${work}
new Worker("pdf", async (job) => work(job, AbortSignal.timeout(45_000)), { connection: {}, skipLockRenewal: true });`,
    at: "AbortSignal.timeout(45_000)",
    says: ["45 s (`AbortSignal.timeout`, line 3)", "longer than the 30 s", "the default of BullMQ", "`lockDuration`"],
  },
  "a lock that is long enough": {
    code: `import { Worker } from "bullmq";
${work}
new Worker("pdf", async (job) => work(job, AbortSignal.timeout(45_000)), { connection: {}, skipLockRenewal: true, lockDuration: 90_000 });`,
  },
  "a lock that is exactly as long": {
    code: `import { Worker } from "bullmq";
${work}
new Worker("pdf", async (job) => work(job, AbortSignal.timeout(90_000)), { connection: {}, skipLockRenewal: true, lockDuration: 90_000 });`,
    at: "AbortSignal.timeout(90_000)",
    says: ["exactly as long as the 90 s"],
  },
  "a lock that renews itself": {
    code: `import { Worker } from "bullmq";
${work}
new Worker("pdf", async (job) => work(job, AbortSignal.timeout(45_000)), { connection: {} });`,
  },
  "a handler that extends the lock": {
    code: `import { Worker } from "bullmq";
${work}
new Worker("pdf", async (job, token) => {
  const timer = setInterval(() => job.extendLock(token!, 30_000), 10_000);
  await work(job, AbortSignal.timeout(45_000));
  clearInterval(timer);
}, { connection: {}, skipLockRenewal: true });`,
  },
  "stalled jobs are not run again": {
    code: `import { Worker } from "bullmq";
${work}
new Worker("pdf", async (job) => work(job, AbortSignal.timeout(45_000)), { connection: {}, skipLockRenewal: true, maxStalledCount: 0 });`,
  },
  "nobody knows whether it renews": {
    code: `import { Worker } from "bullmq";
${work}
declare const skipLockRenewal: boolean;
new Worker("pdf", async (job) => work(job, AbortSignal.timeout(45_000)), { connection: {}, skipLockRenewal });`,
  },
  "in NestJS, through a method": {
    code: `import { Processor, WorkerHost } from "@nestjs/bullmq";
import { Job } from "bullmq";
@Processor("pdf", { skipLockRenewal: true })
export class PdfProcessor extends WorkerHost {
  async process(job: Job) {
    await this.render(job);
  }
  private async render(job: Job) {
    await fetch("http://pdf", { signal: AbortSignal.timeout(60_000) });
  }
}`,
    at: "AbortSignal.timeout(60_000)",
  },
});

leaseCases("P3: BullMQ's jobs taken by hand", {
  "no option, 60 s": {
    code: `import { Worker } from "bullmq";
${work}
const worker = new Worker("pdf", null, { connection: {} });
const job = await worker.getNextJob("t1");
await work(job, AbortSignal.timeout(60_000));`,
    at: "AbortSignal.timeout(60_000)",
    says: ["60 s", "30 s", "`job.extendLock()`"],
  },
  "a lock that is long enough": {
    code: `import { Worker } from "bullmq";
${work}
const worker = new Worker("pdf", null, { connection: {}, lockDuration: 120_000 });
const job = await worker.getNextJob("t2");
await work(job, AbortSignal.timeout(60_000));`,
  },
  "in a class, with the worker in a field": {
    code: `import { Worker } from "bullmq";
${work}
export class Pdf {
  private worker: Worker;
  constructor() {
    this.worker = new Worker("pdf", null, { connection: {}, lockDuration: 45_000 });
  }
  async next() {
    const job = await this.worker.getNextJob("t1");
    if (!job) return;
    await work(job, AbortSignal.timeout(60_000));
  }
}`,
    at: "AbortSignal.timeout(60_000)",
    says: ["45 s", "line 6"],
  },
  "what comes after the job is done": {
    code: `import { Worker } from "bullmq";
${work}
const worker = new Worker("pdf", null, { connection: {} });
const job = await worker.getNextJob("t1");
await job?.moveToCompleted("done", "t1");
await work(job, AbortSignal.timeout(60_000));`,
  },
});

leaseCases("P4 and P5: Bull", {
  "renews when the lock ends": {
    code: `import Bull from "bull";
new Bull("x", { settings: { lockDuration: 10_000, lockRenewTime: 10_000 } });`,
    at: "lockRenewTime: 10_000",
    is: "renewedTooLate",
  },
  "under another name, with a URL": {
    code: `import Queue from "bull";
export const queue = new Queue("x", "redis://x", { settings: { lockDuration: 10_000, lockRenewTime: 12_000 } });`,
    at: "lockRenewTime: 12_000",
    is: "renewedTooLate",
  },
  "P5: a job's timeout is no lease's business: the lock renews itself": {
    code: `import Bull from "bull";
new Bull("x", { settings: { lockDuration: 30_000 } }).add({}, { timeout: 120_000 });`,
  },
  "in NestJS": {
    code: `import { BullModule } from "@nestjs/bull";
export const module = BullModule.registerQueue({ name: "x", settings: { lockDuration: 10_000, lockRenewTime: 10_000 } });`,
    at: "lockRenewTime: 10_000",
    is: "renewedTooLate",
  },
  "in NestJS, made by a factory": {
    code: `import { BullModule } from "@nestjs/bull";
export const module = BullModule.registerQueueAsync({ name: "x", useFactory: () => ({ settings: { lockRenewTime: 40_000 } }) });`,
    at: "lockRenewTime: 40_000",
    is: "renewedTooLate",
  },
});

const boss = `import { PgBoss } from "pg-boss";
const boss = new PgBoss("postgres://x");
${work}`;

leaseCases("P6: pg-boss", {
  "longer than what the sender gives the job": {
    code: `${boss}
await boss.send("sync", {}, { expireInSeconds: 60 });
await boss.work("sync", async ([job]) => work(job, AbortSignal.timeout(90_000)));`,
    at: "AbortSignal.timeout(90_000)",
    says: ["90 s (`AbortSignal.timeout`, line 5)", "60 s", "`expireInSeconds`, line 4"],
  },
  "a sender that gives it enough": {
    code: `${boss}
await boss.send("sync", {}, { expireInSeconds: 120 });
await boss.work("sync", async ([job]) => work(job, AbortSignal.timeout(90_000)));`,
  },
  "a sender that passes one object": {
    code: `${boss}
await boss.send({ name: "sync", data: {}, options: { expireInSeconds: 60 } });
await boss.work("sync", async ([job]) => work(job, AbortSignal.timeout(90_000)));`,
    at: "AbortSignal.timeout(90_000)",
  },
  "a batch, one job after the other": {
    code: `${boss}
await boss.work("sync", { batchSize: 20 }, async (jobs) => {
  for (const job of jobs) await work(job, AbortSignal.timeout(60_000));
});`,
    at: "AbortSignal.timeout(60_000)",
    says: ["20 min (20 × 1 min by `AbortSignal.timeout`, line 5)", "15 min", "the default of pg-boss"],
  },
  "a batch, all jobs at once": {
    code: `${boss}
await boss.work("sync", { batchSize: 20 }, async (jobs) => {
  await Promise.all(jobs.map((job) => work(job, AbortSignal.timeout(60_000))));
});`,
  },
  "a batch of a size that nobody knows": {
    code: `${boss}
await boss.work("sync", { batchSize: Number(process.env.BATCH) }, async (jobs) => {
  for (const job of jobs) await work(job, AbortSignal.timeout(60_000));
});`,
  },
  "another queue's expiration": {
    code: `${boss}
await boss.send("other", {}, { expireInSeconds: 60 });
await boss.work("sync", async ([job]) => work(job, AbortSignal.timeout(90_000)));`,
  },
  "the queue's own": {
    code: `${boss}
await boss.createQueue("sync", { expireInSeconds: 60 });
await boss.send("sync", {});
await boss.work("sync", async ([job]) => work(job, AbortSignal.timeout(90_000)));`,
    at: "AbortSignal.timeout(90_000)",
  },
  "the sender's is stronger than the queue's": {
    code: `${boss}
await boss.createQueue("sync", { expireInSeconds: 60 });
await boss.send("sync", {}, { expireInSeconds: 300 });
await boss.work("sync", async ([job]) => work(job, AbortSignal.timeout(90_000)));`,
  },
  "one sender of two that forgets it": {
    code: `${boss}
await boss.createQueue("sync");
await boss.send("sync", {}, { expireInSeconds: 3600 });
await boss.send("sync", {});
await boss.work("sync", async ([job]) => work(job, AbortSignal.timeout(1_000_000)));`,
    at: "AbortSignal.timeout(1_000_000)",
    says: ["900 s", "the default of pg-boss"],
  },
  "an expired job that is not run again": {
    code: `${boss}
await boss.send("sync", {}, { expireInSeconds: 60, retryLimit: 0 });
await boss.work("sync", async ([job]) => work(job, AbortSignal.timeout(90_000)));`,
  },
  "a wrapper may set it": {
    code: `${boss}
export const send = (name: string, data: object) => boss.send(name, data, { expireInSeconds: 7200 });
await boss.work("sync", async ([job]) => work(job, AbortSignal.timeout(1_000_000)));`,
  },
  "a queue that this program does not know: someone else made it": {
    code: `import { PgBoss } from "pg-boss";
import type { Connection } from "./connection.js";
export async function start(boss: PgBoss, work: (signal: AbortSignal) => Promise<void>, _: Connection) {
  await boss.work("sync", async () => work(AbortSignal.timeout(1_000_000)));
}`,
  },
});

leaseCases("P7 and P8: pg-boss's heartbeat and transaction", {
  "P7: refreshes when the heartbeat is due": {
    code: `${boss}
await boss.createQueue("v", { heartbeatSeconds: 30 });
await boss.work("v", { heartbeatRefreshSeconds: 30 }, async () => {});`,
    at: "heartbeatRefreshSeconds: 30",
    is: "renewedTooLate",
    says: ["takes the job for dead"],
  },
  "P7: refreshes in time": {
    code: `${boss}
await boss.createQueue("v", { heartbeatSeconds: 30 });
await boss.work("v", { heartbeatRefreshSeconds: 10 }, async () => {});`,
  },
  "P7: refreshes what is off": {
    code: `${boss}
await boss.work("v", { heartbeatRefreshSeconds: 10 }, async () => {});`,
  },
  "P7: a heartbeat that pg-boss refuses": {
    code: `${boss}
await boss.createQueue("v", { heartbeatSeconds: 5 });
await boss.work("v", { heartbeatRefreshSeconds: 2 }, async () => {});`,
    at: "heartbeatSeconds: 5",
    is: "tooShort",
    says: ["`heartbeatSeconds` is 5 s here", "below 10 s"],
  },
  "P8: a transaction that ends before the job has to": {
    code: `${boss}
await boss.work("v", { transactional: true, transactionTimeoutSeconds: 60 }, async () => {});`,
    at: "transactionTimeoutSeconds: 60",
    is: "useless",
    says: ["`expireInSeconds` (15 min, the default of pg-boss)", "`transactionTimeoutSeconds` (1 min, line 4)"],
  },
  "P8: a transaction that outlives the job": {
    code: `${boss}
await boss.createQueue("v", { expireInSeconds: 30 });
await boss.work("v", { transactional: true, transactionTimeoutSeconds: 60 }, async () => {});`,
  },
  "P8: a transaction without a limit": {
    code: `${boss}
await boss.work("v", { transactional: true, transactionTimeoutSeconds: 0 }, async () => {});`,
  },
});

leaseCases("P9: Graphile Worker", {
  "six hours": {
    code: `import { run } from "graphile-worker";
${work}
const taskList = { archive: async (payload: unknown) => work(payload, AbortSignal.timeout(6 * 3_600_000)) };
await run({ taskList });`,
    at: "AbortSignal.timeout(6",
    says: ["6 h", "4 h", "fixed in Graphile Worker", "Split the task"],
  },
  "two hours": {
    code: `import { run } from "graphile-worker";
${work}
const taskList = { archive: async (payload: unknown) => work(payload, AbortSignal.timeout(2 * 3_600_000)) };
await run({ taskList });`,
  },
  "a task in a file of its own, by its type": {
    code: `import type { Task } from "graphile-worker";
${work}
const archive: Task = async (payload) => work(payload, AbortSignal.timeout(6 * 3_600_000));
export default archive;`,
    at: "AbortSignal.timeout(6",
  },
  "a task list, by its type": {
    code: `import type { TaskList } from "graphile-worker";
${work}
export const tasks: TaskList = { archive: async (payload) => work(payload, AbortSignal.timeout(4 * 3_600_000)) };`,
    at: "AbortSignal.timeout(4",
  },
});

const sqs = `import { SQSClient, ReceiveMessageCommand, DeleteMessageCommand, ChangeMessageVisibilityCommand, CreateQueueCommand } from "@aws-sdk/client-sqs";
const sqs = new SQSClient({});
const QueueUrl = "https://sqs/x";
${work}`;

leaseCases("P10: SQS by hand", {
  "longer than the visibility timeout": {
    code: `${sqs}
const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 20 }));
for (const message of Messages ?? []) await work(message, AbortSignal.timeout(30_000));`,
    at: "AbortSignal.timeout(30_000)",
    says: ["30 s", "20 s", "`VisibilityTimeout`, line 5", "visible again"],
  },
  "enough, for one message": {
    code: `${sqs}
const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 60, MaxNumberOfMessages: 1 }));
for (const message of Messages ?? []) await work(message, AbortSignal.timeout(30_000));`,
  },
  "not enough for ten, one after the other": {
    code: `${sqs}
const result = await sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 60, MaxNumberOfMessages: 10 }));
for (const message of result.Messages ?? []) {
  await work(message, AbortSignal.timeout(10_000));
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
}`,
    at: "AbortSignal.timeout(10_000)",
    says: ["10 × 10 s"],
  },
  "ten at once": {
    code: `${sqs}
const result = await sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 60, MaxNumberOfMessages: 10 }));
await Promise.all((result.Messages ?? []).map(async (message) => work(message, AbortSignal.timeout(10_000))));`,
  },
  "the default of a queue": {
    code: `${sqs}
const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
for (const message of Messages ?? []) await work(message, AbortSignal.timeout(30_000));`,
    at: "AbortSignal.timeout(30_000)",
    says: ["the default of Amazon SQS where the queue sets none"],
  },
  "the queue's attribute is a text of seconds": {
    code: `${sqs}
await sqs.send(new CreateQueueCommand({ QueueName: "x", Attributes: { VisibilityTimeout: "60" } }));
const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
for (const message of Messages ?? []) await work(message, AbortSignal.timeout(30_000));`,
  },
  "the queue's attribute is too short": {
    code: `${sqs}
await sqs.send(new CreateQueueCommand({ QueueName: "x", Attributes: { VisibilityTimeout: "60" } }));
const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
for (const message of Messages ?? []) await work(message, AbortSignal.timeout(90_000));`,
    at: "AbortSignal.timeout(90_000)",
    says: ["60 s", "`VisibilityTimeout`, line 5"],
  },
  "deleted before the work": {
    code: `${sqs}
const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 20 }));
for (const message of Messages ?? []) {
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
  await work(message, AbortSignal.timeout(30_000));
}`,
  },
  "kept invisible by a heartbeat": {
    code: `${sqs}
export const extend = (ReceiptHandle: string) => sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 30 }));
const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 20 }));
for (const message of Messages ?? []) await work(message, AbortSignal.timeout(30_000));`,
  },
  "kept invisible by a class of the project": {
    code: `import { SQSClient, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { Heartbeat } from "./heartbeat.js";
${work}
class Extender {
  constructor(readonly sqs: { changeMessageVisibility(request: object): Promise<void> }) {}
  start(message: unknown) { return setInterval(() => this.sqs.changeMessageVisibility({ message }), 10_000); }
}
export async function poll(sqs: SQSClient, extender: Extender) {
  const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: "x", VisibilityTimeout: 20 }));
  for (const message of Messages ?? []) {
    const timer = extender.start(message);
    await work(message, AbortSignal.timeout(30_000));
    clearInterval(timer);
  }
}`,
  },
  "the limit of the receive itself, and a pause, are no work on a message": {
    code: `${sqs}
export async function poll() {
  while (true) {
    const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }), { abortSignal: AbortSignal.timeout(30_000) });
    for (const message of Messages ?? []) await work(message, AbortSignal.timeout(10_000));
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  }
}`,
  },
  "a visibility timeout that somebody passes": {
    code: `${sqs}
export async function poll(VisibilityTimeout: number) {
  const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout }));
  for (const message of Messages ?? []) await work(message, AbortSignal.timeout(30_000));
}`,
  },
});

const consumer = `import { Consumer } from "sqs-consumer";
const queueUrl = "https://sqs/x";
const handleMessage = async (message: never) => message;`;

leaseCases("P11 and P12: sqs-consumer", {
  "milliseconds against seconds": {
    code: `${consumer}
Consumer.create({ queueUrl, handleMessage, handleMessageTimeout: 60_000, visibilityTimeout: 30 });`,
    at: "handleMessageTimeout: 60_000",
    says: ["60 s (`handleMessageTimeout`, line 4)", "30 s", "`visibilityTimeout`, line 4", "`heartbeatInterval`"],
  },
  "equal in other units": {
    code: `${consumer}
new Consumer({ queueUrl, handleMessage, handleMessageTimeout: 30_000, visibilityTimeout: 30 });`,
    at: "handleMessageTimeout: 30_000",
    says: ["exactly as long as"],
  },
  "kept by a heartbeat": {
    code: `${consumer}
Consumer.create({ queueUrl, handleMessage, handleMessageTimeout: 60_000, visibilityTimeout: 30, heartbeatInterval: 10 });`,
  },
  "the queue's default": {
    code: `${consumer}
Consumer.create({ queueUrl, handleMessage, handleMessageTimeout: 60_000 });`,
    at: "handleMessageTimeout: 60_000",
  },
  "seconds where milliseconds are meant": {
    code: `${consumer}
Consumer.create({ queueUrl, handleMessage, handleMessageTimeout: 25, visibilityTimeout: 30 });`,
    at: "handleMessageTimeout: 25",
    is: "tooShort",
    says: ["25 ms", "in milliseconds"],
  },
  "below the visibility timeout": {
    code: `${consumer}
Consumer.create({ queueUrl, handleMessage, handleMessageTimeout: 25_000, visibilityTimeout: 30 });`,
  },
  "limits of the handler's own": {
    code: `${consumer}
Consumer.create({
  queueUrl,
  visibilityTimeout: 30,
  handleMessage: async (message) => {
    await fetch("http://a", { signal: AbortSignal.timeout(20_000) });
    await fetch("http://b", { signal: AbortSignal.timeout(15_000) });
    return message;
  },
});`,
    at: "AbortSignal.timeout(20_000)",
    says: ["35 s (20 s by `AbortSignal.timeout`, line 8; 15 s by `AbortSignal.timeout`, line 9)"],
  },
  "a batch handler has no limit of the library": {
    code: `${consumer}
Consumer.create({ queueUrl, handleMessageBatch: async (messages) => messages, handleMessageTimeout: 60_000, visibilityTimeout: 30 });`,
  },
  "a batch, one message after the other": {
    code: `${consumer}
Consumer.create({
  queueUrl,
  batchSize: 10,
  visibilityTimeout: 30,
  handleMessageBatch: async (messages) => {
    for (const message of messages) await fetch("http://a", { signal: AbortSignal.timeout(5000) });
    return messages;
  },
});`,
    at: "AbortSignal.timeout(5000)",
    says: ["50 s"],
  },
  "P12: a heartbeat when the message is visible again": {
    code: `${consumer}
Consumer.create({ queueUrl, handleMessage, heartbeatInterval: 30, visibilityTimeout: 30 });`,
    at: "heartbeatInterval: 30",
    is: "renewedTooLate",
    says: ["refuses to start"],
  },
  "P12: a heartbeat later than half": {
    code: `${consumer}
Consumer.create({ queueUrl, handleMessage, heartbeatInterval: 20, visibilityTimeout: 30 });`,
    at: "heartbeatInterval: 20",
    is: "renewedLate",
  },
});

const cdk = `import { Duration, Stack } from "aws-cdk-lib";
import * as sqs from "aws-cdk-lib/aws-sqs";
import * as lambda from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
declare const props: lambda.FunctionProps;`;
const inStack = (code: string) => `${cdk}
export class Orders extends Stack {
  constructor() {
    super();
    ${code}
  }
}`;

leaseCases("P13: AWS CDK", {
  "refused at deploy time": {
    code: inStack(`const queue = new sqs.Queue(this, "Q", { visibilityTimeout: Duration.seconds(30) });
    const fn = new lambda.Function(this, "F", { ...props, timeout: Duration.minutes(1) });
    fn.addEventSource(new SqsEventSource(queue));`),
    at: "timeout: Duration.minutes(1)",
    says: ["60 s (`timeout`, line 10)", "30 s", "`visibilityTimeout`, line 9", "when you deploy"],
  },
  equal: {
    code: inStack(`const queue = new sqs.Queue(this, "Q", { visibilityTimeout: Duration.seconds(60) });
    const fn = new lambda.Function(this, "F", { ...props, timeout: Duration.minutes(1) });
    fn.addEventSource(new SqsEventSource(queue));`),
    at: "timeout: Duration.minutes(1)",
  },
  "the queue's default": {
    code: inStack(`const queue = new sqs.Queue(this, "Q");
    const fn = new lambda.Function(this, "F", { ...props, timeout: Duration.seconds(45) });
    fn.addEventSource(new SqsEventSource(queue));`),
    at: "timeout: Duration.seconds(45)",
    says: ["the default of AWS CDK"],
  },
  "the function's default": {
    code: inStack(`const queue = new sqs.Queue(this, "Q", { visibilityTimeout: Duration.seconds(2) });
    const fn = new lambda.Function(this, "F", { handler: "x", runtime: lambda.Runtime.NODEJS_22_X, code: lambda.Code.fromInline("") });
    fn.addEventSource(new SqsEventSource(queue));`),
    at: "visibilityTimeout: Duration.seconds(2)",
  },
  "two thirds": {
    code: inStack(`const queue = new sqs.Queue(this, "Q", { visibilityTimeout: Duration.seconds(30) });
    const fn = new lambda.Function(this, "F", { ...props, timeout: Duration.seconds(20) });
    fn.addEventSource(new SqsEventSource(queue));`),
  },
  "two thirds, with the margin that AWS advises": {
    code: inStack(`const queue = new sqs.Queue(this, "Q", { visibilityTimeout: Duration.seconds(30) });
    const fn = new lambda.Function(this, "F", { ...props, timeout: Duration.seconds(20) });
    fn.addEventSource(new SqsEventSource(queue));`),
    options: [{ margin: true }],
    at: "timeout: Duration.seconds(20)",
    is: "tooClose",
    says: ["less than 6 times as long"],
  },
  "six times, with the margin that AWS advises": {
    code: inStack(`const queue = new sqs.Queue(this, "Q", { visibilityTimeout: Duration.seconds(120) });
    const fn = new lambda.Function(this, "F", { ...props, timeout: Duration.seconds(20) });
    fn.addEventSource(new SqsEventSource(queue));`),
    options: [{ margin: true }],
  },
  "six times, but not with the batching window": {
    code: inStack(`const queue = new sqs.Queue(this, "Q", { visibilityTimeout: Duration.seconds(120) });
    const fn = new lambda.Function(this, "F", { ...props, timeout: Duration.seconds(20) });
    fn.addEventSource(new SqsEventSource(queue, { maxBatchingWindow: Duration.seconds(5) }));`),
    options: [{ margin: true }],
    at: "timeout: Duration.seconds(20)",
    is: "tooClose",
  },
  "events of the function's properties": {
    code: inStack(`const queue = new sqs.Queue(this, "Q");
    new lambda.Function(this, "F", { ...props, timeout: Duration.seconds(45), events: [new SqsEventSource(queue)] });`),
    at: "timeout: Duration.seconds(45)",
  },
  "a mapping of its own": {
    code: inStack(`const queue = new sqs.Queue(this, "Q");
    const target = new lambda.Function(this, "F", { ...props, timeout: Duration.seconds(45) });
    new lambda.EventSourceMapping(this, "M", { target, eventSourceArn: queue.queueArn });`),
    at: "timeout: Duration.seconds(45)",
  },
  "a mapping by the function's method": {
    code: inStack(`const queue = new sqs.Queue(this, "Q");
    const fn = new lambda.Function(this, "F", { ...props, timeout: Duration.seconds(45) });
    fn.addEventSourceMapping("M", { eventSourceArn: queue.queueArn });`),
    at: "timeout: Duration.seconds(45)",
  },
  "by names of the root package, in fields": {
    code: `import * as cdk from "aws-cdk-lib";
export class Orders extends cdk.Stack {
  readonly queue: cdk.aws_sqs.Queue;
  constructor() {
    super();
    this.queue = new cdk.aws_sqs.Queue(this, "Q", { visibilityTimeout: cdk.Duration.seconds(30) });
    const fn = new cdk.aws_lambda.Function(this, "F", { timeout: cdk.Duration.seconds(30) } as never);
    fn.addEventSource(new cdk.aws_lambda_event_sources.SqsEventSource(this.queue));
  }
}`,
    at: "timeout: cdk.Duration.seconds(30) }",
  },
  "a queue that was made elsewhere": {
    code: inStack(`const queue = sqs.Queue.fromQueueArn(this, "Q", "arn");
    const fn = new lambda.Function(this, "F", { ...props, timeout: Duration.minutes(1) });
    fn.addEventSource(new SqsEventSource(queue));`),
  },
  "a function that something else calls": {
    code: inStack(`new sqs.Queue(this, "Q", { visibilityTimeout: Duration.seconds(30) });
    new lambda.Function(this, "F", { ...props, timeout: Duration.minutes(1) });`),
  },
});

leaseCases("P14: Agenda", {
  "fifteen minutes": {
    code: `import { Agenda } from "agenda";
declare const agenda: Agenda;
${work}
agenda.define("crawl", async (job) => work(job, AbortSignal.timeout(15 * 60_000)));`,
    at: "AbortSignal.timeout(15",
    says: ["15 min", "10 min", "the default of Agenda", "`job.touch()`"],
  },
  "a lease that is long enough": {
    code: `import { Agenda } from "agenda";
declare const agenda: Agenda;
${work}
agenda.define("crawl", async (job) => work(job, AbortSignal.timeout(15 * 60_000)), { lockLifetime: 30 * 60_000 });`,
  },
  "renewed by touch": {
    code: `import { Agenda } from "agenda";
declare const agenda: Agenda;
declare const pages: readonly string[];
${work}
agenda.define("crawl", async (job) => {
  for (const page of pages) {
    await work(page, AbortSignal.timeout(15 * 60_000));
    await job.touch();
  }
});`,
  },
  "the lease of all definitions": {
    code: `import { Agenda } from "agenda";
const agenda = new Agenda({ defaultLockLifetime: 60_000 } as never);
${work}
agenda.define("crawl", async (job) => work(job, AbortSignal.timeout(2 * 60_000)), { lockLifetime: 0 });`,
    at: "AbortSignal.timeout(2",
    says: ["1 min", "`defaultLockLifetime`, line 2"],
  },
});

leaseCases("P15, P31 and P32: leases that renew themselves", {
  "P15: Bee-Queue": {
    code: `import Queue from "bee-queue";
const queue = new Queue("x", { stallInterval: 5000 });
queue.process(async () => { await fetch("http://a", { signal: AbortSignal.timeout(60_000) }); });
await queue.createJob({}).timeout(60_000).save();`,
  },
  "P31: Vercel": {
    code: `import { handleCallback } from "@vercel/queue";
export const POST = handleCallback(async () => { await fetch("http://a", { signal: AbortSignal.timeout(600_000) }); }, { visibilityTimeoutSeconds: 300 });`,
  },
  "P32: Trigger.dev": {
    code: `import { task } from "@trigger.dev/sdk";
export const report = task({ id: "report", maxDuration: 60, run: async () => { await fetch("http://a", { signal: AbortSignal.timeout(600_000) }); } });`,
  },
});

const rabbit = `import { connect } from "amqplib";
const channel = await (await connect("amqp://x")).createChannel();
${work}`;

leaseCases("P16: RabbitMQ", {
  "longer than the queue's consumer timeout": {
    code: `${rabbit}
await channel.assertQueue("big", { arguments: { "x-queue-type": "quorum", "x-consumer-timeout": 300_000 } });
await channel.consume("big", async (message) => { await work(message, AbortSignal.timeout(600_000)); channel.ack(message!); });`,
    at: "AbortSignal.timeout(600_000)",
    says: ["10 min", "5 min", "`x-consumer-timeout`, line 4", "closes the channel"],
  },
  enough: {
    code: `${rabbit}
await channel.assertQueue("big", { arguments: { "x-consumer-timeout": 1_200_000 } });
await channel.consume("big", async (message) => { await work(message, AbortSignal.timeout(600_000)); channel.ack(message!); });`,
  },
  "the broker's default": {
    code: `${rabbit}
await channel.assertQueue("big");
await channel.consume("big", async (message) => { await work(message, AbortSignal.timeout(1_800_000)); channel.ack(message!); });`,
    at: "AbortSignal.timeout(1_800_000)",
    says: ["30 min", "the default of RabbitMQ"],
  },
  "a queue by what asserting it gave": {
    code: `${rabbit}
const { queue } = await channel.assertQueue("", { arguments: { "x-consumer-timeout": 300_000 } });
const asserted = await channel.assertQueue("other", { arguments: { "x-consumer-timeout": 300_000 } });
await channel.consume(asserted.queue, async (message) => { await work(message, AbortSignal.timeout(600_000)); channel.ack(message!); });`,
    at: "AbortSignal.timeout(600_000)",
  },
  "acknowledged before the work": {
    code: `${rabbit}
await channel.assertQueue("big", { arguments: { "x-consumer-timeout": 300_000 } });
await channel.consume("big", async (message) => { channel.ack(message!); await work(message, AbortSignal.timeout(600_000)); });`,
  },
  "never acknowledged": {
    code: `${rabbit}
await channel.assertQueue("big", { arguments: { "x-consumer-timeout": 300_000 } });
await channel.consume("big", async (message) => { await work(message, AbortSignal.timeout(600_000)); }, { noAck: true });`,
  },
  "a timeout that the broker does not support, as advice": {
    code: `${rabbit}
await channel.assertQueue("big", { arguments: { "x-consumer-timeout": 30_000 } });
await channel.consume("big", async (message) => { await work(message, AbortSignal.timeout(10_000)); channel.ack(message!); });`,
    options: [{ margin: true }],
    at: `"x-consumer-timeout": 30_000`,
    is: "tooShort",
  },
  "amqp-connection-manager": {
    code: `import { connect } from "amqp-connection-manager";
const channel = connect(["amqp://x"]).createChannel();
${work}
await channel.assertQueue("big", { arguments: { "x-consumer-timeout": 300_000 } });
await channel.consume("big", async (message) => { await work(message, AbortSignal.timeout(600_000)); channel.ack(message); });`,
    at: "AbortSignal.timeout(600_000)",
  },
  "NestJS, by golevelup": {
    code: `import { RabbitSubscribe } from "@golevelup/nestjs-rabbitmq";
export class Orders {
  @RabbitSubscribe({ exchange: "e", routingKey: "r", queue: "q", queueOptions: { arguments: { "x-consumer-timeout": 60_000 } } })
  async onOrder(order: unknown) {
    await fetch("http://a", { signal: AbortSignal.timeout(90_000) });
  }
}`,
    at: "AbortSignal.timeout(90_000)",
    only: "untyped",
  },
  rascal: {
    code: `import { BrokerAsPromised } from "rascal";
const broker = await BrokerAsPromised.create({});
const subscription = await broker.subscribe("s");
subscription.on("message", async (message, content, ackOrNack) => {
  await fetch("http://a", { signal: AbortSignal.timeout(1_900_000) });
  ackOrNack();
});`,
    at: "AbortSignal.timeout(1_900_000)",
    only: "untyped",
  },
});

const kafka = `import { Kafka } from "kafkajs";
const kafka = new Kafka({ brokers: [] });
${work}`;

leaseCases("P17 to P19: Kafka", {
  "P17: longer than the session": {
    code: `${kafka}
const consumer = kafka.consumer({ groupId: "g", sessionTimeout: 30_000 });
await consumer.run({ eachMessage: async ({ message }) => work(message, AbortSignal.timeout(60_000)) });`,
    at: "AbortSignal.timeout(60_000)",
    says: ["60 s", "30 s", "`sessionTimeout`, line 4", "partition"],
  },
  "P17: the default session": {
    code: `import type { Consumer } from "kafkajs";
declare const consumer: Consumer;
${work}
await consumer.run({ eachMessage: async ({ message }) => work(message, AbortSignal.timeout(60_000)) });`,
    at: "AbortSignal.timeout(60_000)",
    says: ["the default of KafkaJS"],
  },
  "P17: a consumer that another file makes, nobody knows how": {
    code: `import type { Consumer } from "kafkajs";
import type { Connection } from "./connection.js";
${work}
export const start = (consumer: Consumer, _: Connection) =>
  consumer.run({ eachMessage: async ({ message }) => work(message, AbortSignal.timeout(60_000)) });`,
  },
  "P17: a heartbeat between the steps": {
    code: `${kafka}
const consumer = kafka.consumer({ groupId: "g", sessionTimeout: 30_000 });
declare const steps: readonly ((signal: AbortSignal) => Promise<void>)[];
await consumer.run({
  eachMessage: async ({ heartbeat }) => {
    for (const step of steps) {
      await step(AbortSignal.timeout(60_000));
      await heartbeat();
    }
  },
});`,
  },
  "P17: a heartbeat that is never called": {
    code: `${kafka}
const consumer = kafka.consumer({ groupId: "g", sessionTimeout: 30_000 });
await consumer.run({ eachMessage: async ({ message, heartbeat }) => work(message, AbortSignal.timeout(60_000)) });`,
    at: "AbortSignal.timeout(60_000)",
  },
  "P18: a heartbeat when the session is over": {
    code: `${kafka}
kafka.consumer({ groupId: "g", sessionTimeout: 9_000, heartbeatInterval: 9_000 });`,
    at: "heartbeatInterval: 9_000",
    is: "renewedTooLate",
  },
  "P18: a session shorter than two default heartbeats": {
    code: `${kafka}
kafka.consumer({ groupId: "g", sessionTimeout: 5_000 });`,
    at: "sessionTimeout: 5_000",
    is: "renewedLate",
    says: ["every 3 s (the default of KafkaJS)"],
  },
  "P18: the defaults": {
    code: `${kafka}
kafka.consumer({ groupId: "g" });`,
  },
  "P19: longer than the poll interval": {
    code: `import { KafkaJS } from "@confluentinc/kafka-javascript";
${work}
const consumer = new KafkaJS.Kafka({}).consumer({ kafkaJS: { groupId: "g", rebalanceTimeout: 60_000 } });
await consumer.run({ eachMessage: async ({ message }) => work(message, AbortSignal.timeout(120_000)) });`,
    at: "AbortSignal.timeout(120_000)",
    only: "untyped",
  },
  "P19: librdkafka's own name": {
    code: `import { KafkaJS } from "@confluentinc/kafka-javascript";
${work}
const consumer = new KafkaJS.Kafka({}).consumer({ "max.poll.interval.ms": 60_000 });
await consumer.run({ eachMessage: async ({ message }) => work(message, AbortSignal.timeout(120_000)) });`,
    at: "AbortSignal.timeout(120_000)",
    only: "untyped",
  },
  "P19: the default": {
    code: `import { KafkaJS } from "@confluentinc/kafka-javascript";
${work}
const consumer = new KafkaJS.Kafka({}).consumer({ kafkaJS: { groupId: "g" } });
await consumer.run({ eachMessage: async ({ message }) => work(message, AbortSignal.timeout(120_000)) });`,
    only: "untyped",
  },
});

const nats = `import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { nanos, type NatsConnection } from "@nats-io/nats-core";
declare const connection: NatsConnection;
${work}
const manager = await jetstreamManager(connection);`;
const consume = (body: string) => `const consumer = await jetstream(connection).consumers.get("S", "d");
for await (const message of await consumer.consume()) {
  ${body}
}`;

leaseCases("P20: JetStream", {
  "nanoseconds taken for milliseconds": {
    code: `${nats}
await manager.consumers.add("S", { durable_name: "d", ack_wait: 30_000 });`,
    at: "ack_wait: 30_000",
    is: "tooShort",
    says: ["0.03 ms", "`nanos(30_000)`"],
  },
  "the first backoff replaces the ack wait": {
    code: `${nats}
await manager.consumers.add("S", { durable_name: "d", ack_wait: nanos(120_000), backoff: [nanos(5_000)] });`,
    at: "ack_wait: nanos(120_000)",
    is: "useless",
    says: ["`ack_wait` (120 s, line 6)", "`backoff` (5 s, line 6)"],
  },
  "enough for the handler": {
    code: `${nats}
await manager.consumers.add("S", { durable_name: "d", ack_wait: nanos(120_000) });
${consume("await work(message, AbortSignal.timeout(60_000)); message.ack();")}`,
  },
  "not enough for the handler": {
    code: `${nats}
await manager.consumers.add("S", { durable_name: "d", ack_wait: nanos(30_000) });
${consume("await work(message, AbortSignal.timeout(60_000)); message.ack();")}`,
    at: "AbortSignal.timeout(60_000)",
    says: ["60 s", "30 s", "`m.working()`"],
  },
  "the first backoff is not enough for the handler": {
    code: `${nats}
await manager.consumers.add("S", { durable_name: "d", backoff: [nanos(5_000), nanos(60_000)] });
${consume("await work(message, AbortSignal.timeout(20_000)); message.ack();")}`,
    at: "AbortSignal.timeout(20_000)",
  },
  "the default": {
    code: `${nats}
await manager.consumers.add("S", { durable_name: "d" });
${consume("await work(message, AbortSignal.timeout(60_000)); message.ack();")}`,
    at: "AbortSignal.timeout(60_000)",
  },
  "renewed by working()": {
    code: `${nats}
await manager.consumers.add("S", { durable_name: "d", ack_wait: nanos(30_000) });
${consume("const timer = setInterval(() => message.working(), 10_000); await work(message, AbortSignal.timeout(60_000)); clearInterval(timer); message.ack();")}`,
  },
  "delivered once only": {
    code: `${nats}
await manager.consumers.add("S", { durable_name: "d", ack_wait: nanos(30_000), max_deliver: 1 });
${consume("await work(message, AbortSignal.timeout(60_000)); message.ack();")}`,
  },
});

leaseCases("P21 and P22: Google Cloud", {
  "P21: longer than the extension": {
    code: `import { Duration, PubSub } from "@google-cloud/pubsub";
${work}
new PubSub().subscription("s", { maxExtensionTime: Duration.from({ minutes: 5 }) }).on("message", (message) => work(message, AbortSignal.timeout(600_000)));`,
    at: "AbortSignal.timeout(600_000)",
    says: ["10 min", "5 min", "`maxExtensionTime`, line 3"],
  },
  "P21: the default hour": {
    code: `import { PubSub } from "@google-cloud/pubsub";
${work}
new PubSub().subscription("s").on("message", (message) => work(message, AbortSignal.timeout(600_000)));`,
  },
  "P21: a listener of errors is no handler": {
    code: `import { Duration, PubSub } from "@google-cloud/pubsub";
${work}
const subscription = new PubSub().subscription("s", { maxExtensionTime: Duration.from({ minutes: 5 }) });
subscription.on("error", (error) => work(error, AbortSignal.timeout(600_000)));`,
  },
  "P22: longer than the dispatch deadline": {
    code: `import { CloudTasksClient } from "@google-cloud/tasks";
import express from "express";
const app = express();
${work}
app.post("/tasks/export", async (request, response) => { await work(request, AbortSignal.timeout(300_000)); response.end(); });
await new CloudTasksClient().createTask({ parent: "p", task: { httpRequest: { url: "https://api.example.com/tasks/export" }, dispatchDeadline: { seconds: 60 } } });`,
    at: "AbortSignal.timeout(300_000)",
    only: "untyped",
    says: ["5 min", "1 min", "`dispatchDeadline`, line 6"],
  },
  "P22: enough": {
    code: `import { CloudTasksClient } from "@google-cloud/tasks";
import express from "express";
const app = express();
${work}
app.post("/tasks/export", async (request, response) => { await work(request, AbortSignal.timeout(300_000)); response.end(); });
await new CloudTasksClient().createTask({ parent: "p", task: { httpRequest: { url: "https://api.example.com/tasks/export" }, dispatchDeadline: { seconds: 900 } } });`,
  },
  "P22: another route": {
    code: `import { CloudTasksClient } from "@google-cloud/tasks";
import express from "express";
const app = express();
${work}
app.post("/export", async (request, response) => { await work(request, AbortSignal.timeout(300_000)); response.end(); });
await new CloudTasksClient().createTask({ parent: "p", task: { httpRequest: { url: "https://api.example.com/import" }, dispatchDeadline: { seconds: 60 } } });`,
  },
});

const bus = `import { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";
const client = new ServiceBusClient("x");
const processError = async () => {};
${work}`;

leaseCases("P23 and P24: Azure", {
  "P23: no renewal, and the queue's minute": {
    code: `${bus}
client.createReceiver("q", { maxAutoLockRenewalDurationInMs: 0 }).subscribe({ processMessage: (message) => work(message, AbortSignal.timeout(90_000)), processError });`,
    at: "AbortSignal.timeout(90_000)",
    says: ["90 s", "60 s", "PT1M"],
  },
  "P23: no renewal, and a queue with a longer lock": {
    code: `${bus}
await new ServiceBusAdministrationClient("x").createQueue("q", { lockDuration: "PT5M" });
client.createReceiver("q", { maxAutoLockRenewalDurationInMs: 0 }).subscribe({ processMessage: (message) => work(message, AbortSignal.timeout(90_000)), processError });`,
  },
  "P23: no renewal, and a queue with a short lock": {
    code: `${bus}
await new ServiceBusAdministrationClient("x").createQueue("q", { lockDuration: "PT45S" });
client.createReceiver("q", { maxAutoLockRenewalDurationInMs: 0 }).subscribe({ processMessage: (message) => work(message, AbortSignal.timeout(50_000)), processError });`,
    at: "AbortSignal.timeout(50_000)",
    says: ["45 s", "`lockDuration`, line 5"],
  },
  "P23: renewed for ten minutes": {
    code: `${bus}
client.createReceiver("q", { maxAutoLockRenewalDurationInMs: 600_000 }).subscribe({ processMessage: (message) => work(message, AbortSignal.timeout(90_000)), processError });`,
  },
  "P23: renewed for five minutes by default": {
    code: `${bus}
client.createReceiver("q").subscribe({ processMessage: (message) => work(message, AbortSignal.timeout(300_000)), processError });`,
    at: "AbortSignal.timeout(300_000)",
  },
  "P23: received and deleted at once": {
    code: `${bus}
client.createReceiver("q", { receiveMode: "receiveAndDelete" }).subscribe({ processMessage: (message) => work(message, AbortSignal.timeout(600_000)), processError });`,
  },
  "P24: the default half minute": {
    code: `import type { QueueClient } from "@azure/storage-queue";
declare const queue: QueueClient;
${work}
for (const message of (await queue.receiveMessages({ numberOfMessages: 1 })).receivedMessageItems) await work(message, AbortSignal.timeout(60_000));`,
    at: "AbortSignal.timeout(60_000)",
    says: ["60 s", "30 s", "the default of Azure Storage Queue"],
  },
  "P24: enough": {
    code: `import type { QueueClient } from "@azure/storage-queue";
declare const queue: QueueClient;
${work}
for (const message of (await queue.receiveMessages({ numberOfMessages: 1, visibilityTimeout: 120 })).receivedMessageItems) await work(message, AbortSignal.timeout(60_000));`,
  },
});

const temporal = `import { proxyActivities } from "@temporalio/workflow";
import { Worker } from "@temporalio/worker";
import { heartbeat } from "@temporalio/activity";
${work}`;

leaseCases("P25 and P26: Temporal", {
  "P25: longer than the attempt": {
    code: `${temporal}
const activities = { charge: async (url: string) => { await fetch(url, { signal: AbortSignal.timeout(30_000) }); } };
export const { charge } = proxyActivities<typeof activities>({ startToCloseTimeout: "10s" });
await Worker.create({ taskQueue: "q", activities });`,
    at: "AbortSignal.timeout(30_000)",
    says: ["30 s", "10 s", "`startToCloseTimeout`, line 6", "takes the attempt for failed"],
  },
  "P25: enough": {
    code: `${temporal}
const activities = { charge: async (url: string) => { await fetch(url, { signal: AbortSignal.timeout(30_000) }); } };
export const { charge } = proxyActivities<typeof activities>({ startToCloseTimeout: "1 minute" });
await Worker.create({ taskQueue: "q", activities });`,
  },
  "P25: an activity that this workflow does not call": {
    code: `${temporal}
const activities = { charge: async (url: string) => { await fetch(url, { signal: AbortSignal.timeout(30_000) }); }, note: async () => {} };
const proxy = proxyActivities<typeof activities>({ startToCloseTimeout: "10s" });
export const run = () => proxy.note();
await Worker.create({ taskQueue: "q", activities });`,
  },
  "P25: an activity by the name of the proxy": {
    code: `${temporal}
const activities = { charge: async (url: string) => { await fetch(url, { signal: AbortSignal.timeout(30_000) }); } };
const proxy = proxyActivities<typeof activities>({ scheduleToCloseTimeout: 10_000 });
export const run = () => proxy.charge("http://a");
await Worker.create({ taskQueue: "q", activities });`,
    at: "AbortSignal.timeout(30_000)",
  },
  "P25: an attempt that is not repeated": {
    code: `${temporal}
const activities = { charge: async (url: string) => { await fetch(url, { signal: AbortSignal.timeout(30_000) }); } };
export const { charge } = proxyActivities<typeof activities>({ startToCloseTimeout: "10s", retry: { maximumAttempts: 1 } });
await Worker.create({ taskQueue: "q", activities });`,
  },
  "P25: seconds where milliseconds are meant": {
    code: `${temporal}
export const { copy } = proxyActivities<{ copy(): Promise<void> }>({ startToCloseTimeout: 60 });`,
    at: "startToCloseTimeout: 60",
    is: "tooShort",
  },
  "P26: a heartbeat every minute": {
    code: `${temporal}
const activities = { copy: async () => { const timer = setInterval(() => heartbeat(), 60_000); await work(0, AbortSignal.any([])); clearInterval(timer); } };
export const { copy } = proxyActivities<typeof activities>({ startToCloseTimeout: "1h", heartbeatTimeout: "30s" });
await Worker.create({ taskQueue: "q", activities });`,
    at: "60_000",
    is: "renewedTooLate",
    says: ["60 s (`setInterval`, line 5)", "30 s", "`heartbeatTimeout`, line 6"],
  },
  "P26: a heartbeat every ten seconds": {
    code: `${temporal}
const activities = { copy: async () => { const timer = setInterval(() => heartbeat(), 10_000); await work(0, AbortSignal.any([])); clearInterval(timer); } };
export const { copy } = proxyActivities<typeof activities>({ startToCloseTimeout: "1h", heartbeatTimeout: "30s" });
await Worker.create({ taskQueue: "q", activities });`,
  },
  "P26: a heartbeat in each round of a loop": {
    code: `${temporal}
const activities = { copy: async (files: string[]) => { for (const file of files) { await fetch(file, { signal: AbortSignal.timeout(45_000) }); heartbeat(); } } };
export const { copy } = proxyActivities<typeof activities>({ startToCloseTimeout: "1h", heartbeatTimeout: "30s" });
await Worker.create({ taskQueue: "q", activities });`,
    at: "AbortSignal.timeout(45_000)",
    is: "renewedTooLate",
  },
  "P26: a heartbeat timeout longer than the attempt": {
    code: `${temporal}
export const { copy } = proxyActivities<{ copy(): Promise<void> }>({ startToCloseTimeout: "30s", heartbeatTimeout: "1 minute" });`,
    at: `heartbeatTimeout: "1 minute"`,
    is: "useless",
  },
});

const qstash = `import { Client } from "@upstash/qstash";
import express from "express";
const app = express();
declare const base: string;
${work}
app.post("/api/export", async (request, response) => { await work(request, AbortSignal.timeout(60_000)); response.end(); });`;

leaseCases("P27: QStash", {
  "longer than the delivery's timeout": {
    code: `${qstash}
await new Client({ token: "t" }).publishJSON({ url: \`\${base}/api/export\`, body: {}, timeout: 30 });`,
    at: "AbortSignal.timeout(60_000)",
    only: "untyped",
    says: ["60 s", "30 s"],
  },
  enough: {
    code: `${qstash}
await new Client({ token: "t" }).publishJSON({ url: \`\${base}/api/export\`, body: {}, timeout: 120 });`,
  },
  "the plan's limit, which is not in the code": {
    code: `${qstash}
await new Client({ token: "t" }).publishJSON({ url: \`\${base}/api/export\`, body: {} });`,
  },
});

const faktory = `import faktory from "faktory-worker";
${work}
const client = await faktory.connect();
faktory.register("Export", async (id) => { await work(id, AbortSignal.timeout(300_000)); });`;

leaseCases("P28: Faktory", {
  "longer than the reservation": {
    code: `${faktory}
await client.push({ jobtype: "Export", args: [], reserve_for: 120 });`,
    at: "AbortSignal.timeout(300_000)",
    says: ["5 min", "2 min", "`reserve_for`, line 5"],
  },
  enough: {
    code: `${faktory}
await client.push({ jobtype: "Export", args: [], reserve_for: 600 });`,
  },
  "the default half hour": {
    code: `${faktory}
await client.push({ jobtype: "Export", args: [] });`,
  },
});

leaseCases("P30: Sidequest", {
  "the default stale bound": {
    code: `import { Job, Sidequest } from "sidequest";
${work}
class Report extends Job { async run(id: string) { await work(id, AbortSignal.timeout(15 * 60_000)); } }
await Sidequest.build(Report).enqueue("1");`,
    at: "AbortSignal.timeout(15",
    says: ["15 min", "10 min", "the default of Sidequest"],
  },
  "the job's timeout is its lease": {
    code: `import { Job, Sidequest } from "sidequest";
${work}
class Report extends Job { async run(id: string) { await work(id, AbortSignal.timeout(15 * 60_000)); } }
await Sidequest.build(Report).timeout(3_600_000).enqueue("1");`,
  },
  "the job's timeout is too short": {
    code: `import { Job, Sidequest } from "sidequest";
${work}
class Report extends Job { async run(id: string) { await work(id, AbortSignal.timeout(15 * 60_000)); } }
await Sidequest.build(Report).timeout(60_000).enqueue("1");`,
    at: "AbortSignal.timeout(15",
    says: ["`timeout`, line 4"],
  },
  "the engine's stale bound": {
    code: `import { Job, Sidequest } from "sidequest";
${work}
class Report extends Job { async run(id: string) { await work(id, AbortSignal.timeout(15 * 60_000)); } }
await Sidequest.start({ releaseStaleJobsMaxStaleMs: 3_600_000 });
await Sidequest.build(Report).enqueue("1");`,
  },
});

leaseCases("P33: Effect", {
  "refreshes after the lock is gone": {
    code: `import { PersistedQueue } from "effect/persistence";
PersistedQueue.layerStoreSql({ lockRefreshInterval: "3 minutes" });`,
    at: `lockRefreshInterval: "3 minutes"`,
    is: "renewedTooLate",
    says: ["3 min", "2 min"],
  },
  "refreshes in time": {
    code: `import { PersistedQueue } from "effect/persistence";
PersistedQueue.layerStoreSql({ lockRefreshInterval: "30 seconds", lockExpiration: "5 minutes" });`,
  },
  "an expiration of two refreshes' time and less": {
    code: `import { PersistedQueue } from "effect/persistence";
PersistedQueue.layerStoreRedis({ lockExpiration: "50 seconds" });`,
    at: `lockExpiration: "50 seconds"`,
    is: "renewedLate",
  },
});
