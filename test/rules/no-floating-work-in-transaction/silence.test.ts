import { noFloatingWorkInTransaction as rule } from "../../../rules/no-floating-work-in-transaction.js";
import { lintCases } from "../lint-cases.js";

const knex = `import knexLib, { type Knex } from "knex"; const knex = knexLib({});`;

lintCases("Work that is waited for", rule, {
  "awaited, returned, kept": `${knex}
async function save(trx: Knex.Transaction) { await trx("a").insert({}); }
export async function place() {
  await knex.transaction(async (trx) => {
    await save(trx);
    const later = save(trx);
    await Promise.all([save(trx)]);
    const query = trx("a").select();
    query.where({ id: 1 });
    await query; await later;
    return save(trx);
  });
  await knex.transaction((trx) => save(trx));
}`,
  "a callback that commits by itself": `${knex}
export const place = () => new Promise((resolve, reject) => {
  knex.transaction((trx) => { trx("a").insert({}).then(trx.commit).catch(trx.rollback); }).then(resolve, reject);
});
export async function byHand() {
  await knex.transaction((trx) => { trx("a").insert({}).then(() => trx.commit(), () => trx.rollback()); });
}`,
  "calls that give no promise": `import { Sequelize } from "sequelize"; import { DataSource } from "typeorm"; ${knex} const sequelize = new Sequelize("x"); const dataSource = new DataSource({} as never);
function note(trx: Knex.Transaction) { console.log(trx.isCompleted()); }
export async function place() {
  await sequelize.transaction(async (t) => { t.afterCommit(() => undefined); });
  await dataSource.transaction(async (manager) => { manager.create("Order", {}); manager.getRepository("Order"); });
  await knex.transaction(async (trx) => { trx.on("query", () => undefined); note(trx); console.log(trx); });
}`,
  "other work": `${knex}
async function ping() { await fetch("https://x.example"); }
export async function place() {
  await knex.transaction(async (trx) => {
    void ping();
    fetch("https://x.example").then();
    setTimeout(() => { void ping(); }, 100);
    setTimeout(() => { void knex("a").insert({}); }, 100);
    await trx("a").insert({});
  });
}`,
  "outside a transaction": `import { PrismaClient, type Prisma } from "@prisma/client"; import type { PoolClient } from "pg"; ${knex} const prisma = new PrismaClient();
export async function run(client: PoolClient, trx?: Knex.Transaction) {
  knex("a").insert({}).then();
  prisma.order.findMany().then();
  client.query("select 1");
  save(trx);
}
export async function client(tx: Prisma.TransactionClient) { tx.order.findMany().then(); }
async function save(trx?: Knex.Transaction) { await trx?.("a").insert({}); }`,
  "after the commit": `import { Pool } from "pg"; const pool = new Pool();
export async function place() {
  const client = await pool.connect();
  await client.query("BEGIN"); await client.query("COMMIT");
  client.query("select 1");
}`,
  "a timer that is waited for, or kept": `${knex}
export async function place() {
  await knex.transaction(async (trx) => {
    await new Promise<void>((resolve) => { setTimeout(() => { trx("a").insert({}).then(() => { resolve(); }); }, 10); });
    const watch = setTimeout(() => { void trx.rollback(); }, 1000);
    await trx("a").insert({});
    clearTimeout(watch);
  });
}`,
  "functions that run later, and those of others": `${knex}
const hooks: (() => void)[] = [];
export async function place(onCommit: (hook: () => Promise<void>) => void) {
  await knex.transaction(async (trx) => {
    onCommit(async () => { trx("a").insert({}).then(); });
    hooks.push(() => { void trx("a").insert({}); });
  });
}`,
  "started side by side is the matter of another rule": `${knex}
export async function place(rows: object[]) { await knex.transaction(async (trx) => { rows.forEach(async (row) => { await trx("a").insert(row); }); }); }`,
  "a method outside the transaction": `import { Transactional, Propagation } from "typeorm-transactional"; import type { Repository } from "typeorm";
export class Orders {
  constructor(private readonly orders: Repository<object>) {}
  @Transactional({ propagation: Propagation.NOT_SUPPORTED })
  async place() { this.orders.save({}); }
  @Transactional()
  async read() { this.orders.find(); this.orders.create({}); await this.orders.save({}); }
}`,
});

lintCases("Look-alikes", rule, {
  "a transaction of one's own": `const tracer = { transaction: async (work: (tx: { span(name: string): Promise<void> }) => Promise<void>) => { await work({ span: async (name) => { console.log(name); } }); } };
export const run = () => tracer.transaction(async (tx) => { tx.span("a"); });`,
  any: `export async function run(db: any) { await db.transaction(async (tx: any) => { tx.a(); save(tx); }); }
async function save(tx: any) { await tx.b(); }`,
  "a timer of one's own": `${knex} function setTimeout(work: () => unknown) { work(); }
export async function place() { await knex.transaction(async (trx) => { setTimeout(() => { trx.isCompleted(); }); }); }`,
  "what waits for the end of the transaction": `import knexLib from "knex"; import { Queue } from "bullmq"; const knex = knexLib({}); const queue = new Queue("mail");
export const place = () => knex.transaction(async (trx) => {
  await trx("orders").insert({});
  void trx.executionPromise.then(() => queue.add("mail", {}));
  trx.executionPromise.then(() => queue.add("mail", {})).catch(() => undefined);
});`,
});
