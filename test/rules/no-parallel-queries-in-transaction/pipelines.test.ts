import { noParallelQueriesInTransaction as rule } from "../../../rules/no-parallel-queries-in-transaction.js";
import { lintCases } from "../lint-cases.js";

// a file of its own: the program of these cases has the driver in it
lintCases("Connections that have all queries before a rollback", rule, {
  "connections that pipeline": `import postgres from "postgres"; const sql = postgres("x");
export async function place(rows: string[]) {
  await sql.begin(async (sql) => {
    await Promise.all([sql\`insert into a values (1)\`, sql\`insert into b values (1)\`]);
    await Promise.all(rows.map((row) => sql\`insert into a values (\${row})\`));
  });
}`,
  "several steps over a connection that pipelines": `import postgres from "postgres"; const sql = postgres("x");
export async function place(rows: string[]) {
  await sql.begin(async (sql) => {
    await Promise.all(rows.map(async (row) => { await sql\`insert into a values (\${row})\`; await sql\`insert into b values (\${row})\`; })); // report together
  });
}`,
  "a query builder over one": `import { drizzle } from "drizzle-orm/postgres-js"; import { pgTable, text } from "drizzle-orm/pg-core"; import postgres from "postgres"; const db = drizzle(postgres("x")); const table = pgTable("a", { id: text() });
export async function place(rows: { id: string }[]) {
  await db.transaction(async (tx) => {
    await Promise.all([tx.select().from(table), tx.insert(table).values({ id: "1" })]);
    await Promise.all(rows.map(async (row) => { await tx.select().from(table); await tx.insert(table).values(row); })); // report together
  });
}`,
});
