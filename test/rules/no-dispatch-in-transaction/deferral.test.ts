import { noDispatchInTransaction as rule } from "../../../rules/no-dispatch-in-transaction.js";
import { lintCases } from "../lint-cases.js";

const queue = `import { Queue } from "bullmq"; const queue = new Queue("mail");`;
const open = `import { DataSource } from "typeorm"; const dataSource = new DataSource({} as never);`;

lintCases("Deferral: the after-commit slots of libraries", rule, {
  "Sequelize 6 and 7": `${queue}
import { Sequelize } from "sequelize"; import { Sequelize as Seven } from "@sequelize/core"; const sequelize = new Sequelize("x"); const seven = new Seven({} as never);
async function notify() { await queue.add("mail", {}); }
export async function place() {
  await sequelize.transaction(async (t) => {
    t.afterCommit(() => queue.add("mail", {}));
    t.afterCommit(async () => { await notify(); });
    t.afterCommit(notify);
  });
  await seven.transaction(async (t) => {
    t.afterCommit(() => queue.add("mail", {}));
    t.afterRollback(() => queue.add("mail", {}));
    t.afterTransaction(() => queue.add("mail", {}));
  });
  const t = await sequelize.transaction();
  t.afterCommit(() => queue.add("mail", {}));
  await t.commit();
}`,
  Lucid: `${queue}
import db from "@adonisjs/lucid/services/db";
export async function place() {
  await db.transaction(async (trx) => {
    trx.after("commit", () => queue.add("mail", {}));
    trx.after("rollback", () => queue.add("mail", {}));
    trx.on("commit", () => queue.add("mail", {}));
    trx.once("commit", () => queue.add("mail", {}));
  });
}`,
  "Slonik, mssql": `${queue}
import type { DatabasePool } from "slonik"; import sql from "mssql";
export async function place(pool: DatabasePool, mssql: sql.ConnectionPool) {
  await pool.transaction(async (trx) => { (trx as any).on("commit", () => queue.add("mail", {})); });
  const transaction = mssql.transaction();
  await transaction.begin();
  transaction.on("commit", () => { void queue.add("mail", {}); });
  await transaction.commit();
}`,
  "Knex's executionPromise": `${queue}
import knexLib from "knex"; const knex = knexLib({});
export async function place() {
  await knex.transaction(async (trx) => {
    void trx.executionPromise.then(() => queue.add("mail", {}));
    void trx.executionPromise.finally(() => queue.add("mail", {}));
  });
}`,
  "Orchid, @databases, ts-sql-query": `${queue}
import { orchidORM } from "orchid-orm/node-postgres"; import createConnectionPool from "@databases/pg"; import { PostgreSqlConnection } from "ts-sql-query/connections/PostgreSqlConnection"; class Db extends PostgreSqlConnection<"Db"> {}
const db = orchidORM({} as never, {}); const pool = createConnectionPool("x");
export async function place(connection: Db) {
  await db.$transaction(async () => { db.$afterCommit(() => queue.add("mail", {})); });
  await pool.tx(async (tx) => { await tx.addPostCommitStep(async () => { await queue.add("mail", {}); }); });
  await connection.transaction(async () => { connection.executeAfterNextCommit(() => queue.add("mail", {})); });
}`,
});

lintCases("Deferral: the project's own forms", rule, {
  "thunks that are returned, and run after the commit": `${queue} ${open}
export async function place() {
  const after = await dataSource.transaction(async (manager) => {
    return () => queue.add("mail", {});
  });
  await after();
}
export async function confirm() {
  const { notify } = await dataSource.transaction(async (manager) => ({ notify: async () => { await queue.add("mail", {}); } }));
  await notify();
}`,
  "thunks that are collected": `${queue} ${open}
export async function place() {
  const after: (() => Promise<unknown>)[] = [];
  await dataSource.transaction(async (manager) => {
    after.push(() => queue.add("mail", {}));
    after.push(async () => { await queue.add("mail", {}); });
  });
  await Promise.all(after.map((run) => run()));
}`,
  "events that are collected, and sent after the commit": `${queue} ${open}
class Events { private readonly events: string[] = []; record(event: string) { this.events.push(event); } async flush() { for (const event of this.events) await queue.add("event", { event }); } }
export async function place() {
  const events = new Events();
  await dataSource.transaction(async (manager) => {
    events.record("placed");
  });
  await events.flush();
}
export async function wrong() {
  const events = new Events();
  await dataSource.transaction(async (manager) => {
    events.record("placed");
    await events.flush(); // report
  });
}`,
  "an emitter that defers until the commit, and the live one": `${queue} ${open}
type Emit = (name: string) => Promise<unknown>;
const live: Emit = (name) => queue.add(name, {});
const deferred = (pending: (() => Promise<unknown>)[]): Emit => async (name) => { pending.push(() => live(name)); };
const placeOrder = (emit: Emit) => async (id: number) => { await emit("placed"); };
export async function place() {
  const pending: (() => Promise<unknown>)[] = [];
  await dataSource.transaction(async (manager) => {
    await placeOrder(deferred(pending))(1);
    await placeOrder(live)(1); // report
  });
  for (const run of pending) await run();
}`,
  "listeners that are registered, not run": `${queue} ${open}
import { EventEmitter } from "node:events"; const emitter = new EventEmitter();
export async function place() {
  await dataSource.transaction(async (manager) => {
    emitter.once("committed", () => queue.add("mail", {}));
    emitter.on("committed", async () => { await queue.add("mail", {}); });
  });
}`,
  "a commit hook of the project": `${queue} ${open}
class Transactions {
  private readonly hooks: (() => Promise<unknown>)[] = [];
  afterCommit(hook: () => Promise<unknown>) { this.hooks.push(hook); }
  async run<T>(work: () => Promise<T>) { const result = await dataSource.transaction(work); for (const hook of this.hooks) await hook(); return result; }
}
export async function place() {
  const transactions = new Transactions();
  await transactions.run(async () => {
    transactions.afterCommit(() => queue.add("mail", {}));
    await queue.add("mail", {}); // report
  });
}`,
  "jobs that are only described": `${queue} ${open}
export async function place() {
  const jobs: { name: string; data: object }[] = [];
  await dataSource.transaction(async (manager) => {
    jobs.push({ name: "mail", data: {} });
  });
  await queue.addBulk(jobs);
}`,
});
