import { noEffectInRetriedTransaction as rule } from "../../../rules/no-effect-in-retried-transaction.js";
import { lintCases, type Code } from "../lint-cases.js";

/** The callback of a transaction that is run again: it collects, counts, and does something outside. */
function rerun(imports: string, call: string): Code {
  const [before = "", after = ""] = call.split("CALLBACK");
  return `import axios from "axios"; ${imports}
export async function place(account: { balance: number }) {
  const events: string[] = [];
  let total = 0;
  let result: unknown;
  await ${before}async () => {
    const own: string[] = [];
    own.push("x");
    events.push("x"); // report collects
    total += 1; // report counts
    account.balance -= 5; // report counts
    result = own.length;
    await axios.post("/x", {}); // report effect
  }${after};
  events.push("y"); total++;
  return { events, total, result };
}`;
}

lintCases("Retried: each API that runs its callback again", rule, {
  Firestore: rerun(
    `import { Firestore } from "@google-cloud/firestore"; const db = new Firestore();`,
    `db.runTransaction(CALLBACK, { maxAttempts: 5 })`,
  ),
  MongoDB: rerun(
    `import { MongoClient } from "mongodb"; const session = new MongoClient("x").startSession();`,
    `session.withTransaction(CALLBACK)`,
  ),
  Mongoose: rerun(
    `import mongoose from "mongoose"; const db = mongoose.createConnection("x");`,
    `db.transaction(CALLBACK)`,
  ),
  Slonik: rerun(
    `import { createPool } from "slonik"; const pool = await createPool("x");`,
    `pool.transaction(CALLBACK)`,
  ),
  "p-retry around any transaction": rerun(
    `import pRetry from "p-retry"; import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);`,
    `pRetry(() => dataSource.transaction(CALLBACK), { retries: 5 })`,
  ),
  "async-retry around any transaction": rerun(
    `import retry from "async-retry"; import knexLib from "knex"; const knex = knexLib({});`,
    `retry(async () => knex.transaction(CALLBACK))`,
  ),
  "a wrapper of the project with a loop of attempts": rerun(
    `import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);
async function serializable<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try { return await dataSource.transaction("SERIALIZABLE", work); }
    catch (error) { if (attempt >= 5 || (error as { code?: string }).code !== "40001") throw error; }
  }
}`,
    `serializable(CALLBACK)`,
  ),
  "a retry function of the project": rerun(
    `import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient();
async function withRetry<T>(work: () => Promise<T>, attempts = 3): Promise<T> {
  for (;;) { try { return await work(); } catch (error) { if (--attempts === 0) throw error; } }
}`,
    `withRetry(() => prisma.$transaction(CALLBACK))`,
  ),
});

lintCases("Retried: what is written", rule, {
  "fields, members, elements of loops, new values made of the old": `import { MongoClient } from "mongodb"; const client = new MongoClient("x");
let placed = 0;
export class Orders {
  private readonly pending: string[] = []; private total = 0;
  async place(ids: string[], report: { lines: string[]; sum: number }) {
    let list: string[] = []; let sum = 0;
    await client.startSession().withTransaction(async () => {
      this.pending.push("x"); // report collects
      this.total++; // report counts
      placed += 1; // report counts
      report.sum += 2; // report counts
      for (const id of ids) list = [...list, id]; // report collects
      sum = sum + 1; // report counts
      ids.forEach((id) => {
        report.sum += Number(id); // report counts
      });
    });
    return [list, sum];
  }
}`,
  "a loop of attempts around the transaction": `import knexLib from "knex"; const knex = knexLib({});
export async function place() {
  const events: string[] = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    const own: string[] = [];
    try {
      await knex.transaction(async () => {
        own.push("x");
        events.push("x"); // report collects
      });
      break;
    } catch (error) { console.error(error); }
  }
  return events;
}`,
});
