import { expect, test } from "vitest";

import { noTransactionOnPool as rule } from "../../../rules/no-transaction-on-pool.js";
import { linted, lintCases } from "../lint-cases.js";

lintCases("Transaction control through a pool", rule, {
  "pg, once for the whole transaction": `import { Pool } from "pg"; const pool = new Pool();
export async function place() {
  await pool.query("BEGIN"); // report begin
  try {
    await pool.query("insert into orders values (1)");
    await pool.query("COMMIT");
  } catch (error) {
    await pool.query("ROLLBACK");
    throw error;
  }
}`,
  "pg, each function by itself": `import { Pool } from "pg"; const pool = new Pool();
export const begin = () => pool.query("begin isolation level serializable"); // report begin
export const commit = () => pool.query("COMMIT;"); // report end
export const rollback = async () => { await pool.query({ text: "ROLLBACK" }); }; // report end`,
  "pg, injected": `import type { Pool } from "pg";
export class Orders {
  constructor(private readonly pg: Pool) {}
  async place() {
    await this.pg.query("BEGIN"); // report begin
  }
  async end() {
    await this.pg.query("COMMIT"); // report end
  }
}`,
  "pg, by a constant": `import { Pool } from "pg"; const pool = new Pool(); const BEGIN = "BEGIN";
export async function place() {
  await pool.query(BEGIN); // report begin
}`,
  "savepoints and settings of the transaction": `import { Pool } from "pg"; const pool = new Pool();
export async function one(name: string) {
  await pool.query(\`SAVEPOINT \${name}\`); // report inside
}
export async function two(tenant: string) {
  await pool.query(\`set local app.tenant = '\${tenant}'\`); // report inside
}
export async function three() {
  await pool.query("ROLLBACK TO SAVEPOINT a"); // report inside
}
export async function four() {
  await pool.query("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"); // report inside
}`,
  "mysql2 with promises": `import mysql from "mysql2/promise"; const pool = mysql.createPool({});
export async function place() {
  await pool.query("START TRANSACTION"); // report begin
  await pool.execute("COMMIT");
}`,
  "mysql2 with callbacks": `import { createPool } from "mysql2"; const pool = createPool({});
export function place(done: () => void) {
  pool.query("START TRANSACTION", () => { // report begin
    pool.query("insert into orders values (1)", () => { pool.query("COMMIT", done); });
  });
}`,
  MariaDB: `import { createPool } from "mariadb"; const pool = createPool({});
export async function place() {
  await pool.query("BEGIN"); // report begin
}`,
  "Postgres.js": `import postgres from "postgres"; const sql = postgres("postgres://x");
export async function place() {
  await sql\`BEGIN\`; // report begin
}
export async function other() {
  await sql.unsafe("savepoint a"); // report inside
}`,
  "pg-promise": `import pgPromise from "pg-promise"; const db = pgPromise()("postgres://x");
export async function place() {
  await db.none("BEGIN"); // report begin
}`,
  "Neon, over HTTP and over a pool": `import { neon, Pool } from "@neondatabase/serverless"; const sql = neon("x"); const pool = new Pool();
export async function one() {
  await sql\`BEGIN\`; // report begin
}
export async function two() {
  await pool.query("BEGIN"); // report begin
}`,
  Prisma: `import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient();
export async function place() {
  await prisma.$executeRaw\`BEGIN\`; // report begin
  await prisma.order.findMany();
  await prisma.$executeRawUnsafe("COMMIT");
}`,
  "through a function of the project": `import { Pool } from "pg"; const pool = new Pool();
const query = (text: string, values?: unknown[]) => pool.query(text, values);
export async function place() {
  await query("BEGIN"); // report begin
  await query("COMMIT");
}`,
  "through a function of another file": {
    "main.ts": `import { db } from "./db.js";
export async function place() {
  await db.query("BEGIN"); // report begin typed
}`,
    "db.ts": `import { Pool } from "pg"; const pool = new Pool();
export const db = { query(text: string) { console.log(text); return pool.query(text); } };`,
  },
});

const messages = linted(
  rule,
  `import { Pool } from "pg"; const pool = new Pool();
export async function place() {
  await pool.query("BEGIN");
  await pool.query("COMMIT");
}`,
);

test("the message says what happens, where the rest stands, and what to do", () => {
  expect(messages().map(({ message }) => message)).toEqual([
    "`BEGIN` goes through the pool `pool`, which may send each statement over another connection: what follows runs in no transaction, a rollback takes nothing back, and whoever gets this connection next is inside a transaction that nobody ends. So does `COMMIT` (line 4). Take one connection for all of it: `const client = await pool.connect()`.",
  ]);
});
