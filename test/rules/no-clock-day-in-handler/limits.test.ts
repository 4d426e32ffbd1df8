import { noClockDayInHandler } from "../../../rules/no-clock-day-in-handler.js";
import { casesOfFiles } from "../cases-of-files.js";

casesOfFiles("what the page says that the rule does not see", noClockDayInHandler, {
  "a function that is given the moment": `
    import { Worker } from "bullmq";
    import { Pool } from "pg";
    const pool = new Pool();
    const dayOf = (moment: Date) => moment.toISOString().slice(0, 10);
    new Worker("views", async () => {
      await pool.query("INSERT INTO daily_views (day) VALUES ($1)", [dayOf(new Date())]);
    });
  `,
  "the range of a query": `
    import { PrismaClient } from "@prisma/client";
    import { Worker } from "bullmq";
    import { startOfDay, subDays } from "date-fns";
    const prisma = new PrismaClient();
    new Worker("reports", async () => {
      const today = startOfDay(new Date());
      return prisma.order.findMany({ where: { createdAt: { gte: subDays(today, 1), lt: today } } });
    });
  `,
  "a day that the database makes": `
    import { Worker } from "bullmq";
    import { Pool } from "pg";
    const pool = new Pool();
    new Worker("views", async (job) => {
      await pool.query("INSERT INTO daily_views (page, day) VALUES ($1, CURRENT_DATE)", [job.data.page]);
    });
  `,
  "a timer of the process": `
    import { Pool } from "pg";
    const pool = new Pool();
    setInterval(() => {
      void pool.query("INSERT INTO daily_views (day) VALUES ($1)", [new Date().toISOString().slice(0, 10)]);
    }, 60_000);
  `,
});
