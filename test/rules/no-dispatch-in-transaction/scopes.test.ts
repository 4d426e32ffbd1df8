import { noDispatchInTransaction as rule } from "../../../rules/no-dispatch-in-transaction.js";
import { lintCases } from "../lint-cases.js";

const queue = `import { Queue } from "bullmq"; const queue = new Queue("mail");`;

lintCases("P7: a function that is handed a transaction's handle", rule, {
  Drizzle: `${queue}
import type { PgTransaction } from "drizzle-orm/pg-core";
export async function addOrder(tx: PgTransaction<any, any, any>) {
  await queue.add("mail", {}); // report
}`,
  Kysely: `${queue}
import type { Transaction } from "kysely";
export async function addOrder(trx: Transaction<any>) {
  await queue.add("mail", {}); // report
}`,
  Knex: `${queue}
import type { Knex } from "knex";
export async function addOrder(trx: Knex.Transaction, id: number) {
  await trx("orders").insert({ id });
  await queue.add("mail", { id }); // report
}`,
  Objection: `${queue}
import type { Transaction } from "objection";
export async function addOrder(trx: Transaction) {
  await queue.add("mail", {}); // report
}`,
  "postgres.js": `${queue}
import type postgres from "postgres";
export async function addOrder(sql: postgres.TransactionSql) {
  await queue.add("mail", {}); // report
}`,
  Slonik: `${queue}
import type { DatabaseTransactionConnection } from "slonik";
export async function addOrder(trx: DatabaseTransactionConnection) {
  await queue.add("mail", {}); // report
}`,
  Sequelize: `${queue}
import type { Transaction } from "sequelize";
export async function addOrder(t: Transaction) {
  await queue.add("mail", {}); // report
}`,
  Firestore: `${queue}
import type { Transaction } from "@google-cloud/firestore";
export async function addOrder(t: Transaction) {
  await queue.add("mail", {}); // report
}`,
  Lucid: `${queue}
import type { TransactionClientContract } from "@adonisjs/lucid/types/database";
export async function addOrder(trx: TransactionClientContract) {
  await queue.add("mail", {}); // report
}`,
  libsql: `${queue}
import type { Transaction } from "@libsql/client";
export async function addOrder(tx: Transaction) {
  await queue.add("mail", {}); // report
}`,
  PGlite: `${queue}
import type { Transaction } from "@electric-sql/pglite";
export async function addOrder(tx: Transaction) {
  await queue.add("mail", {}); // report
}`,
  "types that a client or pool has as well prove nothing": `${queue}
import type { Prisma } from "@prisma/client"; import type { EntityManager } from "typeorm"; import type { EntityManager as Em } from "@mikro-orm/core";
import type { ClientSession } from "mongodb"; import type { ITask } from "pg-promise"; import type { PoolClient } from "pg";
export async function prisma(tx: Prisma.TransactionClient) { await queue.add("mail", {}); }
export async function typeorm(manager: EntityManager) { await queue.add("mail", {}); }
export async function mikro(em: Em) { await queue.add("mail", {}); }
export async function mongo(session: ClientSession) { await queue.add("mail", {}); }
export async function promise(t: ITask<{}>) { await queue.add("mail", {}); }
export async function pool(client: PoolClient) { await queue.add("mail", {}); }`,
  "a handle that need not be given proves nothing": `${queue}
import type { Knex } from "knex";
export async function addOrder(id: number, trx?: Knex.Transaction) {
  await queue.add("mail", { id });
}
export async function addLine(id: number, trx: Knex.Transaction | undefined) {
  await queue.add("mail", { id });
}
export async function addNote(id: number, trx: Knex | Knex.Transaction) {
  await queue.add("mail", { id });
}`,
});

lintCases("P8: a decorator on the method", rule, {
  "typeorm-transactional": `${queue}
import { Transactional, Propagation } from "typeorm-transactional";
export class Orders {
  @Transactional({ propagation: Propagation.REQUIRED })
  async place() {
    await queue.add("mail", {}); // report
  }
  @Transactional({ propagation: Propagation.NOT_SUPPORTED })
  async outside() { await queue.add("mail", {}); }
  @Transactional({ propagation: Propagation.NEVER })
  async never() { await queue.add("mail", {}); }
  @Transactional({ propagation: Propagation.SUPPORTS })
  async unknown() { await queue.add("mail", {}); }
}`,
  "typeorm-transactional-cls-hooked": `${queue}
import { Transactional } from "typeorm-transactional-cls-hooked";
export class Orders {
  @Transactional()
  async place() {
    await queue.add("mail", {}); // report
  }
}`,
  "@nestjs-cls/transactional": `${queue}
import { Transactional, Propagation } from "@nestjs-cls/transactional";
export class Orders {
  @Transactional("other", Propagation.RequiresNew)
  async place() {
    await queue.add("mail", {}); // report
  }
  @Transactional(Propagation.Never)
  async outside() { await queue.add("mail", {}); }
}`,
  "MikroORM 6": `${queue}
import { Transactional } from "@mikro-orm/core";
export class Orders {
  @Transactional()
  async place() {
    await queue.add("mail", {}); // report
  }
}`,
  "MikroORM 7": `${queue}
import { Transactional } from "@mikro-orm/decorators/legacy";
export class Orders {
  @Transactional()
  async place() {
    await queue.add("mail", {}); // report
  }
}`,
  "sequelize-transactional-decorator, @transactional/core": `${queue}
import { Transactional } from "sequelize-transactional-decorator"; import { Transactional as Tx } from "@transactional/core";
export class Orders {
  @Transactional()
  async place() {
    await queue.add("mail", {}); // report
  }
  @Tx()
  async other() {
    await queue.add("mail", {}); // report
  }
}`,
  remult: `${queue}
import { BackendMethod } from "remult";
export class Orders {
  @BackendMethod({ allowed: true })
  static async place() {
    await queue.add("mail", {}); // report
  }
  @BackendMethod({ allowed: true, transactional: false })
  static async outside() { await queue.add("mail", {}); }
}`,
  "through an injected service": {
    "main.ts": `import { Transactional } from "typeorm-transactional"; import { Mailer } from "./mailer.js";
export class Orders {
  constructor(private readonly mailer: Mailer) {}
  @Transactional()
  async place() {
    await this.mailer.welcome(1); // report typed
  }
}`,
    "mailer.ts": `import { InjectQueue } from "@nestjs/bullmq"; import type { Queue } from "bullmq";
export class Mailer {
  constructor(@InjectQueue("mail") private readonly queue: Queue) {}
  async welcome(id: number) { await this.queue.add("welcome", { id }); }
}`,
  },
});

lintCases("P9: a decorator with its hook", rule, {
  "typeorm-transactional": `${queue}
import { Transactional, runOnTransactionCommit, runOnTransactionComplete, runOnTransactionRollback } from "typeorm-transactional";
export class Orders {
  @Transactional()
  async place() {
    runOnTransactionCommit(() => queue.add("mail", {}));
    runOnTransactionRollback(() => void queue.add("mail", {}));
    runOnTransactionComplete(() => void queue.add("mail", {}));
  }
}`,
});

lintCases("P11: begin and commit on the same receiver", rule, {
  pg: `${queue}
import { Pool } from "pg"; const pool = new Pool();
export async function place() {
  const client = await pool.connect();
  await queue.add("mail", {});
  try {
    await client.query("BEGIN");
    await client.query("insert into orders default values");
    await queue.add("mail", {}); // report
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
  await queue.add("mail", {});
}`,
  "mysql2, mariadb": `${queue}
import mysql from "mysql2/promise"; import mariadb from "mariadb"; const pool = mysql.createPool("x"); const maria = mariadb.createPool("x");
export async function one() {
  const connection = await pool.getConnection();
  await connection.beginTransaction();
  await queue.add("mail", {}); // report
  await connection.commit();
  await queue.add("mail", {});
}
export async function two() {
  const connection = await maria.getConnection();
  await connection.beginTransaction();
  await queue.add("mail", {}); // report
  await connection.rollback();
  await queue.add("mail", {});
}`,
  "TypeORM's query runner": `${queue}
import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);
export async function place() {
  const runner = dataSource.createQueryRunner();
  await runner.connect();
  await runner.startTransaction();
  try {
    await runner.manager.save({});
    await queue.add("mail", {}); // report
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  } finally {
    await runner.release();
  }
  await queue.add("mail", {});
}`,
  MikroORM: `${queue}
import type { EntityManager } from "@mikro-orm/core";
export async function place(em: EntityManager) {
  await em.begin();
  try {
    await queue.add("mail", {}); // report
    await em.commit();
  } catch (error) {
    await em.rollback();
    throw error;
  }
  await queue.add("mail", {});
}`,
  mssql: `${queue}
import sql from "mssql";
export async function place(pool: sql.ConnectionPool) {
  const transaction = new sql.Transaction(pool);
  await transaction.begin();
  await queue.add("mail", {}); // report
  await transaction.commit();
  await queue.add("mail", {});
}`,
  LoopBack: `${queue}
import { DefaultTransactionalRepository } from "@loopback/repository";
export class Orders extends DefaultTransactionalRepository<any, any, any> {
  async place() {
    const tx = await this.beginTransaction({});
    await queue.add("mail", {}); // report
    await tx.commit();
    await queue.add("mail", {});
  }
}`,
  "a session of MongoDB": `${queue}
import { MongoClient } from "mongodb"; const client = new MongoClient("x");
export async function place() {
  const session = client.startSession();
  session.startTransaction();
  await queue.add("mail", {}); // report
  await session.commitTransaction();
  await queue.add("mail", {});
}`,
  "what runs before a branch decides is inside, what runs after every branch has ended is not": `${queue}
import { Pool } from "pg"; const pool = new Pool();
export async function place(isDry: boolean) {
  const client = await pool.connect();
  await client.query("BEGIN");
  if (isDry) {
    await client.query("ROLLBACK");
    await queue.add("dry", {});
    return;
  }
  await queue.add("mail", {}); // report
  await client.query("COMMIT");
  await queue.add("mail", {});
}`,
});

lintCases("P12: a dispatch after COMMIT in the same try is not inside", rule, {
  TypeORM: `${queue}
import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);
export async function place() {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  try {
    await runner.commitTransaction();
    await queue.add("mail", {});
  } catch {
    await runner.rollbackTransaction();
  }
}`,
});

lintCases("P13: the handle comes from an awaited call", rule, {
  Knex: `${queue}
import knexLib from "knex"; const knex = knexLib({});
export async function place() {
  const trx = await knex.transaction();
  await trx("orders").insert({});
  await queue.add("mail", {}); // report
  await trx.commit();
  await trx.executionPromise;
  await queue.add("mail", {});
}`,
  "Knex's provider": `${queue}
import knexLib from "knex"; const knex = knexLib({});
export async function place() {
  const provide = knex.transactionProvider();
  const trx = await provide();
  await queue.add("mail", {}); // report
  await trx.commit();
  await queue.add("mail", {});
}`,
  Sequelize: `${queue}
import { Sequelize } from "sequelize"; const sequelize = new Sequelize("x");
export async function place() {
  const t = await sequelize.transaction();
  try {
    await queue.add("mail", {}); // report
    await t.commit();
  } catch (error) {
    await t.rollback();
    throw error;
  }
  await queue.add("mail", {});
}`,
  Objection: `${queue}
import { Model } from "objection"; class Order extends Model {}
export async function place() {
  const trx = await Order.startTransaction();
  await queue.add("mail", {}); // report
  await trx.commit();
  await queue.add("mail", {});
}`,
  Kysely: `${queue}
import { Kysely } from "kysely"; const db = new Kysely<any>({} as never);
export async function place() {
  const trx = await db.startTransaction().execute();
  await queue.add("mail", {}); // report
  await trx.commit().execute();
  await queue.add("mail", {});
}`,
  Lucid: `${queue}
import db from "@adonisjs/lucid/services/db";
export async function place() {
  const trx = await db.transaction();
  await queue.add("mail", {}); // report
  await trx.commit();
  await queue.add("mail", {});
}`,
  libsql: `${queue}
import { createClient } from "@libsql/client"; const client = createClient({ url: "file:x" });
export async function place() {
  const tx = await client.transaction("write");
  await queue.add("mail", {}); // report
  await tx.commit();
  await queue.add("mail", {});
}`,
  "Sequelize 7": `${queue}
import { Sequelize } from "@sequelize/core"; const sequelize = new Sequelize({} as never);
export async function place() {
  const t = await sequelize.startUnmanagedTransaction();
  await queue.add("mail", {}); // report
  await t.commit();
  await queue.add("mail", {});
}`,
});

lintCases("P14: a commit that was not run ends nothing", rule, {
  "Kysely: `commit()` only builds the command": `${queue}
import { Kysely } from "kysely"; const db = new Kysely<any>({} as never);
export async function place() {
  const trx = await db.startTransaction().execute();
  await trx.commit();
  await queue.add("mail", {}); // report
}`,
  "a commit that is run and may be a lie is another rule's business": `${queue}
import knexLib from "knex"; const knex = knexLib({});
export async function place() {
  const trx = await knex.transaction();
  await trx.commit();
  await queue.add("mail", {});
}
export const run = () => knex.transaction(async (trx) => { await trx.rollback(); }).then(() => queue.add("mail", {}));`,
});

lintCases("P15: begin and commit as SQL text", rule, {
  "better-sqlite3, node:sqlite, PGlite": `${queue}
import Database from "better-sqlite3"; import { DatabaseSync } from "node:sqlite"; import { PGlite } from "@electric-sql/pglite";
const db = new Database("x"); const sync = new DatabaseSync("x"); const lite = new PGlite();
export function one() {
  db.exec("BEGIN IMMEDIATE");
  void queue.add("mail", {}); // report
  db.exec("COMMIT");
  void queue.add("mail", {});
}
export function two() {
  db.prepare("BEGIN").run();
  void queue.add("mail", {}); // report
  db.prepare("COMMIT").run();
  void queue.add("mail", {});
}
export function three() {
  sync.exec("begin");
  void queue.add("mail", {}); // report
  sync.exec("rollback");
  void queue.add("mail", {});
}
export async function four() {
  await lite.exec("BEGIN");
  await queue.add("mail", {}); // report
  await lite.exec("END");
  await queue.add("mail", {});
}`,
  "mysql2, Neon's client, pg with a query object": `${queue}
import mysql from "mysql2/promise"; import { Pool as NeonPool } from "@neondatabase/serverless"; import { Client } from "pg";
const pool = mysql.createPool("x"); const neon = new NeonPool(); const client = new Client();
export async function one() {
  const connection = await pool.getConnection();
  await connection.query("START TRANSACTION");
  await queue.add("mail", {}); // report
  await connection.query("COMMIT");
}
export async function two() {
  const connection = await neon.connect();
  await connection.query("BEGIN");
  await queue.add("mail", {}); // report
  await connection.query("COMMIT");
}
export async function three() {
  await client.query({ text: "begin isolation level serializable" });
  await queue.add("mail", {}); // report
  await client.query("ROLLBACK TO SAVEPOINT a");
  await queue.add("mail", {}); // report
  await client.query({ text: "commit" });
  await queue.add("mail", {});
}`,
  "a reserved connection of postgres.js, a client of @vercel/postgres": `${queue}
import postgres from "postgres"; import { db } from "@vercel/postgres"; const sql = postgres("x");
export async function one() {
  const reserved = await sql.reserve();
  await reserved\`begin\`;
  await queue.add("mail", {}); // report
  await reserved\`commit\`;
  await queue.add("mail", {});
}
export async function two() {
  const client = await db.connect();
  await client.sql\`BEGIN\`;
  await queue.add("mail", {}); // report
  await client.sql\`COMMIT\`;
  await queue.add("mail", {});
}`,
  "a pool may use another connection for each statement": `${queue}
import { Pool } from "pg"; import postgres from "postgres"; import mysql from "mysql2/promise"; import { PrismaClient } from "@prisma/client";
const pool = new Pool(); const sql = postgres("x"); const my = mysql.createPool("x"); const prisma = new PrismaClient();
export async function one() { await pool.query("BEGIN"); await queue.add("mail", {}); await pool.query("COMMIT"); }
export async function two() { await sql\`BEGIN\`; await queue.add("mail", {}); await sql\`COMMIT\`; }
export async function three() { await my.query("START TRANSACTION"); await queue.add("mail", {}); await my.query("COMMIT"); }
export async function four() { await prisma.$executeRaw\`BEGIN\`; await queue.add("mail", {}); await prisma.$executeRaw\`COMMIT\`; }
export async function five() { await prisma.$executeRawUnsafe("BEGIN"); await queue.add("mail", {}); await prisma.$executeRawUnsafe("COMMIT"); }`,
});

lintCases("P18: life-cycle hooks of ORMs", rule, {
  "TypeORM's subscribers and listeners run inside the transaction of `save`": `${queue}
import { EventSubscriber, Entity, AfterInsert, type EntitySubscriberInterface, type InsertEvent } from "typeorm";
@EventSubscriber()
export class Audit implements EntitySubscriberInterface {
  async afterInsert(event: InsertEvent<object>) {
    await queue.add("mail", {}); // report hook
  }
  async afterTransactionCommit() { await queue.add("mail", {}); }
}
@Entity()
export class Order {
  @AfterInsert()
  async notify() {
    await queue.add("mail", {}); // report hook
  }
}`,
  "MikroORM's subscribers run inside the transaction of `flush`": `${queue}
import type { EventSubscriber, EventArgs } from "@mikro-orm/core";
export class Audit implements EventSubscriber {
  async afterCreate(args: EventArgs<object>) {
    await queue.add("mail", {}); // report hook
  }
  async afterTransactionCommit() { await queue.add("mail", {}); }
}`,
  "hooks that stand in a transaction only when the caller opened one": `${queue}
import { Model as SequelizeModel, Sequelize } from "sequelize"; import { Model as ObjectionModel } from "objection"; import { BaseModel, afterCreate } from "@adonisjs/lucid/orm"; import { Schema } from "mongoose"; import { PrismaClient } from "@prisma/client";
class User extends SequelizeModel {} const sequelize = new Sequelize("x"); const schema = new Schema({});
User.addHook("afterCreate", async () => { await queue.add("mail", {}); });
User.afterCreate(async () => { await queue.add("mail", {}); });
User.init({}, { sequelize, hooks: { afterCreate: async () => { await queue.add("mail", {}); } } });
export class Order extends ObjectionModel { async $afterInsert() { await queue.add("mail", {}); } }
export class Post extends BaseModel { @afterCreate() static async notify() { await queue.add("mail", {}); } }
schema.post("save", async () => { await queue.add("mail", {}); });
export const prisma = new PrismaClient().$extends({ query: { order: { async create({ args, query }) { await queue.add("mail", {}); return query(args); } } } });`,
});

lintCases("P19: work that is started inside and not awaited", rule, {
  "timers and `then` are no after-commit mechanism": `${queue}
import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never); declare function work(): Promise<void>;
async function notify() { await queue.add("mail", {}); } // report
export async function place() {
  await dataSource.transaction(async (manager) => {
    void notify(); // report
    setTimeout(() => queue.add("mail", {}), 0); // report
    setImmediate(() => queue.add("mail", {})); // report
    queueMicrotask(() => void queue.add("mail", {})); // report
    process.nextTick(() => queue.add("mail", {})); // report
    work().then(() => queue.add("mail", {})); // report
  });
}`.replace('await queue.add("mail", {}); } // report', 'await queue.add("mail", {}); }'),
});

lintCases("P20: around the transaction", rule, {
  "a dispatch in `finally` is sent after a rollback too, one in `catch` because of it": `${queue}
import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient();
export async function place() {
  try {
    await prisma.$transaction(async (tx) => { await tx.order.findMany(); });
  } catch (error) {
    await queue.add("failed", {});
    throw error;
  } finally {
    await queue.add("done", {}); // report finally
  }
}`,
  "a condition in `finally` may know what happened, and events in the process are none of rows": `import { EventEmitter2 } from "@nestjs/event-emitter"; ${queue}
import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient(); declare const emitter: EventEmitter2;
export async function place() {
  let isPlaced = false;
  try {
    await prisma.$transaction(async (tx) => { await tx.order.findMany(); });
    isPlaced = true;
  } finally {
    if (isPlaced) await queue.add("done", {});
    emitter.emit("done");
  }
}
export async function without() {
  try {
    await fetch("https://example.com");
  } finally {
    await queue.add("done", {});
  }
}`,
  "a `finally` between begin and commit stands where its `try` ended": `${queue}
import { Pool } from "pg"; const pool = new Pool();
export async function place() {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    try {
      await client.query("insert into orders default values");
    } finally {
      await queue.add("mail", {}); // report
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    await queue.add("failed", {});
    throw error;
  } finally {
    await queue.add("done", {}); // report finally
    client.release();
  }
}`,
  "a `catch` inside the callback that dispatches and goes on": `${queue}
import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient();
export async function place() {
  await prisma.$transaction(async (tx) => {
    try {
      await tx.order.findMany();
    } catch {
      await queue.add("failed", {}); // report
    }
  });
}`,
  "a `catch` inside the callback that throws again, so that the transaction rolls back": `${queue}
import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient();
export async function place() {
  await prisma.$transaction(async (tx) => {
    try {
      await tx.order.findMany();
    } catch (error) {
      await queue.add("failed", {});
      throw error;
    }
  });
}`,
});

lintCases("P21: callbacks that the library runs again", rule, {
  "MongoDB's session": `${queue}
import { MongoClient } from "mongodb"; const client = new MongoClient("x");
export async function place() {
  await client.withSession(async (session) => {
    await queue.add("mail", {});
    await session.withTransaction(async () => {
      await queue.add("mail", {}); // report
    });
  });
}`,
});

lintCases("P22: transactions of Effect", rule, {
  "the work is given, or piped in": `${queue}
import { Effect } from "effect"; import { SqlClient } from "effect/sql";
const enqueue = Effect.tryPromise(() => queue.add("mail", {}));
const enqueueLater = Effect.tryPromise(() => queue.add("later", {}));
const notify = (id: number) => Effect.promise(() => queue.add("mail", { id }));
export const place = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient;
  yield* sql.withTransaction(Effect.gen(function* () {
    yield* enqueue; // report
    yield* notify(1); // report
    yield* Effect.promise(() => queue.add("mail", {})); // report
    yield* sql.afterCommit(enqueueLater);
  }));
  yield* enqueueLater;
  yield* Effect.gen(function* () {
    yield* Effect.promise(() => queue.add("mail", {})); // report
  }).pipe(sql.withTransaction);
  yield* Effect.promise(() => queue.add("mail", {}));
});`,
});

lintCases("P24, P25: what belongs to other rules stays silent here", rule, {
  "a swallowed error, a hook on a savepoint": `${queue}
import { drizzle } from "drizzle-orm/node-postgres"; import { Sequelize } from "sequelize"; const db = drizzle("postgres://x"); const sequelize = new Sequelize("x");
export async function place() {
  await db.transaction(async (tx) => { try { await tx.execute("select 1"); } catch { /* duplicate */ } });
  await queue.add("mail", {});
  await sequelize.transaction(async (t) => {
    await sequelize.transaction({ transaction: t }, async (savepoint) => { savepoint.afterCommit(() => queue.add("mail", {})); });
  });
}`,
});
