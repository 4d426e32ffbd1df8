import { noTransactionOnPool as rule } from "../../../rules/no-transaction-on-pool.js";
import { lintCases } from "../lint-cases.js";

lintCases("One connection", rule, {
  pg: `import { Pool, Client, type PoolClient } from "pg"; const pool = new Pool(); const single = new Client();
export async function place() {
  const client = await pool.connect();
  await client.query("BEGIN"); await client.query("SAVEPOINT a"); await client.query("COMMIT");
  await single.query("BEGIN"); await single.query("COMMIT");
}
export async function inside(client: PoolClient) { await client.query("SET LOCAL x = 1"); }`,
  "mysql2 and MariaDB": `import mysql from "mysql2/promise"; import { createPool } from "mariadb"; const pool = mysql.createPool({}); const other = createPool({});
export async function place() {
  const connection = await pool.getConnection();
  await connection.query("START TRANSACTION"); await connection.query("COMMIT");
  const single = await mysql.createConnection("x");
  await single.query("BEGIN");
  const third = await other.getConnection();
  await third.query("BEGIN");
}`,
  "the handle of a transaction": `import postgres from "postgres"; import pgPromise from "pg-promise"; import { PrismaClient, type Prisma } from "@prisma/client"; import { drizzle } from "drizzle-orm/node-postgres"; import { sql as text } from "drizzle-orm"; import knexLib from "knex";
const sql = postgres("x"); const db = pgPromise()("x"); const prisma = new PrismaClient(); const orm = drizzle("x"); const knex = knexLib({});
export async function place() {
  await sql.begin(async (sql) => { await sql\`SET LOCAL app.tenant = 1\`; await sql.unsafe("SAVEPOINT a"); });
  const reserved = await sql.reserve(); await reserved\`BEGIN\`;
  await db.tx(async (t) => { await t.none("SET LOCAL app.tenant = 1"); });
  await db.task(async (t) => { await t.none("BEGIN"); });
  await prisma.$transaction(async (tx) => { await tx.$executeRaw\`SET LOCAL app.tenant = 1\`; });
  await orm.transaction(async (tx) => { await tx.execute(text\`SAVEPOINT a\`); });
  await knex.transaction(async (trx) => { await trx.raw("SAVEPOINT a"); });
}
export const setTenant = (tx: Prisma.TransactionClient) => tx.$executeRaw\`SET LOCAL app.tenant = 1\`;`,
  "drivers with one connection": `import Database from "better-sqlite3"; import { PGlite } from "@electric-sql/pglite"; const db = new Database("x"); const lite = new PGlite();
export async function place() { db.exec("BEGIN"); db.prepare("COMMIT").run(); await lite.exec("BEGIN"); await lite.query("COMMIT"); }`,
  "a pool of one": `import { Pool } from "pg"; const pool = new Pool({ max: 1 });
export async function place() { await pool.query("BEGIN"); await pool.query("COMMIT"); }`,
  "a pool of one from elsewhere": {
    "main.ts": `import { pool } from "./pool.js";
export async function place() { await pool.query("BEGIN"); await pool.query("COMMIT"); }`,
    "pool.ts": `import { Pool } from "pg"; export const pool = new Pool({ max: 1 });`,
  },
  "a union with a connection": `import type { Pool, PoolClient } from "pg"; import type { Pool as MyPool, PoolConnection } from "mysql2/promise";
export async function place(db: Pool | PoolClient, my: MyPool | PoolConnection) { await db.query("BEGIN"); await my.query("BEGIN"); }`,
});

lintCases("Statements that need no connection of their own", rule, {
  "several in one text": `import { Pool } from "pg"; const pool = new Pool();
export async function place() {
  await pool.query("BEGIN; update a set b = 1; COMMIT");
  await pool.query("BEGIN;\\nupdate a set b = 1;\\nCOMMIT;");
}`,
  "what was prepared": `import { Pool } from "pg"; const pool = new Pool();
export async function end(id: string) { await pool.query(\`COMMIT PREPARED '\${id}'\`); await pool.query("ROLLBACK PREPARED 'a'"); }`,
  "settings of the session or the server, and words that only begin so": `import { Pool } from "pg"; const pool = new Pool();
export async function place() { await pool.query("SET statement_timeout = 1"); await pool.query("select 'BEGIN'"); await pool.query("beginning"); await pool.query("settle local"); console.log("BEGIN"); }`,
  "sent together in a transaction": `import { PrismaClient } from "@prisma/client"; import { neon } from "@neondatabase/serverless"; const prisma = new PrismaClient(); const sql = neon("x");
export async function place() {
  await prisma.$transaction([prisma.$executeRaw\`SET LOCAL app.tenant = 1\`, prisma.order.findMany()]);
  await sql.transaction([sql\`SET LOCAL app.tenant = 1\`, sql\`select 1\`]);
}
const setTenant = () => prisma.$executeRaw\`SET LOCAL app.tenant = 1\`;
export const read = () => prisma.$transaction([setTenant(), prisma.order.findMany()]);`,
});

lintCases("Look-alikes", rule, {
  "a Pool of one's own": `class Pool { async query(text: string) { console.log(text); } } const pool = new Pool();
export async function place() { await pool.query("BEGIN"); }`,
  any: `export async function place(pool: any) { await pool.query("BEGIN"); }`,
  "a worker pool": `import { EventEmitter } from "node:events"; const pool = new EventEmitter();
export function place() { pool.emit("BEGIN"); }`,
});

// each case is an item of "Scope and limits" in docs/rules/no-transaction-on-pool.md
lintCases("Limits", rule, {
  "query builders may stand over one connection": `import { drizzle } from "drizzle-orm/node-postgres"; import { sql } from "drizzle-orm"; import knexLib from "knex"; import { DataSource } from "typeorm";
const db = drizzle("x"); const knex = knexLib({}); const dataSource = new DataSource({} as never);
export async function place() { await db.execute(sql\`BEGIN\`); await knex.raw("BEGIN"); await dataSource.query("BEGIN"); }`,
  "SQL that is put together": `import { Pool } from "pg"; const pool = new Pool();
export async function place(level: string) { await pool.query("BEGIN " + level); }`,
});
