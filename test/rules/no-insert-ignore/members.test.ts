import { noInsertIgnore as rule } from "../../../rules/no-insert-ignore.js";
import { lintCases } from "../lint-cases.js";

// all cases of a file are one program, and the database is the program's: MySQL here
lintCases("Members that become INSERT IGNORE", rule, {
  Drizzle: `import { drizzle } from "drizzle-orm/mysql2"; import { mysqlTable, varchar } from "drizzle-orm/mysql-core"; import type { MySql2Database } from "drizzle-orm/mysql2";
const ledger = mysqlTable("ledger", { id: varchar({ length: 1 }) }); const db: MySql2Database = drizzle("x");
export async function record() {
  await db.insert(ledger).ignore().values({ id: "1" }); // report becomesMysql
  await db.insert(ledger).values({ id: "1" });
}`,
  Kysely: `import { Kysely } from "kysely"; const db = new Kysely<any>({} as never);
export async function record() {
  await db.insertInto("ledger").ignore().values({ id: "1" }).execute(); // report becomesMysql
  await db.insertInto("ledger").orIgnore().values({ id: "1" }).execute(); // report becomesSqlite
  await db.insertInto("ledger").values({ id: "1" }).onConflict((oc) => oc.column("id").doNothing()).execute();
}`,
  Knex: `import knexLib from "knex"; const knex = knexLib({ client: "mysql2" });
export async function record() {
  await knex("ledger").insert({ id: "1" }).onConflict("id").ignore(); // report becomesMysql typed
  await knex("ledger").insert({ id: "1" }).onConflict("id").merge();
}`,
  TypeORM: `import { DataSource } from "typeorm"; const dataSource = new DataSource({ type: "mysql" });
export async function record() {
  await dataSource.createQueryBuilder().insert().into("ledger").values({ id: "1" }).orIgnore().execute(); // report becomesMysql typed
}`,
  Sequelize: `import { Sequelize, Model } from "sequelize"; export const sequelize = new Sequelize({ dialect: "mariadb" }); class Ledger extends Model {}
export async function record(ignoreDuplicates: boolean) {
  await Ledger.bulkCreate([{ id: "1" }], { ignoreDuplicates: true }); // report becomesMysql
  await Ledger.create({ id: "1" }, { ignoreDuplicates: true }); // report becomesMysql
  await Ledger.bulkCreate([{ id: "1" }], { ignoreDuplicates: false });
  await Ledger.bulkCreate([{ id: "1" }], { ignoreDuplicates });
}`,
  "Prisma, whose generated client says the database": {
    "main.ts": `import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient();
export async function record() {
  await prisma.order.createMany({ data: [], skipDuplicates: true }); // report becomesMysql typed
  await prisma.order.createMany({ data: [] });
}`,
    "generated.ts": `export const config = { "previewFeatures": [], "activeProvider": "mysql" };`,
  },
  "look-alikes": `class Lines { ignore() { return this; } orIgnore() { return this; } createMany(options: { skipDuplicates: boolean }) { return options; } }
export const run = (anything: any) => [new Lines().ignore(), new Lines().orIgnore(), new Lines().createMany({ skipDuplicates: true }), anything.onConflict("id").ignore()];`,
});
