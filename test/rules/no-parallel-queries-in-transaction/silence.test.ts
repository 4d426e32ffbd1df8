import { noParallelQueriesInTransaction as rule } from "../../../rules/no-parallel-queries-in-transaction.js";
import { lintCases } from "../lint-cases.js";

const knex = `import knexLib, { type Knex } from "knex"; const knex = knexLib({});`;

lintCases("Nothing side by side", rule, {
  "one query of the transaction, and other work": `${knex}
export async function place(rows: object[]) {
  await knex.transaction(async (trx) => {
    await Promise.all([trx("a").insert({}), fetch("https://x.example")]);
    await Promise.all([knex("a").insert({}), knex("b").insert({})]);
    await Promise.all(rows.map((row) => fetch(String(row))));
    await Promise.all([trx("a").insert({})]);
  });
}`,
  "one after the other": `${knex}
export async function place(rows: object[]) {
  await knex.transaction(async (trx) => {
    for (const row of rows) await trx("a").insert(row);
    rows.forEach((row) => { console.log(row); });
    await rows.reduce(async (last, row) => { await last; await trx("a").insert(row); }, Promise.resolve());
    const first = await trx("a"); const second = await trx("b");
    return Promise.all([first, second]);
  });
}`,
  "a limit that keeps them apart": `${knex} import { limit } from "./limit.js";
export async function place(rows: object[]) {
  await knex.transaction(async (trx) => {
    await Promise.all(rows.map((row) => limit(async () => { await trx("a").insert(row); })));
  });
}`,
  "allSettled waits for all of them": `${knex}
export async function place() {
  await knex.transaction(async (trx) => {
    const results = await Promise.allSettled([trx("a").insert({}), trx("b").insert({})]);
    if (results.some(({ status }) => status === "rejected")) throw new Error("failed");
  });
}`,
  "outside a transaction": `${knex} import { PrismaClient, type Prisma } from "@prisma/client"; import { Pool, type PoolClient } from "pg"; const prisma = new PrismaClient(); const pool = new Pool();
export async function read() {
  await Promise.all([knex("a"), knex("b")]);
  await Promise.all([prisma.order.findMany(), prisma.user.findMany()]);
  await prisma.$transaction([prisma.order.findMany(), prisma.user.findMany()]);
  await Promise.all([knex.transaction(async (trx) => { await trx("a"); }), knex.transaction(async (trx) => { await trx("b"); })]);
  const client = await pool.connect();
  await Promise.all([client.query("select 1"), client.query("select 2")]);
}
export const maybe = (trx?: Knex.Transaction) => Promise.all([save(trx), save(trx)]);
export const either = (db: Knex | Knex.Transaction) => Promise.all([db("a"), db("b")]);
export const client = (tx: Prisma.TransactionClient) => Promise.all([tx.order.findMany(), tx.user.findMany()]);
export const connection = (client: PoolClient) => Promise.all([client.query("a"), client.query("b")]);
declare function save(trx?: Knex.Transaction): Promise<void>;`,
  "two transactions": `${knex}
export async function move() {
  const from = await knex.transaction(); const to = await knex.transaction();
  await Promise.all([from("a").del(), to("a").insert({})]);
}`,
  "transactions whose operations are independent": `import { Firestore } from "@google-cloud/firestore"; const firestore = new Firestore();
export const place = () => firestore.runTransaction(async (tx) => {
  await Promise.all([tx.get(firestore.doc("a/1")), tx.get(firestore.doc("a/2"))]);
});`,
  "functions that run later": `${knex}
export async function place(rows: object[]) {
  const tasks = await knex.transaction(async (trx) => rows.map((row) => () => trx("a").insert(row)));
  return tasks;
}`,
  "a method outside the transaction": `import { Transactional, Propagation } from "typeorm-transactional"; import type { Repository } from "typeorm";
export class Orders {
  constructor(private readonly orders: Repository<object>) {}
  @Transactional({ propagation: Propagation.NEVER })
  async place() { await Promise.all([this.orders.save({}), this.orders.save({})]); }
  async other() { await Promise.all([this.orders.save({}), this.orders.save({})]); }
}`,
  "reads and objects in an ambient transaction": `import { Transactional } from "typeorm-transactional"; import type { Repository } from "typeorm";
export class Orders {
  constructor(private readonly orders: Repository<object>) {}
  @Transactional()
  async place(rows: object[]) {
    await Promise.all([this.orders.find(), this.orders.count()]);
    await Promise.all(rows.map((row) => this.orders.create(row)));
    await Promise.all([this.orders.save({}), this.orders.find()]);
  }
}`,
});

lintCases("Look-alikes", rule, {
  "a transaction of one's own": `const tracer = { transaction: async (work: (tx: { span(name: string): Promise<void> }) => Promise<void>) => { await work({ span: async (name) => { console.log(name); } }); } };
export const run = () => tracer.transaction(async (tx) => { await Promise.all([tx.span("a"), tx.span("b")]); });`,
  any: `export async function run(db: any) { await db.transaction(async (tx: any) => { await Promise.all([tx.a(), tx.b()]); }); }`,
  redis: `import { createClient } from "redis"; const redis = createClient();
export async function run() { const tx = redis.multi(); await Promise.all([tx.set("a", "1").exec(), tx.set("b", "1").exec()]); }`,
  "a Promise of one's own": `${knex} const Queue = { all: async (work: unknown[]) => work };
export const run = () => knex.transaction(async (trx) => { await Queue.all([trx("a"), trx("b")]); });`,
});
