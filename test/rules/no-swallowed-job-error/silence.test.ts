import { noSwallowedJobError } from "../../../rules/no-swallowed-job-error.js";
import { casesOfFiles } from "../cases-of-files.js";

const head = `
  import { UnrecoverableError, Worker, type Job } from "bullmq";
  declare function charge(data: unknown): Promise<{ id: string }>;
  declare function notify(id: string): Promise<void>;
  declare function save(data: object): Promise<void>;
  declare const logger: { error(text: string, error?: unknown): void; info(text: string): Promise<void> };
`;

casesOfFiles("a catch that lets the queue know, or that is not the job's end", noSwallowedJobError, {
  "it throws again, or the queue's own error": `${head}
    new Worker("charges", async (job) => {
      try {
        await charge(job.data);
      } catch (error) {
        logger.error("failed", error);
        throw error;
      }
    });
    new Worker("others", async (job) => {
      try {
        await charge(job.data);
      } catch (error) {
        if ((error as { status?: number }).status === 404) throw new UnrecoverableError("gone");
        logger.error("failed", error);
      }
    });
  `,
  "the failure is stored, or handed on": `${head}
    new Worker("imports", async (job) => {
      try {
        await charge(job.data);
      } catch (error) {
        logger.error("failed", error);
        await save({ id: job.data.id, status: "FAILED" });
      }
    });
    new Worker("others", async (job) => {
      try {
        await charge(job.data);
      } catch (error) {
        return failed(error);
      }
    });
    declare function failed(error: unknown): { status: string };
  `,
  "best effort, after the work": `${head}
    new Worker("charges", async (job) => {
      await charge(job.data);
      try {
        await notify(job.data.id);
      } catch (error) {
        logger.error("not notified", error);
      }
    });
    new Worker("others", async (job) => {
      try {
        await notify(job.data.id);
      } catch (error) {
        logger.error("not notified", error);
      }
      await charge(job.data);
    });
  `,
  "what cannot be read stays unread": `${head}
    new Worker("charges", async (job) => {
      let data: unknown;
      try {
        data = JSON.parse(job.data);
      } catch (error) {
        logger.error("invalid", error);
        return;
      }
      await charge(data);
    });
  `,
  "one of many that the job looks up, and a throw behind the loop": `${head}
    import type { SQSHandler } from "aws-lambda";
    declare function users(): Promise<string[]>;
    new Worker("digests", async () => {
      for (const user of await users()) {
        try {
          await notify(user);
        } catch (error) {
          logger.error("not notified", error);
        }
      }
    });
    export const handler: SQSHandler = async (event) => {
      let failures = 0;
      for (const record of event.Records) {
        try {
          await notify(record.body);
        } catch (error) {
          failures++;
          logger.error("not notified", error);
        }
      }
      if (failures > 0) throw new Error("some failed");
    };
  `,
  "the queue is told which ones failed": `
    import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
    declare function ship(body: string): Promise<void>;
    export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
      const batchItemFailures: { itemIdentifier: string }[] = [];
      for (const record of event.Records) {
        try {
          await ship(record.body);
        } catch (error) {
          console.error(error);
          batchItemFailures.push({ itemIdentifier: record.messageId });
        }
      }
      return { batchItemFailures };
    }
  `,
  "a queue that is answered by hand": `
    import amqplib from "amqplib";
    const connection = await amqplib.connect("amqp://localhost");
    const channel = await connection.createChannel();
    declare function ship(body: string): Promise<void>;
    await channel.consume("orders", async (message) => {
      if (!message) return;
      try {
        await ship(message.content.toString());
        channel.ack(message);
      } catch (error) {
        console.error(error);
      }
    });
  `,
  "Bull's callback": `
    import Bull from "bull";
    const queue = new Bull("imports");
    declare function run(data: unknown): Promise<void>;
    queue.process(async (job, done) => {
      try {
        await run(job.data);
        done();
      } catch (error) {
        done(error as Error);
      }
    });
  `,
  "a listener of an in-process bus, and a route": `
    import { OnEvent } from "@nestjs/event-emitter";
    import { Injectable } from "@nestjs/common";
    @Injectable()
    export class Listener {
      @OnEvent("order.paid")
      async paid(id: string) {
        try {
          await fetch("https://mail.example/" + id);
        } catch (error) {
          console.error(error);
        }
      }
    }
    export async function route(id: string) {
      try {
        await fetch("https://mail.example/" + id);
      } catch (error) {
        console.error(error);
      }
    }
  `,
  "a helper that a handler calls on the way": `${head}
    async function tell(job: Job) {
      try {
        await notify(String(job.id));
      } catch (error) {
        logger.error("not told", error);
      }
    }
    async function track(id: string) {
      try {
        await notify(id);
      } catch (error) {
        logger.error("not tracked", error);
      }
    }
    new Worker("charges", async (job) => {
      await tell(job);
      const paid = await charge(job.data);
      await track(paid.id);
      return paid;
    });
  `,
  "a function that others call, too": `${head}
    async function send(id: string) {
      try {
        await notify(id);
      } catch (error) {
        logger.error("not sent", error);
      }
    }
    export const route = (id: string) => send(id);
    new Worker("mails", async (job) => send(job.data.id));
  `,
  "nothing is awaited": `${head}
    new Worker("charges", async (job) => {
      try {
        return charge(job.data);
      } catch (error) {
        logger.error("never", error);
      }
    });
  `,
  "what comes behind the work, whose result is returned": `${head}
    declare const orders: { create(data: unknown): Promise<{ id: string }> };
    new Worker("orders", async (job) => {
      const order = await orders.create(job.data);
      try {
        await charge(order.id);
      } catch (error) {
        console.warn(error);
      }
      return order;
    });
  `,
  "a flag that is thrown later, and a finally": `${head}
    new Worker("charges", async (job) => {
      let problem: unknown;
      try {
        await charge(job.data);
      } catch (error) {
        problem = error;
      }
      if (problem) throw problem;
    });
    new Worker("others", async (job) => {
      try {
        await charge(job.data);
      } finally {
        await logger.info("done");
      }
    });
  `,
});
