import { expect, test } from "vitest";

import { noUnreliableCommitSignal as rule } from "../../../rules/no-unreliable-commit-signal.js";
import { linted, lintCases } from "../lint-cases.js";

const queue = `import { Queue } from "bullmq"; const queue = new Queue("mail");`;
const knex = `import knexLib from "knex"; const knex = knexLib({ client: "pg" });`;

lintCases("A commit that resolves although COMMIT failed", rule, {
  Knex: `${queue} ${knex}
export async function place() {
  const trx = await knex.transaction();
  try { await trx("a").insert({}); await trx.commit(); } catch (error) { await trx.rollback(); throw error; }
  await queue.add("mail", {}); // report commit
}
async function notify() { await queue.add("mail", {}); }
export async function store() {
  const trx = await knex.transaction();
  await trx("a").insert({});
  await trx.commit();
  if (Math.random() > 0.5) await notify(); // report commit
}`,
  Objection: `${queue} import { Model } from "objection"; class Order extends Model {}
export async function place() {
  const trx = await Order.startTransaction();
  await Order.query(trx).insert({});
  await trx.commit();
  await queue.add("mail", {}); // report commit
}`,
  Lucid: `${queue} import db from "@adonisjs/lucid/services/db";
export async function place() {
  const trx = await db.transaction();
  await trx.commit();
  await queue.add("mail", {}); // report commit
}`,
});

lintCases("A promise that resolves after a rollback", rule, {
  Knex: `${queue} ${knex}
export async function place(isPaid: boolean) {
  await knex.transaction(async (trx) => {
    await trx("a").insert({});
    if (!isPaid) { await trx.rollback(); return; }
  });
  await queue.add("mail", {}); // report rolledBack
}`,
  MongoDB: `${queue} import { MongoClient } from "mongodb"; const client = new MongoClient("x");
export async function place(isPaid: boolean) {
  const session = client.startSession();
  await session.withTransaction(async (session) => { if (!isPaid) await session.abortTransaction(); });
  await queue.add("mail", {}); // report rolledBack
}`,
  PGlite: `${queue} import { PGlite } from "@electric-sql/pglite"; const db = new PGlite();
export async function place(isPaid: boolean) {
  await db.transaction(async (tx) => { if (!isPaid) await tx.rollback(); });
  await queue.add("mail", {}); // report rolledBack
}`,
});

lintCases("Slots that run at other times", rule, {
  "Sequelize 6": `${queue} import { Sequelize } from "sequelize"; const sequelize = new Sequelize("x");
const notify = async () => { await queue.add("mail", {}); };
export const place = () => sequelize.transaction(async (t) => {
  t.afterCommit(() => queue.add("mail", {})); // report failedCommit
  t.afterCommit(notify); // report failedCommit
});`,
  Slonik: `${queue} import { createPool } from "slonik"; const pool = await createPool("x");
export const place = () => pool.transaction(async (trx) => {
  trx.on("commit", () => { void queue.add("mail", {}); }); // report attempts
});`,
  Lucid: `${queue} import db from "@adonisjs/lucid/services/db";
export const place = () => db.transaction(async (trx) => {
  trx.after("commit", () => queue.add("mail", {})); // report failedCommit
  trx.once("commit", () => { void queue.add("mail", {}); }); // report failedCommit
});`,
  "TypeORM's subscribers": `${queue} import { EventSubscriber, type EntitySubscriberInterface, type TransactionCommitEvent } from "typeorm";
@EventSubscriber()
export class Orders implements EntitySubscriberInterface {
  async afterTransactionCommit(event: TransactionCommitEvent) {
    await queue.add("mail", {}); // report everyLevel
  }
}`,
});

lintCases("An error that nobody hears of", rule, {
  Knex: `${knex}
export async function place() {
  await knex.transaction(async (trx) => {
    try { await trx("ledger").insert({}); } catch { // report swallowed
      console.log("known");
    }
    try { await trx("ledger").insert({}); } catch (error) { // report swallowed
      if ((error as { code?: string }).code !== "23505") throw error;
    }
    await trx("ledger").insert({}).catch(() => undefined); // report swallowed
  });
}`,
  Drizzle: `import { drizzle } from "drizzle-orm/node-postgres"; import { pgTable, text } from "drizzle-orm/pg-core"; const table = pgTable("a", { id: text() }); const db = drizzle("x");
export const place = () => db.transaction(async (tx) => {
  try { await tx.insert(table).values({ id: "1" }); } catch (error) { // report swallowed typed
    console.warn(error);
  }
});`,
  "node-postgres": `import { Pool } from "pg"; const pool = new Pool();
export async function place() {
  const client = await pool.connect();
  await client.query("BEGIN");
  try { await client.query("insert into ledger values (1)"); } catch (error) { // report swallowed
    console.warn(error);
  }
  await client.query("COMMIT");
}`,
  "pg-promise": `import pgp from "pg-promise"; const db = pgp()("x");
export const place = () => db.tx(async (t) => {
  try { await t.none("insert into ledger values (1)"); } catch {} // report swallowed
});`,
  "a function that is handed the handle": `import type { Knex } from "knex"; import knexLib from "knex"; const knex = knexLib({ client: "pg" });
export async function store(trx: Knex.Transaction) {
  try { await trx("ledger").insert({}); } catch {} // report swallowed
}
export const run = () => knex.transaction((trx) => store(trx));`,
});

const found = linted(
  rule,
  `${queue} ${knex} import { Sequelize } from "sequelize"; const sequelize = new Sequelize("x");
export async function place(isPaid: boolean) {
  const trx = await knex.transaction();
  await trx.commit();
  await queue.add("mail", {});
}
export async function store(isPaid: boolean) {
  await knex.transaction(async (trx) => {
    try { await trx("ledger").insert({}); } catch {}
    if (!isPaid) await trx.rollback();
  });
  await queue.add("mail", {});
  await sequelize.transaction(async (t) => { t.afterCommit(() => queue.add("mail", {})); });
}`,
);

test("the messages say what the library does, and the cure", () => {
  expect(found().map(({ message }) => message)).toEqual([
    "`Queue.add` sends although the COMMIT may have failed: `trx.commit` (line 4) resolves even when the server refused it (a deferred constraint, a serialization failure, a lost connection), and then the rows are gone. Put `await trx.executionPromise` behind it, which rejects in that case.",
    "`trx(…).insert` (line 9) fails here without anybody hearing of it, but PostgreSQL has given up the transaction of `Knex.transaction` (line 8): it answers COMMIT with ROLLBACK, and the promise resolves although nothing is stored. Let the error through, skip duplicates in the statement (`ON CONFLICT DO NOTHING`), or run it in a nested transaction of `trx`, which is a savepoint, and catch the error around that.",
    "`Queue.add` sends after a rollback as well: `trx.rollback()` (line 10) is given no error, so the promise of `knex.transaction` (line 8) resolves as if it had committed. Throw in the callback instead, or return from it how the transaction ended and ask that before you send.",
    "`t.afterCommit` runs what it is given even where COMMIT failed, and in a nested transaction already at its savepoint: `Queue.add` may send about rows that do not exist. Do without it: send behind `await sequelize.transaction(…)`, which rejects when COMMIT fails.",
  ]);
});
