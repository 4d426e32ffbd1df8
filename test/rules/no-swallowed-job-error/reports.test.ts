import { noSwallowedJobError } from "../../../rules/no-swallowed-job-error.js";
import { casesOfFiles } from "../cases-of-files.js";
import { linted } from "../lint-cases.js";
import { expect, test } from "vitest";

casesOfFiles("a catch that ends the job as if it were done", noSwallowedJobError, {
  "a log, in a worker of BullMQ": `
    import { Worker } from "bullmq";
    declare function charge(data: unknown): Promise<void>;
    declare const logger: { error(text: string, error: unknown): void };
    new Worker("charges", async (job) => {
      try {
        await charge(job.data);
      } catch (error) { // report swallowed
        logger.error("charge failed", error);
      }
    });
  `,
  "a result that says that it failed": `
    import Bull from "bull";
    const queue = new Bull("imports");
    declare function run(data: unknown): Promise<number>;
    queue.process(async (job) => {
      try {
        const rows = await run(job.data);
        return { success: true, rows };
      } catch (error) { // report returned
        console.error(error);
        return { success: false, error: (error as Error).message };
      }
    });
  `,
  "a processor of NestJS, through a method per job": `
    import { Logger } from "@nestjs/common";
    import { Processor, WorkerHost } from "@nestjs/bullmq";
    import type { Job } from "bullmq";
    @Processor("mails")
    export class Mails extends WorkerHost {
      private readonly logger = new Logger("mails");
      async process(job: Job) {
        switch (job.name) {
          case "welcome":
            return this.welcome(job.data.to);
          default:
            throw new Error(job.name);
        }
      }
      private async welcome(to: string) {
        try {
          await fetch("https://mail.example", { method: "POST", body: to });
        } catch (error) { // report swallowed
          this.logger.error("mail failed", error);
        }
      }
    }
  `,
  "an empty catch, below a span": `
    import { run, type Task } from "graphile-worker";
    declare function withSpan<T>(name: string, work: () => Promise<T>): Promise<T>;
    declare function send(payload: unknown): Promise<void>;
    const task: Task = async (payload) => {
      await withSpan("send", async () => {
        try {
          await send(payload);
        } catch {} // report swallowed
      });
    };
    void run({ taskList: { send: task } });
  `,
  "pg-boss, after what the work needs was read": `
    import { PgBoss } from "pg-boss";
    const boss = new PgBoss("postgres://localhost/shop");
    declare function load(id: string): Promise<{ email: string } | undefined>;
    declare function send(email: string): Promise<void>;
    await boss.work<{ id: string }>("mail", async ([job]) => {
      const user = await load(job!.data.id);
      if (!user) return;
      try {
        await send(user.email);
      } catch (error) { // report swallowed
        console.warn("not sent", error);
      }
    });
  `,
  "Inngest, Trigger.dev and a Temporal activity": {
    "functions.ts": `
      import { task } from "@trigger.dev/sdk";
      import { Inngest } from "inngest";
      const inngest = new Inngest({ id: "shop" });
      declare function send(to: string): Promise<void>;
      export const mail = inngest.createFunction({ id: "mail", triggers: [{ event: "user/created" }] }, async ({ event, step }) => {
        try {
          await step.run("send", () => send(event.data.to));
        } catch (error) { // report returned
          console.error(error);
          return null;
        }
      });
      export const sync = task({
        id: "sync",
        run: async (payload: { to: string }) => {
          try {
            await send(payload.to);
          } catch (error) { // report returned
            return { ok: false };
          }
        },
      });
    `,
    "worker.ts": `
      import { Worker } from "@temporalio/worker";
      declare function charge(order: string): Promise<void>;
      await Worker.create({
        taskQueue: "orders",
        activities: {
          charge: async (order: string) => {
            try {
              await charge(order);
            } catch (error) { // report swallowed
              console.error(error);
            }
          },
        },
      });
    `,
  },
  "one record of a batch of SQS": `
    import type { SQSEvent, SQSHandler } from "aws-lambda";
    declare function ship(body: string): Promise<void>;
    export const handler: SQSHandler = async (event) => {
      for (const record of event.Records) {
        try {
          await ship(record.body);
        } catch (error) { // report item
          console.error("record failed", error);
        }
      }
    };
    export async function second(event: SQSEvent) {
      await Promise.all(
        event.Records.map(async (record) => {
          try {
            await ship(record.body);
          } catch (error) { // report item
            console.error("record failed", error);
          }
        }),
      );
    }
  `,
  "a handler in another file": {
    "confirm.ts": `
      declare function send(id: string): Promise<void>;
      export async function confirm(id: string) {
        try {
          await send(id);
        } catch (error) { // report swallowed, typed
          console.error(error);
        }
      }
    `,
    "worker.ts": `
      import { Worker } from "bullmq";
      import { confirm } from "./confirm.js";
      new Worker("orders", async (job) => {
        await confirm(job.data.id);
      });
    `,
  },
});

const swallowing = (end: string) => `
  import { Worker } from "bullmq";
  declare function charge(data: unknown): Promise<void>;
  new Worker("charges", async (job) => {
    try {
      await charge(job.data);
    } catch (error) {
      console.error(error);${end}
    }
  });
`;
const behindLog = linted(noSwallowedJobError, swallowing(""));
const forReturn = linted(noSwallowedJobError, swallowing("\n      return { ok: false };"));

test("the suggestion throws behind the log", () => {
  expect(behindLog()[0]?.results).toEqual([swallowing("\n      throw error;")]);
  expect(behindLog()[0]?.message).toContain("throw `UnrecoverableError`");
});

test("the suggestion throws in the place of the return", () => {
  expect(forReturn()[0]?.results).toEqual([swallowing("\n      throw error;")]);
});
