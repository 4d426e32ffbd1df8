import type { StandardSchema } from "aftercommit";
import { Redis } from "ioredis";
import pg from "pg";

/** The servers, and what is made on them for the time of the measurements. */
export interface Stand {
  readonly connectionString: string;
  /** Of everything that is made in PostgreSQL and Redis. */
  readonly name: string;
  readonly redis: { readonly host: string; readonly port: number; readonly maxRetriesPerRequest: null };
  pool(max: number): pg.Pool;
  close(): Promise<void>;
}

export async function openStand(): Promise<Stand> {
  const connectionString = process.env["DATABASE_URL"] ?? "postgres://postgres@127.0.0.1/test";
  const redis = {
    host: process.env["REDIS_HOST"] ?? "127.0.0.1",
    port: Number(process.env["REDIS_PORT"] ?? 6379),
    maxRetriesPerRequest: null,
  };
  const name = `aftercommit_bench_${process.pid.toString()}`;
  const admin = new pg.Client({ connectionString });
  await admin.connect();
  await admin.query(`CREATE SCHEMA ${name}`);
  const pools: pg.Pool[] = [];
  return {
    connectionString,
    name,
    redis,
    pool(max) {
      const pool = new pg.Pool({ connectionString, max, options: `-c search_path=${name}` });
      pools.push(pool);
      return pool;
    },
    async close() {
      await Promise.all(pools.map((pool) => pool.end()));
      await admin.query(`DROP SCHEMA ${name} CASCADE`);
      await admin.query(`DROP SCHEMA IF EXISTS ${name}_graphile CASCADE`);
      await admin.query(`DROP SCHEMA IF EXISTS ${name}_boss CASCADE`);
      await admin.end();
      const client = new Redis(redis);
      for await (const keys of client.scanStream({ match: `${name}:*`, count: 1000 }) as AsyncIterable<string[]>) {
        if (keys.length > 0) await client.unlink(...keys);
      }
      client.disconnect();
    },
  };
}

/** A schema that takes everything: what a schema costs is no part of these measurements. */
export const payload: StandardSchema<{ orderId: number }> = {
  "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value: value as { orderId: number } }) },
};

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], at: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(Math.floor(values.length * at), values.length - 1)] ?? Number.NaN;
}

/** Measures all forms in turns, so that the machine's moods hit all of them; the first round warms the code. */
export async function inTurns<Result>(
  forms: Readonly<Record<string, () => Promise<Result>>>,
  runs: number,
): Promise<Record<string, Result[]>> {
  const results: Record<string, Result[]> = {};
  for (let run = -1; run < runs; run += 1) {
    for (const [name, form] of Object.entries(forms)) {
      const result = await form();
      if (run >= 0) (results[name] ??= []).push(result);
    }
  }
  return results;
}

/** One line of a table; `target` says what the ratio is to be. */
export function line(name: string, value: string, ratio: number | undefined, target = ""): void {
  const shown = ratio === undefined ? "" : ratio.toFixed(2);
  console.log(`  ${name.padEnd(46)} ${value.padStart(16)} ${shown.padStart(6)}  ${target}`.trimEnd());
}

/** The median of the ratios within each round: a slow round is slow for both. */
export function ratio(results: Readonly<Record<string, readonly number[]>>, of: string, to: string): number {
  const base = results[to] ?? [];
  return median((results[of] ?? []).map((value, run) => value / (base[run] ?? Number.NaN)));
}
