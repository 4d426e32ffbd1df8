import { noEffectInRetriedTransaction as rule } from "../../../rules/no-effect-in-retried-transaction.js";
import { lintCases } from "../lint-cases.js";

const mongo = `import { MongoClient } from "mongodb"; const client = new MongoClient("x");`;

lintCases("Retried: what a further attempt does not harm", rule, {
  "values returned, local variables, results that each attempt sets": `${mongo}
export async function place(ids: string[]) {
  let order: unknown; const byId = new Map<string, number>(); const seen = new Set<string>();
  const result = await client.startSession().withTransaction(async (session) => {
    const events: string[] = []; let sum = 0; let i = 0;
    for (const id of ids) { events.push(id); sum += Number(id); i++; byId.set(id, sum); seen.add(id); }
    order = await client.db().collection("orders").findOne({}, { session });
    return { events, sum, i };
  });
  return { order, result, byId, seen };
}`,
  "values that are made of the old one and are no more than it": `${mongo}
export async function place(user: { id: string; name: string }) {
  let order = { id: "1" }; let name = "a"; let options = { a: 1 };
  await client.startSession().withTransaction(async () => {
    order = (await client.db().collection("orders").findOne({ id: order.id })) as never;
    name = name.trim(); options = { ...options, a: 2 }; user.name = user.name.toLowerCase();
  });
  return { order, name, options };
}`,
  "variables that the attempt sets to their start": `${mongo}
export async function place(ids: string[]) {
  let events: string[] = []; const lines: string[] = []; let total = 0;
  await client.startSession().withTransaction(async () => {
    events = []; lines.length = 0; total = 0;
    for (const id of ids) { events.push(id); lines.push(id); total += 1; }
  });
  return { events, lines, total };
}`,
  "logs, metrics, attempts, numbers that only tell apart": `${mongo} let seq = 0; let nextId = 1; const metrics = { conflicts: 0 }; const logs: string[] = [];
export async function place() {
  let attempts = 0; let retryCount = 0;
  await client.startSession().withTransaction(async () => {
    attempts++; retryCount += 1; seq++; nextId += 1; metrics.conflicts++; logs.push("again"); console.log(attempts);
  });
  return { attempts, retryCount };
}`,
  "things with a push that are no lists": `${mongo} import { Readable } from "node:stream"; const stream = new Readable(); class Router { push(x: string) { return x; } } const router = new Router();
export const place = () => client.startSession().withTransaction(async () => { stream.push("x"); router.push("/x"); });`,
  "functions that only are defined": `${mongo}
export async function place(events: string[]) {
  return client.startSession().withTransaction(async () => { const add = () => { events.push("x"); }; return add; });
}`,
});

lintCases("Retried: what runs once", rule, {
  "libraries that never run the callback again": `import { PrismaClient } from "@prisma/client"; import knexLib from "knex"; import { DataSource } from "typeorm"; import axios from "axios"; const prisma = new PrismaClient(); const knex = knexLib({}); const dataSource = new DataSource({} as never);
export async function place() {
  const events: string[] = []; let total = 0;
  await prisma.$transaction(async () => { events.push("x"); total++; await axios.post("/x", {}); }, { isolationLevel: "Serializable" });
  await knex.transaction(async () => { events.push("x"); total++; });
  await dataSource.transaction(async () => { events.push("x"); total++; });
  return { events, total };
}`,
  "loops over items, loops without a catch, functions that are only called so": `import knexLib from "knex"; const knex = knexLib({});
async function retryable(work: () => Promise<void>) { await work(); }
export async function place(ids: string[]) {
  const events: string[] = [];
  for (const id of ids) { try { await knex.transaction(async () => { events.push(id); }); } catch (error) { console.error(error); } }
  for (let page = 0; page < 3; page++) { try { await knex.transaction(async () => { events.push("x"); }); } catch (error) { console.error(error); } }
  for (let attempt = 0; attempt < 3; attempt++) await knex.transaction(async () => { events.push("x"); });
  await retryable(() => knex.transaction(async () => { events.push("x"); }));
  return events;
}`,
  "a collection that has transactions of its own": `export async function place(db: { runTransaction(work: () => Promise<void>): Promise<void> }) {
  const events: string[] = []; await db.runTransaction(async () => { events.push("x"); }); return events;
}`,
});
