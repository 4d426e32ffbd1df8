import { noClockDayInHandler } from "../../../rules/no-clock-day-in-handler.js";
import { casesOfFiles } from "../cases-of-files.js";

casesOfFiles("a time that tells when something was done, or that the job brings", noClockDayInHandler, {
  "no handler leads here": `
    import { Pool } from "pg";
    const pool = new Pool();
    export async function route(page: string) {
      const day = new Date().toISOString().slice(0, 10);
      await pool.query("INSERT INTO daily_views (page, day) VALUES ($1, $2)", [page, day]);
    }
  `,
  "a day of the job": `
    import { Worker, type Job } from "bullmq";
    import { format, startOfDay } from "date-fns";
    import { Pool } from "pg";
    const pool = new Pool();
    new Worker("views", async (job: Job<{ at: string }>) => {
      const day = new Date(job.data.at).toISOString().slice(0, 10);
      await pool.query("INSERT INTO daily_views (day) VALUES ($1)", [day]);
      await pool.query("INSERT INTO daily_views (day) VALUES ($1)", [format(job.data.at, "yyyy-MM-dd")]);
      await pool.query("INSERT INTO daily_views (day) VALUES ($1)", [startOfDay(job.timestamp)]);
      await pool.query("INSERT INTO daily_views (day) VALUES ($1)", [new Date(job.timestamp).toISOString().split("T")[0]]);
    });
  `,
  "a day that the job may bring": `
    import { Worker } from "bullmq";
    import { Pool } from "pg";
    const pool = new Pool();
    new Worker("views", async (job) => {
      const day = job.data.day ?? new Date().toISOString().slice(0, 10);
      await pool.query("INSERT INTO daily_views (day) VALUES ($1)", [day]);
      const at = job.data.at ? new Date(job.data.at) : new Date();
      await pool.query("INSERT INTO daily_views (day) VALUES ($1)", [at.toISOString().slice(0, 10)]);
    });
  `,
  "when a row was written, changed or ends": `
    import { Worker } from "bullmq";
    import { PrismaClient } from "@prisma/client";
    import { addDays, endOfMonth, startOfDay } from "date-fns";
    import { Pool } from "pg";
    const prisma = new PrismaClient();
    const pool = new Pool();
    new Worker("orders", async (job) => {
      await prisma.order.create({ data: { id: job.data.id, total: 1, userId: job.data.userId, createdAt: new Date() } });
      await prisma.order.update({ where: { id: job.data.id }, data: { confirmedAt: startOfDay(new Date()) } });
      await pool.query("INSERT INTO subscriptions (id, expires_at, due_date, start_date, next_run) VALUES ($1, $2, $3, $4, $5)", [job.data.id, endOfMonth(new Date()), addDays(startOfDay(new Date()), 30), startOfDay(new Date()), startOfDay(new Date())]);
      await pool.query("INSERT INTO syncs (id, last_synced_day, updated_at) VALUES ($1, $2, $3)", [job.data.id, new Date().toISOString().slice(0, 10), new Date()]);
    });
  `,
  "logs, durations and metrics": `
    import { Worker } from "bullmq";
    declare const logger: { info(text: string, data?: object): void };
    declare const metrics: { increment(name: string, tags: object): void };
    new Worker("orders", async (job) => {
      const started = Date.now();
      logger.info(\`start \${new Date().toISOString().slice(0, 10)}\`, { day: new Date().toISOString().slice(0, 10) });
      metrics.increment("jobs", { day: new Date().toISOString().slice(0, 10) });
      console.log(\`took \${Date.now() - started} ms of \${job.name}\`);
    });
  `,
  "text that people read": `
    import { Worker } from "bullmq";
    import { format } from "date-fns";
    import nodemailer from "nodemailer";
    const mailer = nodemailer.createTransport({});
    new Worker("mails", async (job) => {
      await mailer.sendMail({ to: job.data.to, subject: \`Report of \${format(new Date(), "yyyy-MM-dd")}\`, text: "…" });
    });
  `,
  "decisions by the hour or day": `
    import { Worker } from "bullmq";
    import { Pool } from "pg";
    const pool = new Pool();
    new Worker("orders", async (job) => {
      const now = new Date();
      if (now.getDay() === 0 || now.getHours() < 8) return;
      if (now.getDate() === 1) await pool.query("INSERT INTO monthly (id) VALUES ($1)", [job.data.id]);
    });
  `,
  "what is older than so many days": `
    import { Worker } from "bullmq";
    import { PrismaClient } from "@prisma/client";
    import { startOfDay, subDays } from "date-fns";
    const prisma = new PrismaClient();
    new Worker("clean", async () => {
      await prisma.order.deleteMany({ where: { createdAt: { lt: startOfDay(subDays(new Date(), 30)) } } });
      await prisma.order.updateMany({ where: { createdAt: { lt: startOfDay(new Date()) } }, data: { status: "CANCELLED" } });
    });
  `,
  "what an update writes": `
    import { Worker } from "bullmq";
    import { Pool } from "pg";
    const pool = new Pool();
    new Worker("users", async (job) => {
      await pool.query("UPDATE users SET day = $1 WHERE id = $2", [new Date().toISOString().slice(0, 10), job.data.id]);
    });
  `,
  "when a request was sent": `
    import axios from "axios";
    import { Worker } from "bullmq";
    new Worker("webhooks", async (job) => {
      await axios.post(job.data.url, { id: job.data.id, type: "paid", sentAt: new Date(), data: job.data.order });
      await axios.post(job.data.url, { text: "hello", timestamp: new Date() }, { headers: { date: new Date().toUTCString() } });
    });
  `,
  "the envelope of a follow-up job": `
    import { randomUUID } from "node:crypto";
    import { Queue, Worker } from "bullmq";
    const queue = new Queue("events");
    new Worker("orders", async (job) => {
      await queue.add("event", { id: randomUUID(), type: "paid", timestamp: new Date(), payload: { order: job.data.order } });
      await queue.add("event", { id: job.data.id, type: "paid", timestamp: new Date(), payload: { order: job.data.order } });
    });
  `,
  "copies that are kept for their moment, scratch files and logs": `
    import { createWriteStream } from "node:fs";
    import { writeFile } from "node:fs/promises";
    import { tmpdir } from "node:os";
    import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
    import { Worker } from "bullmq";
    const s3 = new S3Client({});
    new Worker("backup", async (job) => {
      await s3.send(new PutObjectCommand({ Bucket: "b", Key: \`backups/\${new Date().toISOString()}.sql\`, Body: job.data.sql }));
      await writeFile(\`\${tmpdir()}/\${new Date().toISOString().slice(0, 10)}.csv\`, job.data.csv);
      await writeFile("/srv/exports/" + Date.now() + ".csv", job.data.csv);
      createWriteStream(\`/var/log/\${new Date().toISOString().slice(0, 10)}.log\`);
    });
  `,
  "a name that the job brings": `
    import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
    import { Worker } from "bullmq";
    const s3 = new S3Client({});
    new Worker("reports", async (job) => {
      await s3.send(new PutObjectCommand({ Bucket: "b", Key: \`reports/\${job.data.day}.csv\`, Body: JSON.stringify({ at: Date.now() }) }));
    });
  `,
  "a day that a step keeps": `
    import { Inngest } from "inngest";
    import { Pool } from "pg";
    const pool = new Pool();
    const inngest = new Inngest({ id: "shop" });
    export const count = inngest.createFunction({ id: "count", triggers: [{ event: "page/viewed" }] }, async ({ step }) => {
      const day = await step.run("day", () => new Date().toISOString().slice(0, 10));
      await step.run("count", () => pool.query("INSERT INTO daily_views (day) VALUES ($1)", [day]));
    });
  `,
  "a moment in a key is another rule's": `
    import { Queue, Worker } from "bullmq";
    const queue = new Queue("mails");
    new Worker("orders", async (job) => {
      await queue.add("mail", { to: job.data.to }, { deduplication: { id: \`mail-\${Date.now()}\` } });
    });
  `,
  "methods that are only called like a date's": `
    import { Worker } from "bullmq";
    import { Pool } from "pg";
    const pool = new Pool();
    declare const calendar: { getDate(): string; format(pattern: string): string };
    new Worker("views", async (job) => {
      await pool.query("INSERT INTO daily_views (day) VALUES ($1)", [calendar.getDate()]);
      await pool.query("INSERT INTO daily_views (day) VALUES ($1)", [calendar.format("yyyy-MM-dd")]);
      await pool.query("INSERT INTO daily_views (day) VALUES ($1)", [job.data.toISOString().slice(0, 10)]);
    });
  `,
  "a time of the day": `
    import { Worker } from "bullmq";
    import { format } from "date-fns";
    import { Pool } from "pg";
    const pool = new Pool();
    new Worker("runs", async () => {
      await pool.query("INSERT INTO runs (day) VALUES ($1)", [format(new Date(), "yyyy-MM-dd HH:mm:ss")]);
    });
  `,
  "a test": {
    "views.test.ts": `
      import { Worker } from "bullmq";
      import { Pool } from "pg";
      const pool = new Pool();
      new Worker("views", async () => {
        await pool.query("INSERT INTO daily_views (day) VALUES ($1)", [new Date().toISOString().slice(0, 10)]);
      });
    `,
  },
});
