import { expect, test } from "vitest";

import { noParallelQueriesInTransaction as rule } from "../../../rules/no-parallel-queries-in-transaction.js";
import { linted, lintCases } from "../lint-cases.js";

const knex = `import knexLib, { type Knex } from "knex"; const knex = knexLib({});`;

lintCases("Queries side by side", rule, {
  "a list, in the callback of each library": `import { PrismaClient } from "@prisma/client"; import { Kysely } from "kysely"; import { drizzle } from "drizzle-orm/node-postgres"; import { pgTable, text } from "drizzle-orm/pg-core"; import { DataSource } from "typeorm"; import { Sequelize, Model } from "sequelize"; import { MongoClient } from "mongodb"; ${knex}
const table = pgTable("a", { id: text() }); const db = drizzle("x"); const prisma = new PrismaClient(); const kysely = new Kysely<any>({} as never); const dataSource = new DataSource({} as never); const sequelize = new Sequelize("x"); class Order extends Model {} class Line extends Model {} const mongo = new MongoClient("x");
export async function place() {
  await prisma.$transaction(async (tx) => {
    await Promise.all([tx.order.create({ data: {} as never }), tx.order.findMany()]); // report together
  });
  await kysely.transaction().execute(async (trx) => {
    await Promise.all([trx.insertInto("a").values({}).execute(), trx.deleteFrom("b").execute()]); // report together
  });
  await knex.transaction(async (trx) => {
    const [a, b] = await Promise.all([trx("a").insert({}), trx("b").select()]); // report together
    console.log(a, b);
  });
  await dataSource.transaction(async (manager) => {
    await Promise.all([manager.save({}), manager.query("select 1")]); // report together
  });
  await sequelize.transaction(async (t) => {
    await Promise.all([Order.create({}, { transaction: t }), Line.create({}, { transaction: t })]); // report together
  });
  await db.transaction(async (tx) => {
    await Promise.all([tx.select().from(table), tx.insert(table).values({ id: "1" })]); // report together
  });
  const session = mongo.startSession();
  await session.withTransaction(async (session) => {
    await Promise.all([mongo.db().collection("a").insertOne({}, { session }), mongo.db().collection("b").insertOne({}, { session })]); // report together
  });
}`,
  "each row of a list": `${knex}
export async function place(rows: { id: string }[]) {
  await knex.transaction(async (trx) => {
    await Promise.all(rows.map((row) => trx("a").insert(row))); // report together
    await Promise.all(rows.map(async (row) => { await check(row); await trx("a").insert(row); })); // report together
    await Promise.all([...rows.map((row) => trx("a").insert(row))]); // report together
    return Promise.race(rows.map((row) => save(trx, row))); // report together
  });
}
declare function check(row: object): Promise<void>;
declare function save(trx: Knex.Transaction, row: object): Promise<void>;`,
  "functions that are handed the handle": `${knex} import type { Orders } from "./orders.js";
export async function place(orders: Orders) {
  await knex.transaction(async (trx) => {
    await Promise.all([save(trx), orders.save({ trx })]); // report together
  });
}
async function save(trx: Knex.Transaction) { await trx("a").insert({}); }`,
  "functions that are called at once": `${knex}
export async function place() {
  await knex.transaction(async (trx) => {
    await Promise.all([(async () => { await trx("a").insert({}); })(), (async () => { await trx("b").insert({}); })()]); // report together
  });
}`,
  "collected before": `${knex}
export async function place(rows: object[]) {
  await knex.transaction(async (trx) => {
    const first = trx("a").insert({}); const second = trx("b").insert({});
    await Promise.all([first, second]); // report together
    const work = [];
    for (const row of rows) work.push(trx("a").insert(row));
    await Promise.all(work); // report together
    const all = rows.map((row) => trx("a").insert(row));
    await Promise.all(all); // report together
  });
}`,
  "functions that are handed an open transaction": `${knex}
export async function place(trx: Knex.Transaction) {
  await Promise.all([trx("a").insert({}), trx("b").insert({})]); // report together
}`,
  "begun by hand": `import { Pool } from "pg"; import { DataSource } from "typeorm"; ${knex} const pool = new Pool(); const dataSource = new DataSource({} as never);
export async function one() {
  const trx = await knex.transaction();
  await Promise.all([trx("a").insert({}), trx("b").insert({})]); // report together
  await trx.commit();
}
export async function two() {
  const client = await pool.connect();
  await Promise.all([client.query("select 1"), client.query("select 2")]);
  await client.query("BEGIN");
  await Promise.all([client.query("insert"), client.query("insert")]); // report together
  await client.query("COMMIT");
  await Promise.all([client.query("select 1"), client.query("select 2")]);
}
export async function three() {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  try {
    await Promise.all([runner.manager.save({}), runner.manager.save({})]); // report together
    await runner.commitTransaction();
  } catch (error) { await runner.rollbackTransaction(); throw error; }
}`,
  "a function of the project that opens the transaction": `import { PrismaClient, type Prisma } from "@prisma/client"; const prisma = new PrismaClient();
const withTransaction = <T>(work: (tx: Prisma.TransactionClient) => Promise<T>) => prisma.$transaction(work);
export const place = () => withTransaction(async (tx) => {
  await Promise.all([tx.order.findMany(), tx.user.findMany()]); // report together typed
});`,
  "forEach with async": `${knex}
export async function place(rows: object[]) {
  await knex.transaction(async (trx) => {
    rows.forEach(async (row) => { await trx("a").insert(row); }); // report forEach
  });
}`,
  "an ambient transaction": `import { Transactional } from "typeorm-transactional"; import type { Repository } from "typeorm";
export class Orders {
  constructor(private readonly orders: Repository<object>, private readonly lines: Repository<object>) {}
  @Transactional()
  async place(rows: object[]) {
    await Promise.all([this.orders.save({}), this.lines.save({})]); // report ambient typed
    await Promise.all(rows.map((row) => this.store(row))); // report ambient typed
  }
  private async store(row: object) { await this.lines.insert(row); }
}`,
  "across files": {
    "main.ts": `import { inTransaction } from "./transaction.js";
export const place = () => inTransaction(async (trx) => {
  await Promise.all([trx("a").insert({}), trx("b").insert({})]); // report together typed
});`,
    "transaction.ts": `${knex}
export async function inTransaction<T>(work: (trx: Knex.Transaction) => Promise<T>) { return knex.transaction(work); }`,
  },
});

const found = linted(
  rule,
  `${knex}
export async function place() {
  await knex.transaction(async (trx) => {
    await Promise.all([trx("a").insert({}), trx("b").insert({})]);
    const [a, , c] = await Promise.all([trx("a"), trx("b"), trx("c")]);
    return Promise.all([trx("a"), a, c, trx("b")]);
  });
}`,
);

test("the message says what happens and what to do", () => {
  expect(found()[0]?.message).toBe(
    "`Promise.all` starts queries over `trx` side by side, but the transaction of `Knex.transaction` (line 3) has one connection, which takes one query after the other. When one fails, `Promise.all` rejects and the rollback is sent while the others are still to come: they fail for another reason, or run outside the transaction and stay. Await them one after the other.",
  );
});

test("a list that a statement awaits is awaited one by one by a suggestion", () => {
  expect(found().map(({ suggestions }) => suggestions)).toEqual([
    [`await trx("a").insert({});\n    await trx("b").insert({})`],
    [`const a = await trx("a");\n    await trx("b");\n    const c = await trx("c")`],
    [],
  ]);
});
