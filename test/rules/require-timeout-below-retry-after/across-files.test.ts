import { describe, expect, test } from "vitest";

import { requireTimeoutBelowRetryAfter as rule } from "../../../rules/require-timeout-below-retry-after.js";
import { casesOfFiles, messagesOf } from "../cases-of-files.js";

casesOfFiles("what stands in other files", rule, {
  "constants, and products of them": {
    "limits.ts": `export const SECOND = 1000;
export const LOCK = { pdf: 30 * SECOND } as const;
export enum Renewal { Pdf = 25_000 }`,
    "worker.ts": `import { Worker } from "bullmq";
import { LOCK, Renewal } from "./limits.js";
export const worker = new Worker("pdf", async () => {}, {
  connection: {},
  lockDuration: LOCK.pdf / 2,
  lockRenewTime: Renewal.Pdf, // report renewedTooLate, typed
});`,
  },
  "options, and the function that makes them: the report stands at what is given them": {
    "options.ts": `export const options = (lockRenewTime: number) => ({ connection: {}, lockDuration: 20_000, lockRenewTime });`,
    "worker.ts": `import { Worker } from "bullmq";
import { options } from "./options.js";
export const worker = new Worker("pdf", async () => {}, options(20_000)); // report renewedTooLate, typed`,
  },
  "a handler: the report stands at the lease": {
    "render.ts": `export async function render(job: unknown) {
  await draw(job);
}
async function draw(job: unknown) {
  await fetch("http://pdf", { signal: AbortSignal.timeout(60_000) });
}`,
    "worker.ts": `import { Worker } from "bullmq";
import { render } from "./render.js";
export const worker = new Worker("pdf", render, {
  connection: {},
  skipLockRenewal: true,
  lockDuration: 45_000, // report tooLong, typed
});`,
  },
  "a handler, and a default: the report stands at what has both": {
    "render.ts": `export async function render() {
  await fetch("http://pdf", { signal: AbortSignal.timeout(60_000) });
}`,
    "worker.ts": `import { Worker } from "bullmq";
import { render } from "./render.js";
export const worker = new Worker("pdf", render, { connection: {}, skipLockRenewal: true }); // report tooLong, typed`,
  },
  "the sender of a job, by the name of the queue": {
    "queues.ts": `export const THUMBNAILS = "across-files/thumbnails";`,
    "api.ts": `import type { PgBoss } from "pg-boss";
import { THUMBNAILS } from "./queues.js";
export const send = (boss: PgBoss) => boss.send(THUMBNAILS, {}, { expireInSeconds: 60 });`,
    "worker.ts": `import type { PgBoss } from "pg-boss";
import { THUMBNAILS } from "./queues.js";
export async function start(boss: PgBoss) {
  await boss.work(THUMBNAILS, async () => {
    await fetch("http://a", { signal: AbortSignal.timeout(90_000) }); // report tooLong, typed
  });
}`,
  },
  "the sender of a job, and a name that only the environment knows": {
    "queues.ts": `export const ARCHIVE = process.env.ARCHIVE_QUEUE ?? "across-files/archive";`,
    "api.ts": `import type { PgBoss } from "pg-boss";
import { ARCHIVE } from "./queues.js";
export const send = (boss: PgBoss) => boss.send(ARCHIVE, {}, { expireInSeconds: 60 });`,
    "worker.ts": `import type { PgBoss } from "pg-boss";
import { ARCHIVE } from "./queues.js";
export async function start(boss: PgBoss) {
  await boss.work(ARCHIVE, async () => {
    await fetch("http://a", { signal: AbortSignal.timeout(90_000) }); // report tooLong, typed
  });
}`,
  },
  "a heartbeat that is started aside": {
    "heartbeat.ts": `import { ChangeMessageVisibilityCommand, type Message, type SQSClient } from "@aws-sdk/client-sqs";
export function startHeartbeat(sqs: SQSClient, message: Message) {
  const timer = setInterval(() => sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl: "x", ReceiptHandle: message.ReceiptHandle, VisibilityTimeout: 30 })), 10_000);
  return () => clearInterval(timer);
}`,
    "worker.ts": `import { ReceiveMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { startHeartbeat } from "./heartbeat.js";
export async function poll(sqs: SQSClient) {
  const { Messages } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: "x", VisibilityTimeout: 30 }));
  for (const message of Messages ?? []) {
    const stop = startHeartbeat(sqs, message);
    await fetch("http://a", { signal: AbortSignal.timeout(60_000) });
    stop();
  }
}`,
  },
  "activities of a workflow": {
    "activities.ts": `export async function charge(url: string) {
  await fetch(url, { signal: AbortSignal.timeout(30_000) });
}
export const refund = async (url: string) => {
  await fetch(url, { signal: AbortSignal.timeout(5_000) });
};
export const makeActivities = (url: string) => ({
  async settle() {
    await fetch(url, { signal: AbortSignal.timeout(30_000) });
  },
});`,
    "workflow.ts": `import { proxyActivities } from "@temporalio/workflow";
import type * as activities from "./activities.js";
export const { charge } = proxyActivities<typeof activities>({ startToCloseTimeout: "10s" }); // report tooLong, typed
export const { refund } = proxyActivities<typeof activities>({ startToCloseTimeout: "10s" });
export const { settle } = proxyActivities<ReturnType<typeof activities.makeActivities>>({ startToCloseTimeout: "10s" }); // report tooLong, typed`,
  },
  "a queue and a function of one stack, made in a construct": {
    "queue.ts": `import { Duration } from "aws-cdk-lib/core";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
export class Orders extends Construct {
  readonly queue: Queue;
  constructor(scope: Construct) {
    super(scope, "Orders");
    this.queue = new Queue(this, "Q", { visibilityTimeout: Duration.seconds(30) });
  }
}`,
    "stack.ts": `import { Duration, Stack } from "aws-cdk-lib/core";
import { NodejsFunction } from "aws-cdk-lib/aws-lambda-nodejs";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Orders } from "./queue.js";
export class OrderStack extends Stack {
  constructor() {
    super();
    const orders = new Orders(this);
    const worker = new NodejsFunction(this, "F", { timeout: Duration.minutes(1) }); // report tooLong, typed
    worker.addEventSource(new SqsEventSource(orders.queue));
  }
}`,
  },
});

describe("what is said about other files", () => {
  test("names the file and the line of the limit", () => {
    const [message = "", ...others] = messagesOf(rule, {
      "limits.ts": `export const LIMIT = 60_000;`,
      "render.ts": `import { LIMIT } from "./limits.js";
export const render = async () => {
  await fetch("http://pdf", { signal: AbortSignal.timeout(LIMIT) });
};`,
      "worker.ts": `import { Worker } from "bullmq";
import { render } from "./render.js";
export const worker = new Worker("pdf", render, { connection: {}, skipLockRenewal: true, lockDuration: 45_000 });`,
    });
    expect(others).toEqual([]);
    expect(message).toMatch(/60 s \(`AbortSignal\.timeout`, \S+render\.ts:3\)/);
    expect(message).toContain("45 s for which the queue leaves it the job (`lockDuration`, line 3)");
  });
});
