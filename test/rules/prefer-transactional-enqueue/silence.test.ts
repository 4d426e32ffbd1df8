import { preferTransactionalEnqueue as rule } from "../../../rules/prefer-transactional-enqueue.js";
import { lintCases } from "../lint-cases.js";

const boss = `import { PgBoss, fromKnex } from "pg-boss"; import knexLib, { type Knex } from "knex"; const boss = new PgBoss("x"); const knex = knexLib({});`;

lintCases("Jobs in the transaction, or after it", rule, {
  "pg-boss with the handle": `${boss}
export async function place() {
  await knex.transaction(async (trx) => {
    await boss.send("mail", {}, { db: fromKnex(trx) });
    const options = { db: fromKnex(trx) }; await boss.send("mail", {}, options);
  });
}
export const enqueue = (trx: Knex.Transaction) => boss.send("mail", {}, { db: fromKnex(trx) });
export const enqueueWith = (db: never) => boss.send("mail", {}, { db });`,
  "no transaction": `${boss}
export async function place() {
  await knex("a").insert({}); await boss.send("mail", {});
  await knex.transaction(async (trx) => { await trx("a").insert({}); });
  await boss.send("mail", {});
}`,
  "SQL over the transaction's client": `import { Pool } from "pg"; import { DBOSClient } from "@dbos-inc/dbos-sdk"; const pool = new Pool(); declare const dbos: DBOSClient;
export async function place() {
  const client = await pool.connect();
  await client.query("BEGIN");
  await client.query("select graphile_worker.add_job($1)", ["mail"]);
  await dbos.enqueueInTransaction(client, { workflowName: "ship", queueName: "x" });
  await client.query("COMMIT");
}`,
  "queues that cannot take part are the matter of no-dispatch-in-transaction": `import { Queue } from "bullmq"; import knexLib from "knex"; const queue = new Queue("mail"); const knex = knexLib({});
export const place = () => knex.transaction(async (trx) => { await queue.add("mail", {}); });`,
  "so are places in which no handle is at hand": `${boss}
export async function place(work: (trx: Knex.Transaction) => Promise<void>) {
  try { await knex.transaction(work); } finally { await boss.send("mail", {}); }
}`,
  "look-alikes": `class Boss { async send(name: string, data: object) { console.log(name, data); } } const boss = new Boss(); import knexLib from "knex"; const knex = knexLib({});
export const place = (anything: any) => knex.transaction(async (trx) => { await boss.send("mail", {}); await anything.send("mail", {}); });`,
});
