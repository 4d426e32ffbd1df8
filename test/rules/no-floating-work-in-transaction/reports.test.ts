import { expect, test } from "vitest";

import { noFloatingWorkInTransaction as rule } from "../../../rules/no-floating-work-in-transaction.js";
import { linted, lintCases } from "../lint-cases.js";

const knex = `import knexLib, { type Knex } from "knex"; const knex = knexLib({});`;

lintCases("Work that nobody waits for", rule, {
  "a query, in each library": `import { PrismaClient } from "@prisma/client"; import { Kysely } from "kysely"; import { DataSource } from "typeorm"; import { drizzle } from "drizzle-orm/node-postgres"; import { pgTable, text } from "drizzle-orm/pg-core"; import { Sequelize, Model } from "sequelize"; import postgres from "postgres"; ${knex}
const table = pgTable("a", { id: text() }); const db = drizzle("x"); const sequelize = new Sequelize("x"); class Order extends Model {} const sql = postgres("x"); const prisma = new PrismaClient(); const kysely = new Kysely<any>({} as never); const dataSource = new DataSource({} as never);
export async function place() {
  await prisma.$transaction(async (tx) => {
    tx.order.create({ data: {} as never }); // report notAwaited typed
    void tx.order.create({ data: {} as never }); // report notAwaited typed
  });
  await kysely.transaction().execute(async (trx) => {
    trx.insertInto("a").values({}).execute(); // report notAwaited typed
  });
  await dataSource.transaction(async (manager) => {
    manager.save({}); // report notAwaited typed
  });
  await db.transaction(async (tx) => {
    tx.insert(table).values({ id: "1" }); // report notAwaited typed
  });
  await sequelize.transaction(async (t) => {
    Order.create({}, { transaction: t }); // report notAwaited typed
  });
  await sql.begin(async (sql) => {
    sql.unsafe("select 1"); // report notAwaited typed
  });
  await knex.transaction(async (trx) => {
    trx("a").insert({}); // report notAwaited typed
    trx("a").insert({}).catch(() => undefined); // report notAwaited typed
    if (Math.random() > 0.5) { trx("b").insert({}); } // report notAwaited typed
    trx.transaction(async (inner) => { await inner("a"); }); // report notAwaited typed
  });
}`,
  "a function that is handed the handle": `${knex}
async function save(trx: Knex.Transaction) { await trx("a").insert({}); }
class Audit { async log(options: { trx: Knex.Transaction }) { await options.trx("audit").insert({}); } }
const audit = new Audit();
export async function place() {
  await knex.transaction(async (trx) => {
    save(trx); // report notAwaited
    void save(trx); // report notAwaited
    audit.log({ trx }); // report notAwaited
  });
}`,
  "in a function that is handed an open transaction": `${knex}
async function save(trx: Knex.Transaction) { await trx("a").insert({}); }
export async function place(trx: Knex.Transaction) {
  save(trx); // report notAwaited
}`,
  "begun by hand": `import { Pool } from "pg"; import { DataSource } from "typeorm"; ${knex} const pool = new Pool(); const dataSource = new DataSource({} as never);
export async function one() {
  const trx = await knex.transaction();
  trx("a").insert({}); // report notAwaited typed
  await trx.commit();
}
export async function two() {
  const client = await pool.connect();
  await client.query("BEGIN");
  client.query("insert"); // report notAwaited typed
  await client.query("COMMIT");
}
export async function three() {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  runner.manager.save({}); // report notAwaited typed
  await runner.commitTransaction();
}`,
  timers: `${knex}
export async function place() {
  await knex.transaction(async (trx) => {
    setTimeout(async () => { await trx("a").insert({}); }, 100); // report timer
    setImmediate(() => { void trx("a").insert({}); }); // report timer
    process.nextTick(() => trx("a").insert({}).then()); // report timer
    queueMicrotask(() => { trx("a").insert({}).then(); }); // report timer
  });
}`,
  "an ambient transaction": `import { Transactional } from "typeorm-transactional"; import type { Repository } from "typeorm";
export class Orders {
  constructor(private readonly orders: Repository<object>) {}
  @Transactional()
  async place() {
    this.orders.save({}); // report ambient typed
    void this.store(); // report ambient typed
    await this.store();
  }
  private async store() { await this.orders.insert({}); }
}`,
  "across files": {
    "main.ts": `import { inTransaction, save } from "./transaction.js";
export const place = () => inTransaction(async (trx) => {
  save(trx); // report notAwaited typed
});`,
    "transaction.ts": `${knex}
export async function inTransaction<T>(work: (trx: Knex.Transaction) => Promise<T>) { return knex.transaction(work); }
export async function save(trx: Knex.Transaction) { await trx("a").insert({}); }`,
  },
});

const found = linted(
  rule,
  `${knex}
export async function place() {
  await knex.transaction(async (trx) => {
    void trx("a").where({ id: 1 }).update({});
    setTimeout(() => trx("a").insert({}).then(), 1);
  });
}`,
);

test("the message says what happens and what to do", () => {
  expect(found().map(({ message }) => message)).toEqual([
    "Nobody waits for `trx(…).where(…).update`, which uses `trx`: the transaction of `Knex.transaction` (line 3) may commit before its queries are sent, which then fail, or run outside the transaction; a query that is only sent when it is awaited is never sent. An error in it rolls nothing back. Await it.",
    "`setTimeout` waits for no commit, and the transaction of `Knex.transaction` (line 3) does not wait for it: when its function runs, `trx` is over, and its queries fail or run outside the transaction. Do the work here and await it, or do it after the commit without `trx`.",
  ]);
});

test("a suggestion awaits a call, in the place of `void`", () => {
  expect(found().map(({ results }) => results.map((text) => text.split("\n")[3]?.trim()))).toEqual([
    ['await trx("a").where({ id: 1 }).update({});'],
    [],
  ]);
});
