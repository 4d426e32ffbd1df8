import { noDispatchInTransaction as rule } from "../../../rules/no-dispatch-in-transaction.js";
import { lintCases } from "../lint-cases.js";

const queue = `import { Queue } from "bullmq"; const queue = new Queue("mail");`;
const open = `import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);`;

// each case is an item of "Scope and limits" in docs/rules/no-dispatch-in-transaction.md
lintCases("Limits", rule, {
  "without types, another file is unknown": {
    "main.ts": `${open} import { notify } from "./notify.js";
export const place = () => dataSource.transaction(async (manager) => {
  await notify(); // report typed
});`,
    "notify.ts": `${queue} export async function notify() { await queue.add("mail", {}); }`,
  },
  "`any` opens a transaction only by its shape": `${queue}
declare const db: any;
export async function place() {
  await db.transaction(async () => { await queue.add("mail", {}); });
  await db.run(async (tx: unknown) => { await queue.add("mail", {}); });
  await db.transaction((tx: unknown) => { void queue.add("mail", {}); });
  await db.transaction(async (tx: unknown) => {
    await queue.add("mail", {}); // report
  });
}`,
  "a parameter that may be a client proves nothing, but its function is followed": `${queue}
import { PrismaClient, type Prisma } from "@prisma/client"; const prisma = new PrismaClient();
async function confirm(tx: Prisma.TransactionClient) { await tx.order.findMany(); await queue.add("mail", {}); }
export const place = () => prisma.$transaction(async (tx) => {
  await confirm(tx); // report
});
export const outside = () => confirm(prisma);`,
  "a middleware for a whole app is not followed to its routes": `${queue} ${open}
import express from "express"; const app = express();
const inTransaction = async (req: unknown, res: unknown, next: () => unknown) => { await dataSource.transaction(async () => { await next(); }); };
app.use(inTransaction);
app.post("/orders", async (req: unknown, res: unknown) => { await queue.add("mail", {}); });`,
  "functions that are collected and run inside, or found in a map": `${queue} ${open}
const actions: Record<string, () => Promise<unknown>> = { mail: () => queue.add("mail", {}) };
export async function place(name: string) {
  await dataSource.transaction(async (manager) => {
    const pending: (() => Promise<unknown>)[] = [];
    pending.push(() => queue.add("mail", {}));
    for (const run of pending) await run();
    await actions[name]?.();
  });
}`,
  "a builder counts where it is awaited in one expression": `${open} import { Job } from "@boringnode/queue"; class Mail extends Job<{ id: number }> { async execute() {} }
export async function place() {
  await dataSource.transaction(async (manager) => {
    const builder = Mail.dispatch({ id: 1 });
    await builder;
  });
}`,
  "`finally` of a promise, and what a `finally` reaches through calls": `${queue} ${open}
async function confirm() { await queue.add("mail", {}); }
export async function place() {
  await dataSource.transaction(async (manager) => { await manager.save({}); }).finally(() => queue.add("mail", {}));
  try { await dataSource.transaction(async (manager) => { await manager.save({}); }); } finally { await confirm(); }
}`,
  "mail, HTTP and the outer client are no dispatch": `${open} import nodemailer from "nodemailer"; const mails = nodemailer.createTransport({});
export async function place() {
  await dataSource.transaction(async (manager) => {
    await fetch("https://example.com", { method: "POST" });
    await mails.sendMail({ to: "a@example.com" });
    await dataSource.manager.save({});
  });
}`,
  "test files": {
    "orders.test.ts": `${queue} import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);
export const place = () => dataSource.transaction(async () => { await queue.add("mail", {}); });`,
  },
});
