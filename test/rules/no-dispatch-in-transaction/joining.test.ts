import { noDispatchInTransaction as rule } from "../../../rules/no-dispatch-in-transaction.js";
import { expect, test } from "vitest";
import { linted, lintCases } from "../lint-cases.js";

lintCases("Joining: pg-boss with { db }", rule, {
  "made from the handle, with each adapter": `import { PgBoss, fromKnex, fromKysely, fromDrizzle, fromPrisma, fromPglite } from "pg-boss"; import knexLib from "knex"; import { Kysely } from "kysely"; import { drizzle } from "drizzle-orm/node-postgres"; import { sql } from "drizzle-orm"; import { PrismaClient } from "@prisma/client"; import { PGlite } from "@electric-sql/pglite";
const boss = new PgBoss("x"); const knex = knexLib({}); const kysely = new Kysely<any>({} as never); const db = drizzle("x"); const prisma = new PrismaClient(); const lite = new PGlite();
export async function place() {
  await knex.transaction(async (trx) => { await boss.send("mail", {}, { db: fromKnex(trx) }); });
  await kysely.transaction().execute(async (trx) => { await boss.send("mail", {}, { db: fromKysely(trx) }); });
  await db.transaction(async (tx) => { await boss.send("mail", {}, { db: fromDrizzle(tx, sql) }); });
  await prisma.$transaction(async (tx) => { await boss.send("mail", {}, { db: fromPrisma(tx as never) }); });
  await lite.transaction(async (tx) => { await boss.send("mail", {}, { db: fromPglite(tx as never) }); });
  await knex.transaction(async (trx) => {
    const db = fromKnex(trx);
    const options = { db, retryLimit: 3 };
    await boss.send("mail", {}, options);
    await boss.send({ name: "mail", data: {}, options: { db } });
    await boss.insert("mail", [{ data: {} }], { db });
    await boss.publish("placed", {}, { db });
  });
}`,
  "without it": `import { PgBoss } from "pg-boss"; import knexLib from "knex"; const boss = new PgBoss("x"); const knex = knexLib({});
export async function place() {
  await knex.transaction(async (trx) => {
    await boss.send("mail", {}); // report noHandle
    await boss.send("mail", {}, { retryLimit: 3 }); // report noHandle
    await boss.insert("mail", [{ data: {} }]); // report noHandle
  });
}`,
  "made from the root client": `import { PgBoss, fromKnex, fromPrisma } from "pg-boss"; import knexLib from "knex"; import { PrismaClient } from "@prisma/client"; const boss = new PgBoss("x"); const knex = knexLib({}); const prisma = new PrismaClient(); const shared = fromKnex(knex);
export async function place() {
  await knex.transaction(async (trx) => {
    await boss.send("mail", {}, { db: fromKnex(knex) }); // report outerClient
    await boss.send("mail", {}, { db: shared }); // report outerClient
  });
  await prisma.$transaction(async (tx) => {
    await boss.send("mail", {}, { db: fromPrisma(prisma as never) }); // report outerClient
  });
}
export class Orders {
  constructor(private readonly prisma: PrismaClient) {}
  async place() {
    await this.prisma.$transaction(async (tx) => {
      await boss.send("mail", {}, { db: fromPrisma(this.prisma as never) }); // report outerClient
    });
  }
}`,
  "as an inline closure over the handle, and over the root client": `import { PgBoss } from "pg-boss"; import { Pool } from "pg"; const boss = new PgBoss("x"); const pool = new Pool();
export async function place() {
  const client = await pool.connect();
  await client.query("BEGIN");
  await boss.send("mail", {}, { db: { executeSql: (text: string, values?: unknown[]) => client.query(text, values) } });
  await boss.send("mail", {}, { db: { executeSql: (text: string, values?: unknown[]) => pool.query(text, values) } }); // report outerClient
  await client.query("COMMIT");
}`,
  "in a function that is given the handle or the adapter": `import { PgBoss, fromKnex, type Db } from "pg-boss"; import knexLib, { type Knex } from "knex"; const boss = new PgBoss("x"); const knex = knexLib({});
async function enqueue(trx: Knex.Transaction) { await boss.send("mail", {}, { db: fromKnex(trx) }); }
async function enqueueWith(db: never) { await boss.send("mail", {}, { db }); }
async function enqueueOptionally(options: { db?: never }) { await boss.send("mail", {}, options); }
export async function place() {
  await knex.transaction(async (trx) => {
    await enqueue(trx);
    await enqueueWith(fromKnex(trx) as never);
    await enqueueOptionally({ db: fromKnex(trx) as never });
    await enqueueOptionally({}); // report noHandle
  });
}`,
  "in a transactional work handler": `import { PgBoss } from "pg-boss"; import { Queue } from "bullmq"; const boss = new PgBoss("x");
await boss.work("orders", { transactional: true } as never, (async (jobs: unknown[], tx: never) => {
  await boss.send("mail", {}, { db: tx });
}) as never);`,
});

lintCases("Joining: other queues in the same database", rule, {
  "Graphile Worker's SQL function on the transaction's client": `import { makeWorkerUtils } from "graphile-worker"; import { Pool } from "pg"; import { PrismaClient } from "@prisma/client"; const pool = new Pool(); const prisma = new PrismaClient(); const utils = await makeWorkerUtils({});
export async function place() {
  const client = await pool.connect();
  await client.query("BEGIN");
  await client.query("select graphile_worker.add_job($1, payload := $2)", ["mail", {}]);
  await utils.addJob("mail", {}); // report
  await client.query("COMMIT");
  await prisma.$transaction(async (tx) => {
    await tx.$executeRaw\`select graphile_worker.add_job('mail')\`;
    await utils.addJob("mail", {}); // report
  });
}`,
  DBOS: `import { DBOSClient } from "@dbos-inc/dbos-sdk"; import { Pool } from "pg"; const pool = new Pool(); declare const dbos: DBOSClient;
export async function place() {
  const client = await pool.connect();
  await client.query("BEGIN");
  await dbos.enqueueInTransaction(client, { workflowName: "ship", queueName: "x" });
  await dbos.enqueueInTransaction(pool as never, { workflowName: "ship", queueName: "x" }); // report outerClient
  await dbos.enqueue({ workflowName: "ship", queueName: "x" }); // report
  await client.query("COMMIT");
}`,
  "@boringnode/queue": `import { Job } from "@boringnode/queue"; import { knex as adapter } from "@boringnode/queue/drivers/knex_adapter"; import knexLib from "knex"; const knex = knexLib({}); class Mail extends Job<{ id: number }> { async execute() {} }
export async function place() {
  await knex.transaction(async (trx) => {
    await Mail.dispatch({ id: 1 }).with(adapter(trx) as never);
    await Mail.dispatch({ id: 1 }).with(adapter(knex) as never); // report outerClient
    await Mail.dispatch({ id: 1 }); // report noHandle
  });
}`,
  "a row of an outbox": `import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient();
export async function place() {
  await prisma.$transaction(async (tx) => {
    await tx.outbox.create({ data: { topic: "mail", payload: {}, idempotencyKey: "x" } });
  });
}`,
});

lintCases("Joining: a transactional worker of pg-boss", rule, {
  "its handler runs inside a transaction": `import { PgBoss } from "pg-boss"; import { Queue } from "bullmq"; const boss = new PgBoss("x"); const queue = new Queue("mail");
export async function start() {
  await boss.work("orders", { transactional: true }, async (jobs, tx) => {
    await queue.add("mail", {}); // report
    await boss.send("mail", {}); // report noHandle
    await boss.send("mail", {}, { db: tx });
  });
  await boss.work("orders", async () => { await queue.add("mail", {}); });
  await boss.work("orders", { batchSize: 3 }, async () => { await boss.send("mail", {}); });
}`,
});

const suggestions = (imports: string, body: string) => linted(rule, `${imports}\n${body}`);

const suggested: readonly (readonly [name: string, code: ReturnType<typeof linted>, result: string | undefined])[] = [
  [
    "Knex, with no options yet",
    suggestions(
      `import { PgBoss } from "pg-boss"; import knexLib from "knex"; const boss = new PgBoss("x"); const knex = knexLib({});`,
      `export const place = () => knex.transaction(async (trx) => { await boss.send("mail", {}); });`,
    ),
    `import { PgBoss, fromKnex } from "pg-boss"; import knexLib from "knex"; const boss = new PgBoss("x"); const knex = knexLib({});
export const place = () => knex.transaction(async (trx) => { await boss.send("mail", {}, { db: fromKnex(trx) }); });`,
  ],
  [
    "Drizzle, beside other options",
    suggestions(
      `import { PgBoss, fromDrizzle } from "pg-boss"; import { drizzle } from "drizzle-orm/node-postgres"; const boss = new PgBoss("x"); const db = drizzle("x");`,
      `export const place = () => db.transaction(async (tx) => { await boss.send("mail", {}, { retryLimit: 3 }); });`,
    ),
    `import { sql } from "drizzle-orm";
import { PgBoss, fromDrizzle } from "pg-boss"; import { drizzle } from "drizzle-orm/node-postgres"; const boss = new PgBoss("x"); const db = drizzle("x");
export const place = () => db.transaction(async (tx) => { await boss.send("mail", {}, { db: fromDrizzle(tx, sql), retryLimit: 3 }); });`,
  ],
  [
    "pg, by hand",
    suggestions(
      `import { PgBoss } from "pg-boss"; import { Pool } from "pg"; const boss = new PgBoss("x"); const pool = new Pool();`,
      `export async function place() {
  const client = await pool.connect();
  await client.query("BEGIN");
  await boss.send("mail", {});
  await client.query("COMMIT");
}`,
    ),
    `import { PgBoss } from "pg-boss"; import { Pool } from "pg"; const boss = new PgBoss("x"); const pool = new Pool();
export async function place() {
  const client = await pool.connect();
  await client.query("BEGIN");
  await boss.send("mail", {}, { db: { executeSql: (text, values) => client.query(text, values) } });
  await client.query("COMMIT");
}`,
  ],
  [
    "nothing where the options cannot be read, or data is missing before them",
    suggestions(
      `import { PgBoss } from "pg-boss"; import knexLib from "knex"; const boss = new PgBoss("x"); const knex = knexLib({});`,
      `export const place = () => knex.transaction(async (trx) => { await boss.send("mail"); });`,
    ),
    undefined,
  ],
];

test.each(suggested)("The suggestion to join: %s", (_name, code, result) => {
  for (const mode of ["typed", "untyped"] as const)
    expect(code(mode).map(({ messageId, results: [first] }) => [messageId, first])).toEqual([["noHandle", result]]);
});
