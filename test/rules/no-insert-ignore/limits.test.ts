import { noInsertIgnore as rule } from "../../../rules/no-insert-ignore.js";
import { lintCases } from "../lint-cases.js";

// each case is an item of "Scope and limits" in docs/rules/no-insert-ignore.md
lintCases("Limits", rule, {
  "two databases in one program": `import knexLib from "knex"; const knex = knexLib({ client: "mysql2" }); export const other = knexLib({ client: "pg" });
export const record = () => knex("ledger").insert({ id: "1" }).onConflict("id").ignore();`,
  "a database that the environment chooses": `import { Sequelize, Model } from "sequelize"; export const sequelize = new Sequelize(process.env["DATABASE_URL"]!); class Ledger extends Model {}
export const record = () => Ledger.bulkCreate([{ id: "1" }], { ignoreDuplicates: true });`,
  "SQL that is put together": `import mysql from "mysql2/promise"; const pool = mysql.createPool({});
export const record = (table: string) => pool.query("INSERT IGNORE INTO " + table);`,
});

lintCases(
  "The option tables",
  rule,
  {
    "SQL that fills them is silent, other SQL is not": `import mysql from "mysql2/promise"; const pool = mysql.createPool({});
export async function load() {
  await pool.query("INSERT IGNORE INTO staging_orders VALUES (1)");
  await pool.query("INSERT IGNORE INTO \`cache\` VALUES (1)");
  await pool.query("INSERT IGNORE INTO ledger VALUES (1)"); // report mysql
}`,
  },
  [{ tables: ["staging_*", "cache"] }],
);
