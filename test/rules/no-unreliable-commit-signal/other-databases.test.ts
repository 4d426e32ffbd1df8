import { noUnreliableCommitSignal as rule } from "../../../rules/no-unreliable-commit-signal.js";
import { lintCases } from "../lint-cases.js";

lintCases("Databases that go on after a failed statement, or nobody knows which", rule, {
  MySQL: `import knexLib from "knex"; const knex = knexLib({ client: "mysql2" });
export const place = () => knex.transaction(async (trx) => { try { await trx("ledger").insert({}); } catch { console.log("known"); } });`,
  "MySQL, with Drizzle": `import { drizzle } from "drizzle-orm/mysql2"; import { mysqlTable, text } from "drizzle-orm/mysql-core"; const table = mysqlTable("a", { id: text() }); const db = drizzle("x");
export const place = () => db.transaction(async (tx) => { try { await tx.insert(table).values({ id: "1" }); } catch { console.log("known"); } });`,
  unknown: `import { PrismaClient } from "@prisma/client"; const prisma = new PrismaClient();
export const place = () => prisma.$transaction(async (tx) => { try { await tx.order.create({ data: { id: "1" } }); } catch { console.log("known"); } });`,
});
