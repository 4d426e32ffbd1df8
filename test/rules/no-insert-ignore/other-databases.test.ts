import { noInsertIgnore as rule } from "../../../rules/no-insert-ignore.js";
import { lintCases } from "../lint-cases.js";

// all cases of a file are one program, and the database is the program's: PostgreSQL here, or nobody knows
lintCases("Members that become ON CONFLICT", rule, {
  "Knex, TypeORM, Sequelize": `import knexLib from "knex"; import { DataSource } from "typeorm"; import { Sequelize, Model } from "sequelize";
const knex = knexLib({ client: "pg" }); const dataSource = new DataSource({ type: "postgres" }); export const sequelize = new Sequelize({ dialect: "postgres" }); class Ledger extends Model {}
export async function record() {
  await knex("ledger").insert({ id: "1" }).onConflict("id").ignore();
  await dataSource.createQueryBuilder().insert().into("ledger").values({ id: "1" }).orIgnore().execute();
  await Ledger.bulkCreate([{ id: "1" }], { ignoreDuplicates: true });
}`,
  "Drizzle for PostgreSQL and SQLite": `import { drizzle } from "drizzle-orm/node-postgres"; import { pgTable, text } from "drizzle-orm/pg-core"; const ledger = pgTable("ledger", { id: text() }); const db = drizzle("x");
export const record = () => db.insert(ledger).values({ id: "1" }).onConflictDoNothing({ target: ledger.id });`,
  "Prisma for PostgreSQL, and where no client says it": `import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient();
export const record = () => prisma.order.createMany({ data: [], skipDuplicates: true });`,
});
