import { noOuterClientInTransaction as rule } from "../../../rules/no-outer-client-in-transaction.js";
import { lintCases } from "../lint-cases.js";

const prisma = `import { PrismaClient, type Prisma } from "@prisma/client"; const prisma = new PrismaClient();`;
const knex = `import knexLib, { type Knex } from "knex"; const knex = knexLib({});`;

lintCases("Statements over the handle", rule, {
  "directly, and with the client's name": `${prisma}
export const place = (data: { id: string }) => prisma.$transaction(async (tx) => {
  await tx.order.create({ data });
  const { order } = tx;
  await order.findMany();
});
export const shadowed = (data: { id: string }) => prisma.$transaction(async (prisma) => { await prisma.order.create({ data }); });`,
  "in functions that are handed it": `${prisma}
type Db = Prisma.TransactionClient;
async function add(data: { id: string }, db: Db = prisma) { await db.order.create({ data }); }
async function log(db: Db | undefined, data: { id: string }) { const client = db ?? prisma; await client.order.create({ data }); }
async function note(data: { id: string }, options?: { tx?: Db }) { const client = options?.tx ?? prisma; await client.order.create({ data }); }
async function both(data: { id: string }, db?: Db) { if (db) await db.order.create({ data }); else await prisma.order.create({ data }); }
class Orders { constructor(private readonly db: Db = prisma) {} async add(data: { id: string }) { await this.db.order.create({ data }); } }
export const place = (data: { id: string }) => prisma.$transaction(async (tx) => {
  await add(data, tx); await log(tx, data); await note(data, { tx }); await both(data, tx);
  await new Orders(tx).add(data);
});`,
  "a query that is only a part of another": `${knex} import { Kysely } from "kysely"; const db = new Kysely<any>({} as never);
export async function place() {
  await knex.transaction(async (trx) => {
    await trx("a").whereIn("id", knex("b").select("id")).update({ at: knex.fn.now(), name: knex.raw("upper(name)") });
    await trx("a").insert(knex.ref("x"));
    await knex("a").transacting(trx).insert({});
    const part = knex("b").select("id");
    await trx.from(part.as("b"));
  });
  await db.transaction().execute(async (trx) => {
    await trx.insertInto("a").expression(db.selectFrom("b").select("id")).execute();
    db.selectFrom("c").compile();
  });
}`,
  "a query that a function makes, given the handle by its caller": `${knex}
const orders = (db: Knex) => db("orders");
export const place = () => knex.transaction(async (trx) => {
  await orders(knex).insert({}).transacting(trx);
  await trx("a").whereIn("id", orders(knex).select("id"));
});`,
  "what sends nothing": `${prisma} ${knex}
export async function place() {
  await prisma.$transaction(async (tx) => { await prisma.$disconnect(); await tx.order.findMany(); });
  await knex.transaction(async () => { await knex.destroy(); console.log(knex.client); });
}`,
});

lintCases("Handles that are declared before they are there", rule, {
  "options of Sequelize, written out or made before": `import { Model, Sequelize, type Transaction } from "sequelize"; class Order extends Model {}
export class Orders {
  private open?: Transaction;
  constructor(private readonly sequelize: Sequelize) {}
  async place() {
    let t: Transaction | undefined;
    try {
      t = await this.sequelize.transaction();
      await this.sequelize.query("x", { transaction: t });
      await Order.create({}, { transaction: t });
      await t.commit();
    } catch (error) { if (t) await t.rollback(); throw error; }
  }
  async ship() {
    const t = await this.sequelize.transaction();
    const options = { transaction: t };
    await this.sequelize.query("x", options);
    await t.commit();
  }
  async keep() {
    this.open = await this.sequelize.transaction();
    await this.sequelize.query("x", { transaction: this.open });
    await this.open.commit();
  }
}`,
  "a query builder that is given it": `${knex}
async function add(trx: Knex.Transaction) { await knex("b").insert({}).transacting(trx); }
export async function place() {
  let trx: Knex.Transaction | undefined;
  try {
    trx = await knex.transaction();
    await knex("a").insert({}).transacting(trx);
    await add(trx);
    await trx.commit();
  } catch (error) { await trx?.rollback(); throw error; }
}`,
});

lintCases("Statements that are not inside", rule, {
  "before, after and around": `${prisma}
export async function place(data: { id: string }) {
  const known = await prisma.order.findMany();
  const order = await prisma.$transaction(async (tx) => tx.order.create({ data }));
  await prisma.order.findMany({ where: { id: order.id + String(known.length) } });
  return prisma.$transaction([prisma.order.create({ data }), prisma.order.create({ data })]);
}`,
  "what records a failure": `${prisma}
export const place = (data: { id: string }) => prisma.$transaction(async (tx) => {
  try { await tx.order.create({ data }); }
  catch (error) { await prisma.outbox.create({ data: {} as never }); throw error; }
});`,
  "after the commit": `import { Sequelize, Model } from "sequelize"; declare const sequelize: Sequelize; class Order extends Model {}
export const place = () => sequelize.transaction(async (t) => {
  await Order.create({}, { transaction: t });
  t.afterCommit(async () => { await Order.findAll(); await sequelize.query("select 1"); });
});`,
  "what nobody waits for": `${prisma}
async function log() { await prisma.order.findMany(); }
export const place = (data: { id: string }) => prisma.$transaction(async (tx) => {
  await tx.order.create({ data });
  void log();
  log().catch(() => undefined);
});`,
  "one of several implementations": `${prisma}
interface Log { add(): Promise<void>; }
class Rows implements Log { async add() { await prisma.order.findMany(); } }
class Lines implements Log { async add() { console.log("line"); } }
export const logs = [new Rows(), new Lines()];
export const place = (data: { id: string }, log: Log) => prisma.$transaction(async (tx) => { await tx.order.create({ data }); await log.add(); });`,
  "functions that are kept or returned": `${prisma}
const later: (() => Promise<unknown>)[] = [];
export const place = (data: { id: string }) => prisma.$transaction(async (tx) => {
  await tx.order.create({ data });
  later.push(() => prisma.order.findMany());
  return () => prisma.order.findMany();
});`,
  "begun and over": `${knex} import { Pool } from "pg"; const pool = new Pool();
export async function place() {
  await knex("a").insert({});
  const trx = await knex.transaction();
  try { await trx("a").insert({}); await trx.commit(); } catch (error) { await trx.rollback(); throw error; }
  await knex("a").insert({});
}
export async function store() {
  const client = await pool.connect();
  await client.query("BEGIN"); await client.query("COMMIT");
  await pool.query("select 1");
}`,
});

lintCases("Another database, or nobody knows which", rule, {
  "another client": `${prisma} const replica = new PrismaClient(); ${knex} const reports = knexLib({});
export const place = (data: { id: string }) => prisma.$transaction(async (tx) => {
  await tx.order.create({ data });
  await replica.order.findMany(); await knex("audit").insert({});
});
export const report = () => knex.transaction(async (trx) => { await trx("a").insert({}); await reports("b").insert({}); });`,
  "two clients of one type in a class": `import type { PrismaClient } from "@prisma/client";
export class Orders {
  constructor(private readonly prisma: PrismaClient, private readonly replica: PrismaClient) {}
  async place(data: { id: string }) {
    await this.prisma.$transaction(async (tx) => { await tx.order.create({ data }); await this.replica.order.findMany(); });
  }
}`,
  "a client that may be the handle": `${prisma}
export async function place(data: { id: string }, tx?: Prisma.TransactionClient) {
  let db: Prisma.TransactionClient = prisma;
  if (tx) db = tx;
  await db.order.create({ data });
  await prisma.$transaction(async (inner) => { db = inner; await db.order.create({ data }); });
}`,
  "a client that chooses by itself": {
    "main.ts": `import { db } from "./db.js";
export const place = (data: { id: string }) => db.$transaction(async (tx) => { await tx.order.create({ data }); await db.order.findMany(); });`,
    "db.ts": `import { AsyncLocalStorage } from "node:async_hooks"; import { PrismaClient, type Prisma } from "@prisma/client";
const open = new AsyncLocalStorage<Prisma.TransactionClient>(); const client = new PrismaClient();
export const db = new Proxy(client, { get: (target, key) => Reflect.get(open.getStore() ?? target, key) });`,
  },
  "an ambient wrapper": {
    "main.ts": `import { prisma, inTransaction } from "./db.js";
export const place = (data: { id: string }) => inTransaction(async () => { await prisma.order.create({ data }); });`,
    "db.ts": `import { PrismaClient } from "@prisma/client";
export const prisma = new PrismaClient();
export const inTransaction = <T>(work: () => Promise<T>) => prisma.$transaction(async () => work());`,
  },
  "a decorated method": `import { Transactional } from "@nestjs-cls/transactional"; import { PrismaClient } from "@prisma/client";
export class Orders {
  constructor(private readonly prisma: PrismaClient) {}
  @Transactional() async place(data: { id: string }) { await this.prisma.order.create({ data }); }
}`,
  "MikroORM, whose global manager is the fork": `import { MikroORM } from "@mikro-orm/core"; declare const orm: MikroORM;
export const place = () => orm.em.transactional(async (em) => { await em.flush(); await orm.em.flush(); });`,
  "a client with one connection": `import Database from "better-sqlite3"; import { drizzle } from "drizzle-orm/better-sqlite3"; import { sqliteTable, text } from "drizzle-orm/sqlite-core";
const sqlite = new Database("x"); const db = drizzle(sqlite); const table = sqliteTable("a", { id: text() });
export const place = sqlite.transaction(() => { sqlite.prepare("insert").run(); });
export const store = () => db.transaction((tx) => { tx.insert(table).values({ id: "1" }).run(); return db.select().from(table).all(); });`,
  "a nested transaction": `${knex}
export const place = () => knex.transaction(async (trx) => {
  await trx.transaction(async (inner) => { await inner("a").insert({}); await trx("b").insert({}); });
});`,
});

lintCases("Options that come from elsewhere", rule, {
  "a context that is given the handle later": `import { Sequelize, Model, type Transaction } from "sequelize"; declare const sequelize: Sequelize; class Order extends Model {}
const makeContext = () => ({ options: {} as { transaction?: Transaction } });
async function add(context: ReturnType<typeof makeContext>) { await Order.create({}, { ...context.options }); await Order.create({}, { transaction: context.options.transaction }); }
export const place = () => sequelize.transaction(async (t) => {
  const context = makeContext();
  context.options.transaction = t;
  await add(context);
  await Order.create({}, context.options);
});`,
});

lintCases("What looks like a transaction and is none", rule, {
  "a connection, a task, a session": `import { Kysely } from "kysely"; import pgp from "pg-promise"; import { MongoClient } from "mongodb"; import { createPool, sql } from "slonik"; declare const db: Kysely<any>; const promised = pgp()("x"); declare const mongo: MongoClient; const pool = await createPool("x");
export async function run() {
  await db.connection().execute(async (one) => { await one.selectFrom("a").execute(); await db.selectFrom("a").execute(); });
  await promised.task(async (t) => { await t.any("select 1"); await promised.any("select 1"); });
  await mongo.withSession(async () => { await mongo.db().collection("a").insertOne({}); });
  await pool.connect(async (one) => { await one.query(sql.unsafe\`select 1\`); await pool.query(sql.unsafe\`select 1\`); });
}`,
  "lists of queries": `import { neon } from "@neondatabase/serverless"; import { createClient } from "@libsql/client"; const sql = neon("x"); const client = createClient({ url: "x" });
export async function run() {
  await sql.transaction([sql\`select 1\`, sql\`select 2\`]);
  await client.batch(["select 1"]);
  await client.execute("select 1");
}`,
  "a batch of Firestore": `import { Firestore } from "@google-cloud/firestore"; const db = new Firestore();
export async function run() { const batch = db.batch(); batch.set(db.doc("a/1"), {}); await db.collection("a").add({}); await batch.commit(); }`,
});

lintCases("Look-alikes", rule, {
  "a transaction of one's own": `const tracer = { transaction: async (work: (tx: { end(): Promise<void> }) => Promise<void>) => { await work({ end: async () => undefined }); }, flush: async () => undefined };
export const run = () => tracer.transaction(async (tx) => { await tx.end(); await tracer.flush(); });`,
  any: `export async function run(db: any) { await db.transaction(async (tx: any) => { await tx.a(); await db.b(); }); }`,
  "other work": `${prisma}
export const place = (data: { id: string }) => prisma.$transaction(async (tx) => {
  await tx.order.create({ data }); await fetch("https://x.example"); await Promise.resolve(prisma);
});`,
  "Redis' MULTI": `import { Redis } from "ioredis"; const redis = new Redis();
export async function run() { const multi = redis.multi(); multi.set("a", "1"); await redis.get("b"); await multi.exec(); }`,
});
