import { expect, test } from "vitest";

import { preferTransactionalEnqueue as rule } from "../../../rules/prefer-transactional-enqueue.js";
import { linted, lintCases } from "../lint-cases.js";

const boss = `import { PgBoss, fromKnex, fromPrisma } from "pg-boss"; import knexLib, { type Knex } from "knex"; import { PrismaClient } from "@prisma/client"; const boss = new PgBoss("x"); const knex = knexLib({}); const prisma = new PrismaClient();`;

lintCases("Jobs beside the transaction", rule, {
  "pg-boss without the handle": `${boss}
export async function place() {
  await knex.transaction(async (trx) => {
    await boss.send("mail", {}); // report noHandle
    await boss.send("mail", {}, { retryLimit: 3 }); // report noHandle
    await boss.insert("mail", [{ data: {} }]); // report noHandle
  });
  await prisma.$transaction(async (tx) => {
    await boss.send("mail", {}); // report noHandle
  });
}`,
  "pg-boss with a client from outside": `${boss} const shared = fromKnex(knex);
export async function place() {
  await knex.transaction(async (trx) => {
    await boss.send("mail", {}, { db: fromKnex(knex) }); // report outerClient
    await boss.send("mail", {}, { db: shared }); // report outerClient
  });
  await prisma.$transaction(async (tx) => {
    await boss.send("mail", {}, { db: fromPrisma(prisma as never) }); // report outerClient
  });
}`,
  "in functions that are called, decorated, or handed the handle": `${boss} import { Transactional } from "typeorm-transactional";
async function notify() { await boss.send("mail", {}); }
export async function inside(trx: Knex.Transaction) {
  await notify(); // report noHandle
}
export class Orders {
  @Transactional()
  async place() {
    await notify(); // report noHandle
  }
}`,
  "Graphile Worker": `import { makeWorkerUtils } from "graphile-worker"; import { Pool } from "pg"; const pool = new Pool(); const utils = await makeWorkerUtils({});
export async function place() {
  const client = await pool.connect();
  await client.query("BEGIN");
  await utils.addJob("mail", {}); // report otherMember
  await client.query("COMMIT");
}`,
  DBOS: `import { DBOSClient } from "@dbos-inc/dbos-sdk"; import { Pool } from "pg"; const pool = new Pool(); declare const dbos: DBOSClient;
export async function place() {
  const client = await pool.connect();
  await client.query("BEGIN");
  await dbos.enqueueInTransaction(pool as never, { workflowName: "ship", queueName: "x" }); // report outerClient
  await dbos.enqueue({ workflowName: "ship", queueName: "x" }); // report otherMember
  await client.query("COMMIT");
}`,
  "@boringnode/queue": `import { Job } from "@boringnode/queue"; import { knex as adapter } from "@boringnode/queue/drivers/knex_adapter"; import knexLib from "knex"; const knex = knexLib({}); class Mail extends Job<{ id: number }> { async execute() {} }
export async function place() {
  await knex.transaction(async (trx) => {
    await Mail.dispatch({ id: 1 }).with(adapter(knex) as never); // report outerClient
    await Mail.dispatch({ id: 1 }); // report noHandle
  });
}`,
  "across files": {
    "main.ts": `import { notify } from "./notify.js"; import knexLib from "knex"; const knex = knexLib({});
export const place = () => knex.transaction(async (trx) => {
  await trx("a").insert({});
  await notify(); // report noHandle typed
});`,
    "notify.ts": `import { PgBoss } from "pg-boss"; const boss = new PgBoss("x"); export async function notify() { await boss.send("mail", {}); }`,
  },
});

const found = linted(
  rule,
  `import { PgBoss } from "pg-boss"; import knexLib from "knex"; const boss = new PgBoss("x"); const knex = knexLib({});
export const place = () => knex.transaction(async (trx) => { await boss.send("mail", {}); });`,
);

test("the message says what happens and what to pass, and a suggestion passes it", () => {
  expect(found().map(({ message, results }) => [message, ...results])).toEqual([
    [
      "`PgBoss.send` writes the job over a connection of its own while the transaction of `Knex.transaction` (line 2) is open: the worker can run before the rows are there, and a rollback leaves the job in the queue. This queue can write it in the transaction: pass the handle (`{ db }` or `{ options.db }`), and the job is there if and only if the rows are.",
      `import { PgBoss, fromKnex } from "pg-boss"; import knexLib from "knex"; const boss = new PgBoss("x"); const knex = knexLib({});
export const place = () => knex.transaction(async (trx) => { await boss.send("mail", {}, { db: fromKnex(trx) }); });`,
    ],
  ]);
});
