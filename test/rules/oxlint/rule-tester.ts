/** Cases for oxlint's own rule tester, which needs Node 22 or newer: `oxlint.test.ts` starts this on Node 24. */
import { RuleTester } from "oxlint/plugins-dev";

import plugin from "../../../rules/dist/index.js";

type Rule = Parameters<RuleTester["run"]>[1];

const libraries = `import { Queue, Worker } from "bullmq"; import knexLib, { type Knex } from "knex"; import axios from "axios"; import { randomUUID } from "node:crypto"; import { MongoClient } from "mongodb"; import Stripe from "stripe"; import { Mutex } from "async-mutex"; import { Pool } from "pg";
const queue = new Queue("x"); const knex = knexLib({}); const client = new MongoClient("x"); const stripe = new Stripe("k"); const mutex = new Mutex(); const pool = new Pool();
`;
const inTransaction = (code: string) => `${libraries}await knex.transaction(async (trx) => { ${code} });`;

const charge = `declare function charge(id: string): Promise<void>;`;

const cases: Readonly<Record<string, readonly [wrong: string, right: string, settings?: object]>> = {
  "no-check-then-insert": [
    `${libraries}${charge} new Worker("x", async (job) => { const { id } = job.data; const { rows } = await pool.query("SELECT 1 FROM processed_events WHERE id = $1", [id]); if (rows.length > 0) return; await charge(id); await pool.query("INSERT INTO processed_events (id) VALUES ($1)", [id]); });`,
    `${libraries}${charge} new Worker("x", async (job) => { const { id } = job.data; await pool.query("INSERT INTO processed_events (id) VALUES ($1) ON CONFLICT DO NOTHING", [id]); await charge(id); });`,
  ],
  "no-clock-day-in-handler": [
    `${libraries}new Worker("x", async () => { const day = new Date().toISOString().slice(0, 10); await pool.query("INSERT INTO daily_views (day) VALUES ($1)", [day]); });`,
    `${libraries}new Worker("x", async (job) => { const { day } = job.data; await pool.query("INSERT INTO daily_views (day) VALUES ($1)", [day]); });`,
  ],
  "no-dispatch-in-transaction": [inTransaction(`await queue.add("a", {});`), `${libraries}await queue.add("a", {});`],
  "no-effect-in-retried-transaction": [
    `${libraries}const list: string[] = []; await client.startSession().withTransaction(async () => { list.push("a"); });`,
    `${libraries}await client.startSession().withTransaction(async () => { const list: string[] = []; list.push("a"); });`,
  ],
  "no-external-effect-in-transaction": [
    inTransaction(`await axios.post("/x", {});`),
    inTransaction(`await trx("x").insert({});`),
  ],
  "no-floating-work-in-transaction": [
    inTransaction(`const add = async (handle: Knex.Transaction) => { await handle("x").insert({}); }; void add(trx);`),
    inTransaction(`await trx("x").insert({});`),
  ],
  "no-insert-ignore": [
    `import mysql from "mysql2/promise"; const db = await mysql.createConnection({}); await db.query("INSERT IGNORE INTO x VALUES (1)");`,
    `import mysql from "mysql2/promise"; const db = await mysql.createConnection({}); await db.query("INSERT INTO x VALUES (1)");`,
  ],
  "no-job-id-as-idempotency-key": [
    `${libraries}new Worker("x", async (job) => { await stripe.charges.create({ amount: 1, currency: "eur" }, { idempotencyKey: job.id }); });`,
    `${libraries}new Worker("x", async (job) => { await stripe.charges.create({ amount: 1, currency: "eur" }, { idempotencyKey: job.data.key }); });`,
  ],
  "no-lock-as-guarantee": [
    `${libraries}await mutex.runExclusive(async () => { await stripe.charges.create({ amount: 1, currency: "eur" }); });`,
    `${libraries}await stripe.charges.create({ amount: 1, currency: "eur" });`,
  ],
  "no-outer-client-in-transaction": [
    inTransaction(`await knex("x").insert({});`),
    inTransaction(`await trx("x").insert({});`),
  ],
  "no-parallel-queries-in-transaction": [
    inTransaction(`await Promise.all([trx("x").insert({}), trx("y").insert({})]);`),
    inTransaction(`await trx("x").insert({}); await trx("y").insert({});`),
  ],
  "no-random-id-in-handler": [
    `${libraries}new Worker("x", async () => { await knex("x").insert({ id: randomUUID() }); });`,
    `${libraries}new Worker("x", async (job) => { await knex("x").insert({ id: job.data.id }); });`,
  ],
  "no-rollback-after-commit": [
    `${libraries}const trx = await knex.transaction(); try { await trx("x").insert({}); await trx.commit(); await queue.add("a", {}); } catch (error) { await trx.rollback(); throw error; }`,
    `${libraries}const trx = await knex.transaction(); try { await trx("x").insert({}); await trx.commit(); } catch (error) { await trx.rollback(); throw error; } await queue.add("a", {});`,
  ],
  "no-swallowed-job-error": [
    `${libraries}${charge} new Worker("x", async (job) => { try { await charge(job.data.id); } catch (error) { console.error(error); } });`,
    `${libraries}${charge} new Worker("x", async (job) => { try { await charge(job.data.id); } catch (error) { console.error(error); throw error; } });`,
  ],
  "no-transaction-on-pool": [
    `${libraries}await pool.query("BEGIN");`,
    `${libraries}const own = await pool.connect(); await own.query("BEGIN");`,
  ],
  "no-unreliable-commit-signal": [
    `${libraries}export async function f() { const trx = await knex.transaction(); await trx("x").insert({}); await trx.commit(); await queue.add("a", {}); }`,
    `${libraries}export async function f() { const trx = await knex.transaction(); await trx("x").insert({}); await trx.commit(); await trx.executionPromise; await queue.add("a", {}); }`,
  ],
  "no-unstable-dedup-key": [
    `${libraries}await queue.add("x", {}, { deduplication: { id: randomUUID() } });`,
    `${libraries}await queue.add("x", {}, { deduplication: { id: "order-1" } });`,
  ],
  "prefer-transactional-enqueue": [
    `import { PgBoss } from "pg-boss"; import knexLib from "knex"; const boss = new PgBoss("x"); await knexLib({}).transaction(async (trx) => { await trx("x").insert({}); await boss.send("a", {}); });`,
    `import { PgBoss } from "pg-boss"; const boss = new PgBoss("x"); await boss.send("a", {});`,
  ],
  "require-timeout-below-retry-after": [
    `${libraries}new Worker("x", async () => {}, { lockDuration: 30_000, lockRenewTime: 40_000 });`,
    `${libraries}new Worker("x", async () => {}, { lockDuration: 30_000, lockRenewTime: 10_000 });`,
  ],
};

const failures: string[] = [];
let passed = 0;
RuleTester.describe = (_text, run) => {
  run();
};
RuleTester.it = (text, run) => {
  try {
    run();
    passed++;
  } catch (error) {
    failures.push(`${text}: ${String(error)}`);
  }
};

const rules = plugin.rules as unknown as Readonly<Record<string, Rule>>;
for (const [name, rule] of Object.entries(rules)) {
  const [wrong, right] = cases[name] ?? [];
  if (wrong === undefined || right === undefined) {
    failures.push(`${name} has no case here`);
    continue;
  }
  new RuleTester({ languageOptions: { parserOptions: { lang: "ts" } } }).run(name, rule, {
    valid: [{ code: right, filename: "file.ts" }],
    invalid: [{ code: wrong, filename: "file.ts", errors: 1 }],
  });
}
for (const failure of failures) console.error(failure);
console.log(`${String(passed)} passed`);
process.exitCode = failures.length > 0 ? 1 : 0;
