import type { Database, Executor } from "../databases/database.js";
import { causesOf, ConfigurationError, messageOf } from "../errors.js";
import type { IdempotencyKey } from "../idempotency-key.js";
import { EffectMissedError } from "./ledger-errors.js";

/**
 * An effect that is one statement. On PostgreSQL it travels together with the ledger's row, in one statement: one way to
 * the server and back instead of two.
 */
export interface SqlEffect {
  /**
   * The text of an UPDATE, a DELETE or an INSERT … SELECT, with the dialect's own placeholders and without RETURNING. It
   * should be the same each time: PostgreSQL keeps the plans of the first hundred texts.
   * `isFirst` is a condition that must stand in its WHERE; it is true when the operation is to be done:
   * ``(isFirst) => `UPDATE balances SET points = points + $1 WHERE customer_id = $2 AND ${isFirst}` ``
   */
  readonly statement: (isFirst: string) => string;
  readonly values: readonly unknown[];
  /** How many rows it must change, at least 1; any other number throws (LG-12). Default 1. */
  readonly rows?: number;
}

/** The record that goes with the effect. */
export interface LedgerRecord {
  readonly table: string;
  readonly key: IdempotencyKey;
  readonly fingerprint: string | null;
}

/**
 * A scalar subquery, so that PostgreSQL evaluates it once and keeps the answer when it looks at a row again that somebody
 * else has changed meanwhile. A join with the CTE would fail there ("ModifyTable should not be called …").
 */
const isFirstCondition = "(SELECT count(*) FROM aftercommit_first) = 1";

/** In the message of the error by which the statement undoes itself; the number of rows follows. */
const missedMark = "aftercommit: rows changed = ";
const missed = new RegExp(`${missedMark}(\\d+)`);

/**
 * Writes the record and does the effect in one statement. Without a transaction around it, it is one by itself.
 *
 * @returns whether this was the first time
 * @throws EffectMissedError
 */
export async function doOnceOnPostgres(executor: Executor, record: LedgerRecord, effect: SqlEffect): Promise<boolean> {
  const { table, key, fingerprint } = record;
  const { values, rows: expected = 1 } = effect;
  if (!Number.isInteger(expected) || expected < 1) {
    throw new ConfigurationError(`\`rows\` must be a whole number from 1, not ${String(expected)}.`);
  }
  const at = values.length;
  // The cast fails when the number of rows is wrong, and takes the whole statement with it.
  const text = `WITH aftercommit_first AS (
  INSERT INTO ${table} (operation_key, fingerprint) VALUES ($${at + 1}, $${at + 2})
  ON CONFLICT (operation_key) DO NOTHING RETURNING 1
), aftercommit_effect AS (
  ${textOf(effect, isFirstCondition)} RETURNING 1
)
SELECT CASE
  WHEN changed = $${at + 3} THEN 1
  WHEN ${isFirstCondition} THEN ('${missedMark}' || changed)::integer
  ELSE 0
END AS first
FROM (SELECT count(*)::integer AS changed FROM aftercommit_effect) AS effect`;
  try {
    const { rows } = await executor.query<{ first: number }>(text, [...values, key, fingerprint, expected], {
      repeated: true,
    });
    return rows[0]?.first === 1;
  } catch (error) {
    const changed = rowsMissed(error);
    throw changed === undefined ? error : new EffectMissedError(key, expected, changed, error);
  }
}

/** @throws EffectMissedError */
export async function doEffect(executor: Executor, key: IdempotencyKey, effect: SqlEffect): Promise<void> {
  const { rows: expected = 1 } = effect;
  const { affectedRows } = await executor.query(textOf(effect, "1 = 1"), effect.values);
  if (affectedRows !== expected) throw new EffectMissedError(key, expected, affectedRows);
}

function textOf({ statement }: SqlEffect, isFirst: string): string {
  const text = statement(isFirst);
  if (text.includes(isFirst)) return text;
  throw new ConfigurationError(
    "The statement of a ledger's effect must have the condition that its function is given in its WHERE, or the effect " +
      "would happen each time. Nothing was written.",
  );
}

function rowsMissed(error: unknown): number | undefined {
  for (const cause of causesOf(error)) {
    // With its number: libraries put the statement's text into their messages, and the mark stands in it.
    const [, changed] = missed.exec(messageOf(cause)) ?? [];
    if (changed !== undefined) return Number(changed);
  }
  return undefined;
}

/** Whether the database can do it in one statement. */
export function takesOneStatement({ dialect }: Database): boolean {
  return dialect === "postgres";
}
