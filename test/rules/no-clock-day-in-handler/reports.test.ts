import { noClockDayInHandler } from "../../../rules/no-clock-day-in-handler.js";
import { casesOfFiles } from "../cases-of-files.js";

casesOfFiles("a day or name of the worker's clock becomes what work is known by", noClockDayInHandler, {
  "the day of a count, cut from the text of a moment": `
    import { Worker } from "bullmq";
    import { Pool } from "pg";
    const pool = new Pool();
    new Worker("views", async (job) => {
      const day = new Date().toISOString().slice(0, 10); // report stored
      await pool.query("INSERT INTO daily_views (page, day, views) VALUES ($1, $2, 1) ON CONFLICT (page, day) DO UPDATE SET views = daily_views.views + 1", [job.data.page, day]);
    });
  `,
  "a row that an update finds by the day": `
    import { Worker } from "bullmq";
    import { createPool } from "mysql2/promise";
    import { Pool } from "pg";
    const pool = new Pool();
    const mysql = createPool({});
    new Worker("views", async (job) => {
      const day = new Date().toISOString().slice(0, 10); // report stored
      await pool.query("UPDATE daily_views SET views = views + 1 WHERE page = $1 AND day = $2", [job.data.page, day]);
      const month = new Date().toISOString().slice(0, 7); // report stored
      await mysql.execute("UPDATE monthly_views SET views = views + ? WHERE page = ? AND month = ?", [1, job.data.page, month]);
    });
  `,
  "a row that an upsert finds by the day": `
    import { Worker } from "bullmq";
    import mongoose from "mongoose";
    const Stat = mongoose.model("Stat", new mongoose.Schema({ day: String, views: Number }));
    new Worker("views", async () => {
      const now = new Date(); // report stored
      await Stat.updateOne({ day: now.toISOString().split("T")[0] }, { $inc: { views: 1 } }, { upsert: true });
    });
  `,
  "a month of date-fns in Drizzle": `
    import { Worker } from "bullmq";
    import { format, subMonths } from "date-fns";
    import { drizzle } from "drizzle-orm/node-postgres";
    import { pgTable, text } from "drizzle-orm/pg-core";
    const statements = pgTable("statements", { account: text("account"), month: text("month") });
    const db = drizzle("postgres://localhost/shop");
    new Worker("statements", async (job) => {
      const month = format(subMonths(new Date(), 1), "yyyy-MM"); // report stored
      await db.insert(statements).values({ account: job.data.account, month });
    });
  `,
  "a beginning of the day by Day.js in TypeORM": `
    import { Processor, WorkerHost } from "@nestjs/bullmq";
    import dayjs from "dayjs";
    import { Repository } from "typeorm";
    class DailyStat { date!: Date; views!: number; }
    @Processor("stats")
    export class Stats extends WorkerHost {
      constructor(private readonly stats: Repository<DailyStat>) { super(); }
      async process() {
        const date = dayjs().startOf("day").toDate(); // report stored
        await this.stats.insert({ date, views: 1 });
      }
    }
  `,
  "Moment.js and Luxon in keys": `
    import { Queue, Worker } from "bullmq";
    import { DateTime } from "luxon";
    import moment from "moment";
    const digests = new Queue("digests");
    new Worker("plan", async (job) => {
      const today = moment().format("YYYY-MM-DD"); // report key
      await digests.add("digest", { user: job.data.user }, { jobId: "digest-" + job.data.user + "-" + today });
      await digests.add("weekly", { user: job.data.user }, { jobId: \`weekly-\${DateTime.now().startOf("week").toISODate()}\` }); // report key
    });
  `,
  "a date that is set to its beginning": `
    import { PgBoss } from "pg-boss";
    import { Sequelize, Model } from "sequelize";
    class Usage extends Model { declare day: Date; declare count: number; }
    const boss = new PgBoss("postgres://localhost/shop");
    await boss.work("usage", async () => {
      const day = new Date(); // report stored
      day.setUTCHours(0, 0, 0, 0);
      await Usage.create({ day, count: 1 });
    });
  `,
  "parts that are put together": `
    import { Worker } from "bullmq";
    import { PrismaClient } from "@prisma/client";
    const prisma = new PrismaClient();
    new Worker("invoices", async (job) => {
      const now = new Date(); // report stored
      const id = \`INV-\${now.getFullYear()}-\${now.getMonth() + 1}-\${job.data.account}\`;
      await prisma.order.create({ data: { id, total: 1, userId: job.data.userId } });
    });
  `,
  "the day of a follow-up job": `
    import { Queue, Worker } from "bullmq";
    const reports = new Queue("reports");
    new Worker("plan", async (job) => {
      const yesterday = new Date(Date.now() - 24 * 60 * 60 * 1000); // report sent
      await reports.add("report", { shop: job.data.shop, date: yesterday.toISOString().slice(0, 10) });
    });
  `,
  "the period of a request": `
    import axios from "axios";
    import { Worker } from "bullmq";
    import { format } from "date-fns";
    new Worker("bill", async (job) => {
      await axios.post("https://bank.example/bills", { account: job.data.account, period: format(new Date(), "yyyy-MM") }); // report sent
    });
  `,
  "a name in an object store, to the day and to the millisecond": `
    import { CopyObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
    import type { SQSHandler } from "aws-lambda";
    const s3 = new S3Client({});
    export const handler: SQSHandler = async (event) => {
      for (const record of event.Records) {
        const day = new Date().toISOString().slice(0, 10); // report named
        await s3.send(new PutObjectCommand({ Bucket: "b", Key: \`reports/\${day}.csv\`, Body: record.body }));
        const key = \`exports/\${Date.now()}.csv\`; // report named
        await s3.send(new PutObjectCommand({ Bucket: "b", Key: key, Body: record.body }));
      }
    };
  `,
  "a file that stays": `
    import { writeFile } from "node:fs/promises";
    import { Worker } from "bullmq";
    new Worker("reports", async (job) => {
      const day = new Date().toISOString().slice(0, 10); // report named
      await writeFile(\`/srv/reports/\${day}.csv\`, job.data.csv);
    });
  `,
  "an id made of the time": `
    import { Worker } from "bullmq";
    import { PrismaClient } from "@prisma/client";
    const prisma = new PrismaClient();
    new Worker("orders", async (job) => {
      const id = "ord_" + Date.now(); // report stored
      await prisma.order.create({ data: { id, total: 1, userId: job.data.userId } });
    });
  `,
  "the time of an event whose id is the job's": `
    import { Worker, type Job } from "bullmq";
    import { z } from "zod";
    const Body = z.object({ id: z.string(), type: z.string(), timestamp: z.date() });
    function bodyOf(input: { executionId: string; type: string }) {
      const parsed = Body.safeParse({
        id: input.executionId,
        timestamp: new Date(), // report event
        type: input.type,
      });
      if (!parsed.success) throw new Error("invalid");
      return parsed.data;
    }
    new Worker("webhooks", async (job: Job<{ executionId: string; type: string; url: string }>) => {
      const { type, ...rest } = bodyOf(job.data);
      await fetch(job.data.url, { method: "POST", body: JSON.stringify({ ...rest, type }) });
    });
  `,
  "the same through functions that cannot be read": `
    import { EventBody, fetchSafely } from "@acme/shared";
    import { Worker } from "bullmq";
    import { z } from "zod";
    const Job = z.object({ id: z.string(), url: z.string() });
    new Worker("webhooks", async (job) => {
      const { id, url } = Job.parse(job.data);
      const event = EventBody.safeParse({
        id,
        type: "paid",
        timestamp: new Date(), // report event
      });
      await fetchSafely(url, { method: "POST", body: JSON.stringify(event.data) }, { redirects: 3 });
    });
  `,
  "a day that a small function makes, in another file": {
    "days.ts": `export const today = () => new Date().toISOString().slice(0, 10);`,
    "worker.ts": `
      import { Worker } from "bullmq";
      import { Pool } from "pg";
      import { today } from "./days.js";
      const pool = new Pool();
      new Worker("views", async (job) => {
        await pool.query("INSERT INTO daily_views (page, day) VALUES ($1, $2)", [job.data.page, today()]); // report stored, typed
      });
    `,
  },
  "a service below the handler, in another file": {
    "stats.ts": `
      import { Pool } from "pg";
      const pool = new Pool();
      export async function count(page: string) {
        const day = new Date().toISOString().slice(0, 10); // report stored, typed
        await pool.query("INSERT INTO daily_views (page, day) VALUES ($1, $2)", [page, day]);
      }
    `,
    "worker.ts": `
      import { Worker } from "bullmq";
      import { count } from "./stats.js";
      new Worker("views", async (job) => { await count(job.data.page); });
    `,
  },
  "a scheduled task": `
    import { schedules } from "@trigger.dev/sdk";
    import { Pool } from "pg";
    const pool = new Pool();
    export const nightly = schedules.task({
      id: "nightly",
      run: async () => {
        const day = new Date().toISOString().slice(0, 10); // report stored
        await pool.query("INSERT INTO reports (report_date) VALUES ($1)", [day]);
      },
    });
  `,
});
