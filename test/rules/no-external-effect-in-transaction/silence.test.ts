import { noExternalEffectInTransaction as rule } from "../../../rules/no-external-effect-in-transaction.js";
import { lintCases } from "../lint-cases.js";

const open = `import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);`;

lintCases("Effects: what only asks", rule, {
  "requests that read": `import axios from "axios"; import got from "got"; import Stripe from "stripe"; import { request } from "undici"; import https from "node:https"; ${open} const stripe = new Stripe("k");
export const place = (init: RequestInit, url: Request) => dataSource.transaction(async () => {
  await fetch("https://x"); await fetch("https://x", { headers: {} }); await fetch("https://x", { method: "GET" }); await fetch("https://x", init); await fetch(url);
  await axios.get("/x"); await axios.head("/x"); await axios({ url: "/x" }); await axios.request({ url: "/x" });
  await got("https://x"); await got.get("https://x"); await request("https://x"); https.get("https://x");
  await stripe.customers.retrieve("x"); await stripe.charges.list();
});`,
  "a POST that asks, by its address or by the name of the function around it": `import axios from "axios"; ${open}
async function getToken() { return axios.post("/x", {}); }
async function searchOrders() { return axios.post("/x", {}); }
async function verifyAddress() { return fetch("/x", { method: "POST" }); }
export const place = () => dataSource.transaction(async () => {
  await fetch("https://x/graphql", { method: "POST" });
  await fetch(\`https://\${"x"}/oauth/token\`, { method: "POST" });
  await getToken(); await searchOrders(); await verifyAddress();
});`,
  "a cache that is filled by who asks, locks and limits in it": `import { Redis } from "ioredis"; ${open} const redis = new Redis();
async function getOrSet(key: string) { const found = await redis.get(key); if (found === null) await redis.set(key, "x"); return found; }
class RateLimiter { static async clear(key: string) { await redis.del(key); } }
export const place = () => dataSource.transaction(async () => {
  await getOrSet("orders"); await RateLimiter.clear("x"); await redis.del("lock:orders"); await redis.incr(\`rate-limit:\${"x"}\`);
});`,
  "a cache that is filled where nothing was found": `import { Redis } from "ioredis"; ${open} const redis = new Redis();
async function isOn(flag: string) {
  const known = await redis.get(\`flag:\${flag}\`);
  if (known !== null) return known === "1";
  const response = await fetch(\`https://flags.example/\${flag}\`);
  await redis.set(\`flag:\${flag}\`, response.ok ? "1" : "0", "EX", 60);
  return response.ok;
}
export const place = () => dataSource.transaction(async (manager) => { if (await isOn("x")) await manager.save({}); });`,
  "logs and metrics that are sent": `${open}
class Logger { async info(text: string) { await fetch("https://logs.example", { method: "POST", body: text }); } }
class Metrics { async count(name: string) { await fetch("https://metrics.example", { method: "POST", body: name }); } }
export class Orders {
  private readonly logger = new Logger();
  constructor(private readonly metrics: Metrics) {}
  place() { return dataSource.transaction(async (manager) => { await this.logger.info("x"); await manager.save({}); await this.metrics.count("orders"); }); }
}`,
  files: `import { readFile, writeFile } from "node:fs/promises"; import fs from "node:fs"; ${open}
export const place = () => dataSource.transaction(async () => { await readFile("x"); fs.readFileSync("x"); await writeFile("x", "y"); });`,
});

lintCases("Effects: what belongs to the transaction, or comes after it", rule, {
  "calls of the handle": `import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient();
export const place = () => prisma.$transaction(async (tx) => {
  await tx.order.create({ data: {} as never }); await tx.order.update({ where: { id: "1" }, data: {} }); await tx.order.delete({ where: { id: "1" } });
});`,
  "after-commit and on-rollback slots": `import axios from "axios"; import Stripe from "stripe"; import { runOnTransactionCommit, runOnTransactionRollback, Transactional } from "typeorm-transactional"; const stripe = new Stripe("k");
export class Orders {
  @Transactional()
  async place() {
    runOnTransactionCommit(() => axios.post("/x", {}));
    runOnTransactionRollback(async () => { await stripe.refunds.create({ payment_intent: "x" }); });
  }
}`,
  "after the commit": `import axios from "axios"; ${open}
export async function place() {
  const order = await dataSource.transaction(async (manager) => manager.save({}));
  await axios.post("/x", order);
}`,
  "collected, returned, and called behind it": `import axios from "axios"; ${open}
export async function place() {
  const later: (() => Promise<unknown>)[] = [];
  const send = await dataSource.transaction(async () => {
    later.push(() => axios.post("/x", {}));
    return () => axios.post("/x", {});
  });
  await send(); for (const work of later) await work();
}`,
  "what fails the transaction": `import axios from "axios"; ${open}
export const place = () => dataSource.transaction(async (manager) => {
  try { await manager.save({}); } catch (error) { await axios.post("/alert", {}); throw error; }
});`,
  "branches without a transaction": `import axios from "axios"; import type { EntityManager } from "typeorm"; ${open}
async function save(tx?: EntityManager) { if (!tx) await axios.post("/x", {}); }
async function all({ urls, silent }: { urls: string[]; silent: boolean }) { for (const url of urls) await axios.post(url, { silent }); }
async function notify(options: { silent: boolean }) { if (!options.silent) await axios.post("/x", {}); }
export const place = () => dataSource.transaction(async (manager) => { await save(manager); await notify({ silent: true }); await all({ urls: [], silent: false }); });`,
  "no transaction at all": `import axios from "axios"; import Stripe from "stripe"; const stripe = new Stripe("k");
export async function place() { await axios.post("/x", {}); await stripe.charges.create({ amount: 1, currency: "eur" }); }`,
});

lintCases("Effects: look-alikes", rule, {
  "members of the same name": `${open}
class Api { async post(path: string) { return path; } async send() {} async create() {} }
const axios = new Api(); const mail = { sendMail: async (x: object) => x }; const stripe = { charges: { create: async () => 1 } };
function fetch(path: string, init: object) { return [path, init]; }
export const place = (socket: { emit(name: string): void }, cache: Map<string, string>) => dataSource.transaction(async () => {
  await axios.post("/x"); await axios.send(); await axios.create(); await mail.sendMail({}); await stripe.charges.create();
  fetch("/x", { method: "POST" }); socket.emit("x"); cache.set("a", "b"); cache.delete("a"); cache.clear();
});`,
  "what is only made": `import axios from "axios"; import nodemailer from "nodemailer"; import Stripe from "stripe"; import { Redis } from "ioredis"; ${open}
export const place = () => dataSource.transaction(async () => {
  axios.create({}); nodemailer.createTransport({}); new Stripe("k"); new Redis(); new Request("https://x", { method: "POST" }); axios.interceptors.request.use((config) => config);
});`,
  "something that looks like a transaction": `import axios from "axios"; import * as Sentry from "node:fs"; const ledger = { transaction: async (work: () => Promise<void>) => work() }; const sentry = Sentry;
export const place = () => { void sentry; return ledger.transaction(async () => { await axios.post("/x", {}); }); };`,
  "a value that nobody knows": `${open}
export const place = (api: any, client: unknown) => dataSource.transaction(async () => { await api.post("/x", {}); await api.fetch("/x", { method: "POST" }); void client; });`,
  "a listener": `import axios from "axios"; import { EventEmitter } from "node:events"; ${open} const bus = new EventEmitter();
export const place = () => dataSource.transaction(async () => { bus.on("done", () => axios.post("/x", {})); });`,
  "a dispatch is the matter of another rule": `import { Queue } from "bullmq"; const queue = new Queue("mail"); ${open}
export const place = () => dataSource.transaction(async () => { await queue.add("mail", {}); });`,
});
