import { noOuterClientInTransaction as rule } from "../../../rules/no-outer-client-in-transaction.js";
import { lintCases } from "../lint-cases.js";

lintCases("The client on which the transaction was opened", rule, {
  Prisma: `import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient();
export async function place(data: { id: string }) {
  await prisma.$transaction(async (tx) => {
    await tx.order.create({ data });
    await prisma.outbox.create({ data: {} as never }); // report client
    await Promise.all([tx.order.findMany(), prisma.order.findMany()]); // report client
    await prisma.$executeRaw\`select 1\`; // report client
    await prisma.$transaction(async (other) => { await other.order.findMany(); }); // report client
    const last = await prisma.order.findFirst().then((order) => order); // report client
    return prisma.order.count({ where: { id: last?.id ?? "" } }); // report client
  });
}
export const short = () => prisma.$transaction((tx) => prisma.order.findMany()); // report client`,
  "Prisma, extended": `import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient().$extends({});
export const place = (data: { id: string }) => prisma.$transaction(async (tx) => {
  await tx.order.create({ data });
  await prisma.order.findMany(); // report client
});`,
  "without the handle": `import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient();
export const place = (data: { id: string }) => prisma.$transaction(async () => {
  await prisma.order.create({ data }); // report client
});`,
  Drizzle: `import { drizzle } from "drizzle-orm/node-postgres"; import { pgTable, text } from "drizzle-orm/pg-core"; import { sql } from "drizzle-orm";
const table = pgTable("a", { id: text() }); const db = drizzle("x");
export async function place() {
  await db.transaction(async (tx) => {
    await tx.insert(table).values({ id: "1" });
    await db.insert(table).values({ id: "2" }); // report client typed
    await db.execute(sql\`select 1\`); // report client typed
    return db.select().from(table); // report client typed
  });
}`,
  Kysely: `import { Kysely } from "kysely"; const db = new Kysely<any>({} as never);
export async function place() {
  await db.transaction().setIsolationLevel("serializable").execute(async (trx) => {
    await trx.insertInto("a").values({}).execute();
    await db.insertInto("a").values({}).execute(); // report client
  });
  const trx = await db.startTransaction().execute();
  await db.insertInto("a").values({}).execute(); // report client
  await trx.commit().execute();
  await db.insertInto("a").values({}).execute();
}`,
  Knex: `import knexLib from "knex"; const knex = knexLib({});
export async function place() {
  await knex.transaction(async (trx) => {
    await trx("a").insert({});
    await knex("a").insert({}); // report client
    await knex.raw("select 1"); // report client
  });
  const trx = await knex.transaction();
  await knex("b").insert({}); // report client
  await trx.commit();
  await knex("c").insert({});
}`,
  TypeORM: `import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);
export async function place(order: object) {
  await dataSource.transaction(async (manager) => {
    await manager.save(order);
    await dataSource.manager.save(order); // report client typed
    await dataSource.getRepository("Order").save(order); // report client typed
    await dataSource.query("select 1"); // report client typed
  });
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.manager.save(order);
  await dataSource.manager.save(order); // report client typed
  await runner.commitTransaction();
  await dataSource.manager.save(order);
}`,
  "node-postgres": `import { Pool } from "pg"; const pool = new Pool();
export async function place() {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("insert into a values (1)");
    await pool.query("insert into b values (1)"); // report client
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally { client.release(); }
  await pool.query("insert into c values (1)");
}`,
  "mysql2 and mariadb": `import mysql from "mysql2/promise"; import * as mariadb from "mariadb"; const pool = mysql.createPool({}); const other = mariadb.createPool({});
export async function place() {
  const connection = await pool.getConnection();
  await connection.beginTransaction();
  await connection.query("insert");
  await pool.query("insert"); // report client
  await other.query("insert");
  await connection.commit();
  await pool.query("insert");
}
export async function store() {
  const connection = await other.getConnection();
  await connection.beginTransaction();
  await other.query("insert"); // report client
  await connection.commit();
}`,
  "Postgres.js": `import postgres from "postgres"; const db = postgres("x");
export async function place() {
  await db.begin(async (sql) => {
    await sql\`insert into a values (1)\`;
    await db\`insert into b values (1)\`; // report client
    await db.unsafe("select 1"); // report client
  });
}`,
  "pg-promise": `import pgp from "pg-promise"; const db = pgp()("x");
export const place = () => db.tx("place", async (t) => { await t.none("insert"); await db.none("insert"); }); // report client`,
  Slonik: `import { createPool, sql } from "slonik"; const pool = await createPool("x");
export const place = () => pool.transaction(async (trx) => {
  await trx.query(sql.unsafe\`insert\`);
  await pool.query(sql.unsafe\`insert\`); // report client
});`,
  "PGlite, which waits for itself": `import { PGlite } from "@electric-sql/pglite"; const db = new PGlite();
export const place = () => db.transaction(async (tx) => { await tx.query("insert"); await db.query("insert"); }); // report waits`,
  libSQL: `import { createClient } from "@libsql/client"; const client = createClient({ url: "x" });
export async function place() {
  const tx = await client.transaction("write");
  await tx.execute("insert");
  await client.execute("insert"); // report client
  await tx.commit();
}`,
});

lintCases("Statements that are not given the handle", rule, {
  Sequelize: `import { Sequelize, Model } from "sequelize"; const sequelize = new Sequelize("x"); class Order extends Model {}
export async function place() {
  await sequelize.transaction(async (t) => {
    const order = await Order.create({}, { transaction: t });
    await Order.create({}); // report statement typed
    await Order.findByPk(1); // report statement typed
    await Order.findOne({ where: { id: 1 } }); // report statement typed
    await order.update({ paid: true }); // report statement typed
    await order.save(); // report statement typed
    await sequelize.query("select 1"); // report statement typed
  });
  const t = await sequelize.transaction();
  await Order.update({}, { where: {} }); // report statement typed
  await Order.update({}, { where: {}, transaction: t });
  await t.commit();
  await Order.create({});
}`,
  MongoDB: `import { MongoClient } from "mongodb"; const client = new MongoClient("x"); const orders = client.db().collection("orders");
export async function place() {
  await client.withSession((session) => session.withTransaction(async () => {
    await orders.insertOne({}, { session });
    await orders.insertOne({}); // report statement typed
    await orders.updateOne({}, { $set: {} }); // report statement typed
    await orders.find({}).toArray(); // report statement typed
    await orders.find({}, { session }).toArray();
  }));
}`,
  Mongoose: `import mongoose, { model, Schema } from "mongoose"; const Order = model("Order", new Schema({}));
export async function place() {
  await mongoose.connection.transaction(async (session) => {
    await Order.create([{}], { session });
    await Order.create([{}]); // report statement typed
    await Order.findOne({}); // report statement typed
    await Order.findOne({}).session(session);
    await Order.updateOne({}, {}, { session });
    await Order.find({}, null, { session });
  });
  const session = await mongoose.startSession();
  session.startTransaction();
  await Order.insertMany([{}]); // report statement typed
  await session.commitTransaction();
}`,
  Objection: `import { Model } from "objection"; class Order extends Model { static tableName = "orders"; }
export async function place() {
  await Order.transaction(async (trx) => {
    const order = await Order.query(trx).insert({});
    await Order.query().insert({}); // report statement
    await order.$query().patch({}); // report statement typed
    await order.$query(trx).patch({});
    await Order.query().insert({}).transacting(trx);
    const Bound = Order.bindTransaction(trx);
    await Bound.query().insert({});
  });
}`,
  Firestore: `import { Firestore } from "@google-cloud/firestore"; const db = new Firestore();
export async function place() {
  const order = db.collection("orders").doc("1");
  await db.runTransaction(async (transaction) => {
    await transaction.get(order);
    transaction.set(order, {});
    await db.collection("audit").add({}); // report never
    await order.update({}); // report never
  });
}`,
});

lintCases("Through functions of the project", rule, {
  "with the client of the module": `import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient();
async function audit(event: string) { await prisma.outbox.create({ data: { event } as never }); }
export const place = (data: { id: string }) => prisma.$transaction(async (tx) => {
  await tx.order.create({ data });
  await audit("placed"); // report client
});`,
  "a handle that was forgotten": `import { PrismaClient, type Prisma } from "@prisma/client"; const prisma = new PrismaClient();
async function audit(event: string, db: Prisma.TransactionClient = prisma) { await db.outbox.create({ data: { event } as never }); }
async function log(event: string, tx?: Prisma.TransactionClient) { await (tx ?? prisma).outbox.create({ data: { event } as never }); }
async function note(event: string, options: { tx?: Prisma.TransactionClient } = {}) { const db = options.tx ?? prisma; await db.outbox.create({ data: { event } as never }); }
export const place = (data: { id: string }) => prisma.$transaction(async (tx) => {
  await tx.order.create({ data });
  await audit("placed", tx);
  await audit("placed"); // report client
  await log("placed", tx);
  await log("placed"); // report client
  await note("placed", { tx });
  await note("placed"); // report client
  await audit("placed", prisma); // report client
});`,
  "a query that a function makes": `import knexLib, { type Knex } from "knex"; const knex = knexLib({});
const orders = (db: Knex) => db("orders");
export const place = () => knex.transaction(async (trx) => {
  await orders(trx).insert({});
  await orders(knex).insert({}); // report client
  return orders(knex).first(); // report client
});`,
  "options that were forgotten": `import { Sequelize, Model, type CreateOptions } from "sequelize"; declare const sequelize: Sequelize; class Order extends Model {}
async function add(values: object, options?: CreateOptions) { await Order.create(values, { ...options, logging: false }); }
export const place = () => sequelize.transaction(async (transaction) => {
  await add({}, { transaction });
  await add({}); // report statement typed
  await add({}, { logging: true }); // report statement typed
});`,
  "a function that opens the transaction": `import knexLib, { type Knex } from "knex"; const knex = knexLib({});
async function inTransaction<T>(work: (trx: Knex.Transaction) => Promise<T>) { return knex.transaction(work); }
async function on<T>(db: Knex, work: (trx: Knex.Transaction) => Promise<T>) { return db.transaction(work); }
export async function place() {
  await inTransaction(async (trx) => {
    await trx("a").insert({});
    await knex("a").insert({}); // report client
  });
  await on(knex, async (trx) => {
    await trx("a").insert({});
    await knex("a").insert({}); // report client
  });
}`,
  "services that are injected": {
    "main.ts": `import { Injectable } from "@nestjs/common"; import { PrismaService, Audit } from "./services.js";
@Injectable()
export class Orders {
  constructor(private readonly prisma: PrismaService, private readonly audit: Audit) {}
  async place(data: { id: string }) {
    await this.prisma.$transaction(async (tx) => {
      await tx.order.create({ data });
      await this.prisma.order.findMany(); // report client typed
      await this.audit.log("placed"); // report client typed
      await this.audit.log("placed", tx);
    });
  }
}`,
    "services.ts": `import { Injectable } from "@nestjs/common"; import { PrismaClient, type Prisma } from "@prisma/client";
@Injectable() export class PrismaService extends PrismaClient {}
@Injectable()
export class Audit {
  constructor(private readonly prisma: PrismaService) {}
  async log(event: string, tx?: Prisma.TransactionClient) {
    const db = tx ?? this.prisma;
    await db.outbox.create({ data: { event } as never });
  }
}`,
  },
  "a store that was made with the client": `import { Kysely } from "kysely"; const db = new Kysely<any>({} as never);
class Store { constructor(private readonly db: Kysely<any>) {} async add() { await this.db.insertInto("a").values({}).execute(); } }
const store = new Store(db);
export const place = () => db.transaction().execute(async (trx) => {
  await new Store(trx).add();
  await store.add(); // report client
});`,
});
