import { noDispatchInTransaction as rule } from "../../../rules/no-dispatch-in-transaction.js";
import { lintCases } from "../lint-cases.js";

const queue = `import { Queue } from "bullmq"; const queue = new Queue("mail");`;

lintCases("Look-alikes of transactions", rule, {
  "Redis multi and pipeline": `${queue}
import Redis from "ioredis"; import { createClient } from "redis"; const ioredis = new Redis(); const client = createClient();
export async function run() {
  const multi = ioredis.multi();
  await queue.add("mail", {});
  await multi.set("a", "b").exec();
  await ioredis.pipeline().set("a", "b").exec();
  await client.multi().set("a", "b").exec();
  await queue.add("mail", {});
}`,
  "connections, tasks and sessions": `${queue}
import pgPromise from "pg-promise"; import { Kysely } from "kysely"; import type { DatabasePool } from "slonik"; import { MongoClient } from "mongodb"; import { DataSource } from "typeorm"; import { PGlite } from "@electric-sql/pglite"; import { Pool } from "pg"; import postgres from "postgres";
const db = pgPromise()("x"); const kysely = new Kysely<any>({} as never); const mongo = new MongoClient("x"); const dataSource = new DataSource({} as never); const lite = new PGlite(); const pool = new Pool(); const sql = postgres("x");
export async function run(slonik: DatabasePool) {
  await db.task(async (t) => { await queue.add("mail", {}); });
  await db.taskIf({ tag: "x" }, async (t) => { await queue.add("mail", {}); });
  await kysely.connection().execute(async (connection) => { await queue.add("mail", {}); });
  await slonik.connect(async (connection) => { await queue.add("mail", {}); });
  await mongo.withSession(async (session) => { await queue.add("mail", {}); });
  const runner = dataSource.createQueryRunner();
  await runner.connect();
  await queue.add("mail", {});
  await lite.runExclusive(async () => { await queue.add("mail", {}); });
  const client = await pool.connect();
  await client.query("select 1");
  await queue.add("mail", {});
  const reserved = await sql.reserve();
  await queue.add("mail", {});
}`,
  "mysql2's pool, whose beginTransaction does not exist": `${queue}
import mysql from "mysql2/promise"; const pool = mysql.createPool("x");
export async function run() {
  await pool.query("START TRANSACTION");
  await queue.add("mail", {});
}`,
  "a transaction function of better-sqlite3 that is only defined elsewhere": `${queue}
import Database from "better-sqlite3"; const db = new Database("x"); const insert = db.prepare("insert into orders default values");
export const place = db.transaction(() => { insert.run(); });
export function run() { place(); void queue.add("mail", {}); }`,
  "batches, bulk writers, DynamoDB": `${queue}
import { Firestore } from "@google-cloud/firestore"; import { DynamoDBClient, TransactWriteItemsCommand } from "@aws-sdk/client-dynamodb"; const firestore = new Firestore(); const dynamo = new DynamoDBClient({});
export async function run() {
  const batch = firestore.batch();
  await queue.add("mail", {});
  await batch.commit();
  const writer = firestore.bulkWriter();
  await queue.add("mail", {});
  await writer.close();
  await dynamo.send(new TransactWriteItemsCommand({ TransactItems: [] }));
}`,
  IndexedDB: `${queue}
export function run(db: IDBDatabase) {
  const transaction = db.transaction(["orders"], "readwrite");
  void queue.add("mail", {});
  transaction.commit();
}`,
  "a transaction of Kafka": `${queue}
import { Kafka } from "kafkajs"; const producer = new Kafka({ brokers: [] }).producer();
export async function run() {
  const transaction = await producer.transaction();
  await transaction.send({ topic: "x", messages: [] });
  await queue.add("mail", {});
  await transaction.commit();
}`,
  "spans of tracing libraries": `${queue}
import apm from "elastic-apm-node"; import * as Sentry from "@sentry/node"; import newrelic from "newrelic";
export async function run() {
  const transaction = apm.startTransaction("job");
  await queue.add("mail", {});
  transaction?.end();
  const span = Sentry.startTransaction({ name: "x" });
  await queue.add("mail", {});
  span.finish();
  await newrelic.startBackgroundTransaction("x", async () => { await queue.add("mail", {}); });
  await newrelic.startWebTransaction("x", async () => { await queue.add("mail", {}); });
}`,
  "blockchains, MobX, Yjs, editors": `${queue}
import { ethers } from "ethers"; import { Transaction, sendAndConfirmTransaction } from "@solana/web3.js"; import { runInAction, transaction } from "mobx"; import * as Y from "yjs"; import { Transaction as EditorTransaction } from "prosemirror-state";
export async function run(wallet: any, connection: any, doc: Y.Doc) {
  const tx = new Transaction();
  await queue.add("mail", {});
  await sendAndConfirmTransaction(connection, tx, []);
  const sent = await wallet.sendTransaction({});
  await queue.add("mail", {});
  transaction(() => { void queue.add("mail", {}); });
  runInAction(() => { void queue.add("mail", {}); });
  doc.transact(() => { void queue.add("mail", {}); });
}
export function apply(tr: EditorTransaction) { void queue.add("mail", {}); }
export function solana(tx: Transaction) { void queue.add("mail", {}); }`,
  "MikroORM's contexts, methods outside": `${queue}
import { CreateRequestContext, EnsureRequestContext, RequestContext } from "@mikro-orm/core"; import { TransactionHost } from "@nestjs-cls/transactional"; import { Transactional } from "typeorm-transactional";
export class Orders {
  constructor(private readonly txHost: TransactionHost) {}
  @CreateRequestContext()
  async context() { await queue.add("mail", {}); }
  @EnsureRequestContext()
  async ensured() { await queue.add("mail", {}); }
  @Transactional()
  async place() {
    await this.txHost.withoutTransaction(async () => { await queue.add("mail", {}); });
    await queue.add("mail", {}); // report
  }
  async tx() { await this.txHost.tx; await queue.add("mail", {}); }
}
export const run = (em: never) => RequestContext.create(em, async () => { await queue.add("mail", {}); });`,
  "oracledb and autocommit sessions have no begin to find": `${queue}
import oracledb from "oracledb"; import mysql from "mysql2/promise"; const pool = mysql.createPool("x");
export async function run() {
  const connection = await oracledb.getConnection({});
  await connection.execute("insert into orders values (1)");
  await queue.add("mail", {});
  await connection.commit();
  const session = await pool.getConnection();
  await session.query("SET autocommit=0");
  await queue.add("mail", {});
}`,
  "`any` and unknown values": `${queue}
declare const db: any; declare const anything: unknown;
export async function run(prisma: any, trx: any) {
  await db.transaction(async () => { await queue.add("mail", {}); });
  await prisma.$transaction(async () => { await queue.add("mail", {}); });
  await trx.begin();
  await queue.add("mail", {});
  await trx.commit();
}`,
  "classes of the project with the same names": `${queue}
class Ledger { transaction(work: () => void) { this.pending.push(work); } private readonly pending: (() => void)[] = []; }
class Account { async beginTransaction() {} async commit() {} async rollback() {} }
class PrismaClient { $transaction(work: () => unknown) { return undefined; } }
export async function run() {
  new Ledger().transaction(() => { void queue.add("mail", {}); });
  const account = new Account();
  await account.beginTransaction();
  await queue.add("mail", {});
  await account.commit();
  await new PrismaClient().$transaction(async () => { await queue.add("mail", {}); });
}`,
});

lintCases("Look-alikes of dispatches", rule, {
  "arrays, sets, streams, sockets, emitters, caches": `import { EventEmitter } from "node:events"; import { PassThrough } from "node:stream"; import { Socket } from "node:net"; import { DataSource } from "typeorm"; import { Subject } from "rxjs"; import Redis from "ioredis";
const dataSource = new DataSource({} as never); const emitter = new EventEmitter(); class Bus extends EventEmitter {} const subject = new Subject<string>(); const redis = new Redis();
export async function run(list: string[], set: Set<string>, stream: PassThrough, socket: Socket, params: URLSearchParams) {
  await dataSource.transaction(async (manager) => {
    list.push("x"); set.add("x"); stream.emit("data"); stream.write("x"); socket.emit("x"); emitter.emit("x"); new Bus().emit("x"); params.append("a", "b"); subject.next("x");
    await redis.set("a", "b");
    await redis.incr("a");
  });
}`,
  "classes of the project with the same names, `any`": `import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);
class Queue { readonly jobs: string[] = []; async add(name: string) { this.jobs.push(name); } }
class Cart { add(item: string) { return item; } send() {} publish() {} emit() {} enqueue() {} }
declare const anything: any;
export async function run(cart: Cart, mailer: any) {
  await dataSource.transaction(async (manager) => {
    await new Queue().add("x"); cart.add("x"); cart.send(); cart.publish(); cart.emit(); cart.enqueue();
    await anything.add("x"); await mailer.send("x"); await anything.queue.add("x", {});
  });
}`,
  "reading members of queues": `import { Queue } from "bullmq"; import { DataSource } from "typeorm"; const queue = new Queue("x"); const dataSource = new DataSource({} as never);
export async function run() {
  await dataSource.transaction(async (manager) => {
    await queue.getJob("1"); await queue.getWaitingCount(); await queue.pause(); queue.on("error", () => undefined);
    const add = queue.add;
    const options = { queue, add: queue.add };
  });
}`,
});
