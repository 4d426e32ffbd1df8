import { expect, test } from "vitest";

import { noInsertIgnore as rule } from "../../../rules/no-insert-ignore.js";
import { linted, lintCases } from "../lint-cases.js";

lintCases("SQL that ignores errors", rule, {
  "MySQL and MariaDB": `import mysql from "mysql2/promise"; import { createPool } from "mariadb"; const pool = mysql.createPool({}); const other = createPool({});
export async function record(id: string) {
  const connection = await pool.getConnection();
  await connection.execute("INSERT IGNORE INTO ledger (id) VALUES (?)", [id]); // report mysql
  await pool.query(\`insert  ignore into ledger values (\${id})\`); // report mysql
  await pool.query({ sql: "INSERT LOW_PRIORITY IGNORE INTO ledger VALUES (1)" }); // report mysql
  await other.query("-- once\\nINSERT IGNORE INTO ledger VALUES (1)"); // report mysql
}`,
  SQLite: `import Database from "better-sqlite3"; import { createClient } from "@libsql/client"; const db = new Database("x"); const client = createClient({ url: "x" });
export async function record(id: string) {
  db.prepare("INSERT OR IGNORE INTO ledger (id) VALUES (?)").run(id); // report sqlite
  db.exec("insert or ignore into ledger values (1)"); // report sqlite
  await client.execute({ sql: "INSERT OR IGNORE INTO ledger VALUES (?)", args: [id] }); // report sqlite
  await client.execute("INSERT OR IGNORE INTO ledger VALUES (1)"); // report sqlite
}`,
  "by a constant": `import mysql from "mysql2/promise"; const pool = mysql.createPool({}); const statement = "INSERT IGNORE INTO ledger VALUES (?)";
export async function record(id: string) {
  await pool.execute(statement, [id]); // report mysql
}`,
  "through libraries around a driver": `import { PrismaClient } from "@prisma/client"; import { DataSource } from "typeorm"; import knexLib from "knex"; import { drizzle } from "drizzle-orm/mysql2"; import { sql } from "drizzle-orm"; import { Sequelize } from "sequelize"; import { Kysely, sql as raw } from "kysely";
const prisma = new PrismaClient(); const dataSource = new DataSource({} as never); const knex = knexLib({}); const db = drizzle("x"); const sequelize = new Sequelize("x"); const kysely = new Kysely<any>({} as never);
export async function record(id: string) {
  await prisma.$executeRaw\`INSERT IGNORE INTO ledger VALUES (\${id})\`; // report mysql
  await dataSource.query("INSERT IGNORE INTO ledger VALUES (?)", [id]); // report mysql
  await knex.raw("INSERT IGNORE INTO ledger VALUES (?)", [id]); // report mysql
  await db.execute(sql\`INSERT IGNORE INTO ledger VALUES (\${id})\`); // report mysql
  await sequelize.query("INSERT IGNORE INTO ledger VALUES (?)"); // report mysql
  await raw\`INSERT IGNORE INTO ledger VALUES (\${id})\`.execute(kysely); // report mysql
}`,
  "through a function of the project": {
    "main.ts": `import { run } from "./run.js";
export const record = (id: string) => run("INSERT IGNORE INTO ledger VALUES (?)", [id]); // report mysql typed`,
    "run.ts": `import mysql from "mysql2/promise"; const pool = mysql.createPool({});
export async function run(text: string, values: unknown[]) { return pool.query(text, values); }`,
  },
});

lintCases("SQL that does not", rule, {
  "plain inserts, and targeted conflicts": `import mysql from "mysql2/promise"; import { Pool } from "pg"; import Database from "better-sqlite3"; const pool = mysql.createPool({}); const pg = new Pool(); const db = new Database("x");
export async function record(id: string) {
  await pool.query("INSERT INTO ledger VALUES (?)", [id]);
  await pool.query("INSERT INTO ledger VALUES (?) ON DUPLICATE KEY UPDATE id = id", [id]);
  await pg.query("INSERT INTO ledger VALUES ($1) ON CONFLICT (id) DO NOTHING", [id]);
  db.prepare("INSERT INTO ledger VALUES (?) ON CONFLICT (id) DO NOTHING").run(id);
  db.prepare("INSERT OR REPLACE INTO ledger VALUES (?)").run(id);
  await pool.query("UPDATE IGNORE ledger SET id = 1"); await pool.query("select 'INSERT IGNORE INTO x'");
}`,
  "texts that nobody sends": `import mysql from "mysql2/promise"; export const pool = mysql.createPool({});
export const hint = "INSERT IGNORE INTO ledger hides errors"; console.log("INSERT IGNORE INTO ledger");
export function explain() { log("INSERT IGNORE INTO ledger"); }
function log(text: string) { console.log(text); }`,
  any: `export async function record(db: any) { await db.query("INSERT IGNORE INTO ledger VALUES (1)"); }`,
  "a query of one's own": `class Db { query(text: string) { return text.length; } } export const record = () => new Db().query("INSERT IGNORE INTO ledger VALUES (1)");`,
});

const code = `import mysql from "mysql2/promise"; const pool = mysql.createPool({});
export const load = () => pool.query("INSERT IGNORE INTO staging_orders VALUES (1)");`;
const found = linted(rule, code);

test("the message says what is lost and what to write", () => {
  expect(found().map(({ message }) => message)).toEqual([
    "`INSERT IGNORE` is meant to skip a duplicate, but it also skips a row whose foreign key leads nowhere, and stores something else for a NULL, a text that is too long or a bad value, all without an error: the row is taken for done. Write a plain `INSERT` and catch the duplicate alone (`ER_DUP_ENTRY`, 1062), or `… ON DUPLICATE KEY UPDATE id = id`.",
  ]);
});
