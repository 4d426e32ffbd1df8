import { setTimeout as sleep } from "node:timers/promises";
import {
  createOutbox,
  createRelay,
  createTransactionManager,
  defineConnection,
  outboxDdl,
  type Queues,
} from "aftercommit";
import { pgDatabase } from "aftercommit/databases/pg";
import { inTurns, line, median, payload, ratio, type Stand } from "./stand.ts";

const empty = "nothing else in the table";
const columns = "id, queue, payload, occurred_at, created_at, available_at, dispatched_at";
/** Ids as the package makes them, with the time first: random ones would be all over the index of the primary key. */
const id =
  "(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '8ac18' || left(md5(n::text), 15))::uuid";

/**
 * How fast a relay is where its table holds what a long outage and a long life leave behind: rows that wait, and many
 * more that were dispatched. Against a table that holds nothing but the rows that it sends.
 */
export async function measureBacklog(
  stand: Stand,
  runs: number,
  { waiting, done, jobs }: { readonly waiting: number; readonly done: number; readonly jobs: number },
): Promise<void> {
  const pool = stand.pool(8);
  const full = `${waiting.toLocaleString("en")} waiting and ${done.toLocaleString("en")} dispatched rows`;
  const started = performance.now();
  for (const [table, name] of [
    [empty, "empty_outbox"],
    [full, "full_outbox"],
  ] as const) {
    await pool.query(outboxDdl("postgres", name));
    if (table === full) await fill(name, { waiting, done });
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`\nA table with ${full} was filled in ${seconds} s`);

  /** Builds the indexes behind the rows: that takes a tenth of the time. */
  async function fill(name: string, rows: { readonly waiting: number; readonly done: number }): Promise<void> {
    const client = await pool.connect();
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      "SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE tablename = $1 AND indexname <> $1 || '_pkey'",
      [name],
    );
    await client.query("SET synchronous_commit = off; SET maintenance_work_mem = '512MB'");
    for (const index of indexes) await client.query(`DROP INDEX ${index.name}`);
    await client.query(`ALTER TABLE ${name} DROP CONSTRAINT ${name}_pkey`);
    const insert = (count: number, available: string, dispatched: string) =>
      client.query(
        `INSERT INTO ${name} (${columns}) SELECT ${id}, 'ship', '{"orderId":' || n || '}', at, at, ${available}, ${dispatched} ` +
          "FROM (SELECT n, now() - (n / 100.0) * interval '1 second' AS at FROM generate_series(1, $1::integer) n) AS r",
        [count],
      );
    await insert(rows.done, "NULL", "at");
    await insert(rows.waiting, "at", "NULL");
    await client.query(`ALTER TABLE ${name} ADD PRIMARY KEY (id)`);
    for (const index of indexes) await client.query(index.definition);
    await client.query(`VACUUM ANALYZE ${name}`);
    // Closed, so that nobody else gets these settings.
    client.release(true);
  }

  /** Rows a second, until so many are confirmed and marked. */
  const relayFrom = async (table: string): Promise<number> => {
    let sent = 0;
    // Confirms at once: what a real queue takes would hide what the table costs.
    const queues: Queues = {
      library: "bench",
      send: (_, messages) => {
        sent += messages.length;
        return Promise.resolve();
      },
      effectiveLease: ({ retryAfter }) => Promise.resolve(retryAfter),
      work: () => Promise.reject(new Error("nobody works here")),
      close: () => Promise.resolve(),
    };
    const outbox = createOutbox({ transactions: createTransactionManager(pgDatabase(pool)), table });
    defineConnection({ queues, retryAfter: 90 }).queue("ship", {
      payload,
      timeout: 30,
      repeatSafety: { by: "ledger" },
      delivery: outbox,
    });
    const relay = createRelay({ outbox });
    const begin = performance.now();
    await relay.start();
    while (sent < jobs) await sleep(1);
    const rate = (sent * 1000) / (performance.now() - begin);
    await relay.stop();
    return rate;
  };

  const results = await inTurns(
    {
      [empty]: async () => {
        await pool.query("TRUNCATE empty_outbox");
        await pool.query(
          `INSERT INTO empty_outbox (id, queue, payload, occurred_at)
           SELECT ${id}, 'ship', '{"orderId":' || n || '}', at
           FROM (SELECT n, now() + n * interval '1 millisecond' AS at FROM generate_series(1, $1::integer) n) AS r`,
          [jobs],
        );
        await pool.query("ANALYZE empty_outbox");
        return relayFrom("empty_outbox");
      },
      [full]: () => relayFrom("full_outbox"),
    },
    runs,
  );
  console.log(`The relay alone, ${jobs.toLocaleString("en")} rows from its table: rows a second`);
  for (const [name, rates] of Object.entries(results)) {
    line(name, median(rates).toFixed(0), ratio(results, name, empty), name === full ? "≥ 0.80" : "");
  }
  await pool.query("DROP TABLE empty_outbox, full_outbox");
}
