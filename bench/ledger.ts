/**
 * What it costs that an effect counts once: `ledger.once` around one UPDATE, against the same UPDATE in a transaction
 * without it. On PostgreSQL, one client and sixteen; every operation and every duplicate in the same run.
 *
 *   npm run bench:ledger
 *
 * DATABASE_URL (default postgres://postgres@127.0.0.1/test), RUNS (5) and SECONDS (1) a measurement. It works in a schema
 * of its own, and drops it.
 */
import { createLedger, createTransactionManager, idempotencyKey, ledgerDdl } from "aftercommit";
import { pgDatabase } from "aftercommit/databases/pg";
import pg from "pg";

const connectionString = process.env["DATABASE_URL"] ?? "postgres://postgres@127.0.0.1/test";
const runs = Number(process.env["RUNS"] ?? 5);
const seconds = Number(process.env["SECONDS"] ?? 1);
const clients = [1, 16];
const customers = 1000;

const schema = `aftercommit_bench_${process.pid.toString()}`;
const admin = new pg.Client({ connectionString });
await admin.connect();
await admin.query(`CREATE SCHEMA ${schema}`);
const pool = new pg.Pool({ connectionString, max: Math.max(...clients), options: `-c search_path=${schema}` });
await pool.query(ledgerDdl("postgres"));
await pool.query("CREATE TABLE balances (customer integer PRIMARY KEY, points bigint NOT NULL) WITH (fillfactor = 50)");
await pool.query(`INSERT INTO balances SELECT n, 0 FROM generate_series(0, ${(customers - 1).toString()}) n`);

const transactions = createTransactionManager(pgDatabase(pool));
const ledger = createLedger({ transactions });
const update = "UPDATE balances SET points = points + $1 WHERE customer = $2";
const bySql = (customer: number) => ({
  statement: (isFirst: string) => `${update} AND ${isFirst}`,
  values: [1, customer],
});

let operations = 0;
const fresh = () => idempotencyKey("grant", (operations += 1));
const done = idempotencyKey("grant", "done");
await ledger.run(done, bySql(0));

const base = "UPDATE in a transaction";
const forms: Readonly<Record<string, (customer: number) => Promise<unknown>>> = {
  [base]: (customer) => transactions.run((tx) => tx.handle.query(update, [1, customer])),
  "once, a function": (customer) =>
    transactions.run((tx) => ledger.once(tx, fresh(), () => tx.handle.query(update, [1, customer]))),
  "once, a statement": (customer) => transactions.run((tx) => ledger.once(tx, fresh(), bySql(customer))),
  "run, a statement": (customer) => ledger.run(fresh(), bySql(customer)),
  "once, a duplicate": () => transactions.run((tx) => ledger.once(tx, done, () => undefined)),
  "run, a duplicate": (customer) => ledger.run(done, bySql(customer)),
};

async function rate(form: (customer: number) => Promise<unknown>, at: number): Promise<number> {
  const started = performance.now();
  const end = started + seconds * 1000;
  let count = 0;
  const client = async () => {
    while (performance.now() < end) {
      await form(Math.floor(Math.random() * customers));
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: at }, client));
  return (count * 1000) / (performance.now() - started);
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

for (const at of clients) {
  const rates: Record<string, number[]> = {};
  // The first round warms the code; forms take turns, so that the machine's moods hit all of them.
  for (let run = -1; run < runs; run += 1) {
    for (const [name, form] of Object.entries(forms)) {
      const measured = await rate(form, at);
      if (run >= 0) (rates[name] ??= []).push(measured);
    }
  }
  const bare = median(rates[base] ?? []);
  console.log(`\n${at.toString()} client${at === 1 ? "" : "s"}`);
  for (const [name, measured] of Object.entries(rates)) {
    const each = median(measured);
    console.log(`  ${name.padEnd(26)} ${each.toFixed(0).padStart(6)} a second  ${(each / bare).toFixed(2)}`);
  }
}

await pool.end();
await admin.query(`DROP SCHEMA ${schema} CASCADE`);
await admin.end();
