import { noExternalEffectInTransaction as rule } from "../../../rules/no-external-effect-in-transaction.js";
import { lintCases, type Code } from "../lint-cases.js";

const open = `import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);`;

/** Calls inside a transaction and behind it: all of the first are reported. */
function effects(imports: string, ...calls: readonly string[]): Code {
  return `${imports} ${open}
export async function place() {
  await dataSource.transaction(async (manager) => {
    await manager.save({});
${calls.map((call) => `    ${call}; // report effect`).join("\n")}
  });
${calls.map((call) => `  ${call};`).join("\n")}
}`;
}

lintCases("Effects: each library", rule, {
  fetch: effects(
    "",
    `await fetch("https://x", { method: "POST", body: "{}" })`,
    `await fetch("https://x", { method: "delete" })`,
  ),
  axios: effects(
    `import axios from "axios"; const api = axios.create({ baseURL: "https://x" });`,
    `await axios.post("/orders", {})`,
    `await axios.delete("/orders/1")`,
    `await api.put("/orders/1", {})`,
    `await api.request({ url: "/orders", method: "PATCH" })`,
    `await api({ url: "/orders", method: "post" })`,
    `await axios({ url: "/orders", method: "post" })`,
  ),
  got: effects(
    `import got from "got";`,
    `await got.post("https://x", { json: {} })`,
    `await got("https://x", { method: "PUT" })`,
  ),
  ky: effects(
    `import ky from "ky";`,
    `await ky.post("https://x", { json: {} })`,
    `await ky("https://x", { method: "PUT" })`,
  ),
  undici: effects(`import { request } from "undici";`, `await request("https://x", { method: "POST" })`),
  "node:https": effects(
    `import https from "node:https"; import { request } from "node:http";`,
    `https.request("https://x", { method: "POST" }).end("{}")`,
    `request({ host: "x", method: "POST" }).end("{}")`,
  ),
  Nodemailer: effects(
    `import nodemailer from "nodemailer"; const mail = nodemailer.createTransport({});`,
    `await mail.sendMail({ to: "a@example.com" })`,
  ),
  SendGrid: effects(
    `import sendgrid from "@sendgrid/mail";`,
    `await sendgrid.send({ to: "a@example.com", from: "b@example.com", subject: "x", text: "x" })`,
  ),
  Resend: effects(
    `import { Resend } from "resend"; const resend = new Resend("k");`,
    `await resend.emails.send({ to: "a@example.com", from: "b@example.com", subject: "x", text: "x" })`,
  ),
  Stripe: effects(
    `import Stripe from "stripe"; const stripe = new Stripe("k");`,
    `await stripe.paymentIntents.create({ amount: 1, currency: "eur" })`,
    `await stripe.refunds.create({ payment_intent: "x" })`,
    `await stripe.subscriptions.cancel("x")`,
  ),
  Twilio: effects(
    `import twilio from "twilio"; const client = twilio("a", "b");`,
    `await client.messages.create({ to: "1", from: "2", body: "x" })`,
  ),
  "S3, by command": effects(
    `import { DeleteObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3"; const s3 = new S3Client({});`,
    `await s3.send(new PutObjectCommand({ Bucket: "b", Key: "k" }))`,
    `await s3.send(new DeleteObjectCommand({ Bucket: "b", Key: "k" }))`,
  ),
});

lintCases("Effects: caches and clients have a message of their own", rule, {
  ioredis: `import { Redis } from "ioredis"; const redis = new Redis(); ${open}
export const place = () => dataSource.transaction(async (manager) => {
  await manager.save({});
  await redis.del("orders"); // report cache
  await redis.set("order:1", "x", "EX", 60); // report cache
  await redis.set("lock:order:1", "x", "PX", 60, "NX");
  await redis.setnx("done:1", "x");
  await redis.get("order:1");
});`,
  "node-redis": `import { createClient } from "redis"; const redis = createClient(); ${open}
export const place = () => dataSource.transaction(async () => {
  await redis.del("orders"); // report cache
  await redis.set("lock", "x", { NX: true });
});`,
  "cache-manager": `import { createCache, type Cache } from "cache-manager"; const cache = createCache(); ${open}
export class Orders {
  constructor(private readonly own: Cache) {}
  place() {
    return dataSource.transaction(async () => {
      await cache.del("orders"); // report cache
      await this.own.clear(); // report cache
      await this.own.get("orders");
    });
  }
}`,
  "Socket.IO and ws": `import { Server } from "socket.io"; import { WebSocket } from "ws"; const io = new Server(); ${open}
export const place = (socket: WebSocket) => dataSource.transaction(async () => {
  io.to("room").emit("order", {}); // report clients
  io.emit("order", {}); // report clients
  socket.send("order"); // report clients
});`,
});

lintCases("Effects: each kind of transaction", rule, {
  "a cache that a hook clears": `import { Redis } from "ioredis"; import { EventSubscriber } from "typeorm"; const redis = new Redis();
@EventSubscriber() export class Orders {
  async afterUpdate() { await redis.del("orders"); } // report cache
}`,
  "a decorated method": `import axios from "axios"; import { Transactional } from "typeorm-transactional";
export class Orders {
  @Transactional()
  async place() { await axios.post("/x", {}); } // report effect
  async confirm() { await axios.post("/x", {}); }
}`,
  "begin and commit": `import axios from "axios"; import knexLib from "knex"; const knex = knexLib({});
export async function place() {
  await axios.post("/before", {});
  const trx = await knex.transaction();
  await axios.post("/x", {}); // report effect
  await trx.commit();
  await axios.post("/x", {});
}`,
  SQL: `import axios from "axios"; import { Pool } from "pg"; const pool = new Pool();
export async function place() {
  const client = await pool.connect();
  await client.query("BEGIN");
  await axios.post("/x", {}); // report effect
  await client.query("COMMIT");
  await axios.post("/x", {});
}`,
  "a function with a handle": `import axios from "axios"; import type { Knex } from "knex";
export async function confirm(trx: Knex.Transaction) { await trx("orders").insert({}); await axios.post("/x", {}); } // report effect`,
  "a hook": `import axios from "axios"; import { EventSubscriber, type EntitySubscriberInterface } from "typeorm";
@EventSubscriber() export class Orders implements EntitySubscriberInterface {
  async afterInsert() { await axios.post("/x", {}); } // report effect
  async afterTransactionCommit() { await axios.post("/x", {}); }
}`,
  "a wrapper of the project": `import axios from "axios"; ${open}
const withTransaction = <T>(work: () => Promise<T>) => dataSource.transaction(work);
export const place = () => withTransaction(async () => {
  await axios.post("/x", {}); // report effect
});`,
});

lintCases("Effects: through calls", rule, {
  "functions and services of other files": {
    "main.ts": `${open} import { Payments } from "./payments.js"; import { notify } from "./notify.js";
export class Checkout {
  constructor(private readonly payments: Payments) {}
  async place() {
    await dataSource.transaction(async () => {
      await this.payments.charge(1); // report effect typed
      await this.payments.total(1);
      await notify(); // report effect typed
    });
  }
}`,
    "payments.ts": `import Stripe from "stripe";
export class Payments {
  private readonly stripe = new Stripe("k");
  async charge(amount: number) { return this.create(amount); }
  private async create(amount: number) { return this.stripe.paymentIntents.create({ amount, currency: "eur" }); }
  async total(amount: number) { return amount * 2; }
}`,
    "notify.ts": `import { post } from "./api.js"; export async function notify() { await post("/x", {}); }`,
    "api.ts": `export async function call(path: string, init: { method: string; body?: string }) { return fetch(path, init); }
export const post = (path: string, body: object) => call(path, { method: "POST", body: JSON.stringify(body) });
export const get = (path: string) => call(path, { method: "GET" });`,
  },
  "a method that is passed": `${open}
async function call(path: string, method = "GET") { return fetch(path, { method }); }
export const place = () => dataSource.transaction(async () => {
  await call("/x");
  await call("/x", "HEAD");
  await call("/x", "POST"); // report effect
});`,
  "callbacks that run at once": `import axios from "axios"; ${open}
export const place = (ids: string[]) => dataSource.transaction(async () => {
  await Promise.all(ids.map((id) => axios.post("/x", { id }))); // report effect
  await Promise.all(ids.map(async (id) => {
    await axios.post("/x", { id }); // report effect
  }));
});`,
});
