import { noUnreliableCommitSignal as rule } from "../../../rules/no-unreliable-commit-signal.js";
import { lintCases } from "../lint-cases.js";

const queue = `import { Queue } from "bullmq"; const queue = new Queue("mail");`;
const knex = `import knexLib, { type Knex } from "knex"; const knex = knexLib({ client: "pg" });`;

lintCases("Commits that are sure", rule, {
  "Knex' promise of the execution": `${queue} ${knex}
export async function place() {
  const trx = await knex.transaction();
  await trx("a").insert({});
  await trx.commit();
  await trx.executionPromise;
  await queue.add("mail", {});
}`,
  "a commit that rejects": `${queue} import { DataSource } from "typeorm"; import { Sequelize } from "sequelize"; import { Pool } from "pg"; import { Kysely } from "kysely"; declare const dataSource: DataSource; declare const sequelize: Sequelize; const pool = new Pool(); declare const db: Kysely<any>;
export async function place() {
  const runner = dataSource.createQueryRunner(); await runner.startTransaction(); await runner.commitTransaction(); await queue.add("a", {});
  const t = await sequelize.transaction(); await t.commit(); await queue.add("a", {});
  const client = await pool.connect(); await client.query("BEGIN"); await client.query("COMMIT"); await queue.add("a", {});
  const trx = await db.startTransaction().execute(); await trx.commit().execute(); await queue.add("a", {});
}`,
  "callbacks that only commit, or throw": `${queue} ${knex}
export async function place(isPaid: boolean) {
  await knex.transaction(async (trx) => { await trx("a").insert({}); });
  await queue.add("mail", {});
  await knex.transaction(async (trx) => { if (!isPaid) await trx.rollback(new Error("unpaid")); });
  await queue.add("mail", {});
  await knex.transaction(async (trx) => { if (!isPaid) { await trx.rollback(); throw new Error("unpaid"); } });
  await queue.add("mail", {});
}`,
  "an event for listeners in the same process": `${knex} import { EventEmitter2 } from "eventemitter2";
const events = new EventEmitter2();
export async function place() {
  const trx = await knex.transaction();
  try { await trx("orders").insert({}); await trx.commit(); await events.emitAsync("placed"); }
  catch (error) { await trx.rollback(); throw error; }
}`,
  "what asks how it ended": `${queue} ${knex}
export async function place(isPaid: boolean) {
  const order = await knex.transaction(async (trx) => { if (!isPaid) { await trx.rollback(); return undefined; } return 1; });
  if (order) await queue.add("mail", {});
}
export async function store(isPaid: boolean) {
  const order = await knex.transaction(async (trx) => { if (!isPaid) { await trx.rollback(); return undefined; } return 1; });
  if (!order) return;
  await queue.add("mail", {});
}`,
  "before the commit, and other work behind it": `${queue} ${knex}
export async function place() {
  await queue.add("mail", {});
  const trx = await knex.transaction();
  await trx.commit();
  console.log("done");
}`,
});

lintCases("Slots that are sure, or send nothing", rule, {
  "other work": `import { Sequelize } from "sequelize"; declare const sequelize: Sequelize;
export const place = () => sequelize.transaction(async (t) => { t.afterCommit(() => { console.log("done"); }); });`,
  "the outermost commit": `${queue} import { EventSubscriber, type EntitySubscriberInterface, type TransactionCommitEvent } from "typeorm";
@EventSubscriber()
export class Orders implements EntitySubscriberInterface {
  async afterTransactionCommit(event: TransactionCommitEvent) { if (!event.queryRunner.isTransactionActive) await queue.add("mail", {}); }
  async afterTransactionRollback() { await queue.add("mail", {}); }
}`,
  "MikroORM 6, which tells the outermost one only": `${queue} import type { EventSubscriber } from "@mikro-orm/core";
export class Orders implements EventSubscriber { async afterTransactionCommit() { await queue.add("mail", {}); } }`,
  "an event of another name": `${queue} import { createPool } from "slonik"; const pool = await createPool("x");
export const place = () => pool.transaction(async (trx) => { trx.on("rollback", () => { void queue.add("mail", {}); }); });`,
});

lintCases("Slonik that does not retry", rule, {
  "by its option": `${queue} import { createPool } from "slonik"; const pool = await createPool("x", { transactionRetryLimit: 0 });
export const place = () => pool.transaction(async (trx) => { trx.on("commit", () => { void queue.add("mail", {}); }); });`,
});

lintCases("Errors that somebody hears of", rule, {
  "thrown again": `${knex}
export async function place() {
  await knex.transaction(async (trx) => {
    try { await trx("ledger").insert({}); } catch (error) { throw new Error("known", { cause: error }); }
    try { await trx("ledger").insert({}); } catch (error) { if (error instanceof TypeError) throw error; else throw new Error("no"); }
    await trx("ledger").insert({}).catch((error: unknown) => { throw error; });
  });
}`,
  "kept for later, or handed to somebody": `${knex} function refuse(error: unknown): never { throw error; }
export async function place(handle: (error: unknown) => void) {
  let failure: unknown;
  await knex.transaction(async (trx) => {
    try { await trx("ledger").insert({}); } catch (error) { failure = error; }
    try { await trx("ledger").insert({}); } catch (error) { refuse(error); }
    try { await trx("ledger").insert({}); } catch (error) { handle(error); }
    try { await trx("ledger").insert({}); } catch { await trx.rollback(new Error("no")); }
    if (failure) throw failure;
  });
}`,
  "around a savepoint, or around the transaction": `${knex} import { Pool } from "pg"; const pool = new Pool();
export async function place() {
  await knex.transaction(async (trx) => {
    try { await trx.transaction(async (inner) => { await inner("ledger").insert({}); }); } catch { console.log("known"); }
  });
  try { await knex.transaction(async (trx) => { await trx("ledger").insert({}); }); } catch { console.log("failed"); }
}
export async function store() {
  const client = await pool.connect();
  await client.query("BEGIN"); await client.query("SAVEPOINT a");
  try { await client.query("insert into ledger values (1)"); } catch { await client.query("ROLLBACK TO SAVEPOINT a"); }
  await client.query("COMMIT");
}`,
  "the whole transaction is rolled back": `import { Pool } from "pg"; const pool = new Pool();
export async function place() {
  const client = await pool.connect();
  try { await client.query("BEGIN"); await client.query("insert into a values (1)"); await client.query("COMMIT"); }
  catch (error) { console.error(error); await client.query("ROLLBACK"); }
}`,
  "duplicates are skipped, or only read": `${knex}
export async function place() {
  await knex.transaction(async (trx) => {
    try { await trx("ledger").insert({}).onConflict("id").ignore(); } catch { console.log("never"); }
    try { await trx("ledger").first(); } catch { console.log("never"); }
    try { await trx("ledger").update({}); } catch { console.log("not there"); }
  });
}`,
  "over another client": `${knex}
export async function place() {
  await knex.transaction(async () => { try { await knex("audit").insert({}); } catch { console.log("never mind"); } });
}`,
  "libraries whose promise rejects": `import { Kysely } from "kysely"; import postgres from "postgres"; import { PGlite } from "@electric-sql/pglite"; declare const db: Kysely<any>; const sql = postgres("x"); const lite = new PGlite();
export async function place() {
  await db.transaction().execute(async (trx) => { try { await trx.insertInto("a").values({}).execute(); } catch {} });
  await sql.begin(async (tx) => { try { await tx\`insert into a values (1)\`; } catch {} });
  await lite.transaction(async (tx) => { try { await tx.query("insert into a values (1)"); } catch {} });
}`,
});
