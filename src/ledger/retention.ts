import type { Database } from "../databases/database.js";
import { requireSeconds, type Seconds } from "../duration.js";
import { ConfigurationError } from "../errors.js";
import { definitionOf, type Queue } from "../queue.js";
import type { QueuePolicy } from "../queues/queues.js";

export interface PruneOptions {
  /** Records older than this many seconds are deleted. Default, and least: the `retention` of the ledger or the effects. */
  readonly olderThan?: Seconds;
  /** Every queue whose jobs use the records: their settings say how long a redelivery can take. */
  readonly queues: readonly Queue[];
  /**
   * For how many seconds after the first request the same operation can still be asked for from outside of these queues'
   * own retries: a producer or webhook that sends again, jobs that wait in a queue or an outbox, failed jobs that are run
   * again by hand, a backup that is restored.
   */
  readonly resentWithin: Seconds;
  /** How many records one statement deletes at most. Default 1,000. */
  readonly batchSize?: number;
  /** Stops after the present batch. */
  readonly signal?: AbortSignal;
  /** Told after each batch how many records were deleted so far. */
  readonly onProgress?: (deleted: number) => void;
}

/** Clocks differ: a record is kept this much longer, in seconds. */
export const clockMargin: Seconds = 300;

/**
 * The longest that a queue goes on delivering a job by itself, in seconds: each start may use up its whole lease, and a
 * wait comes before each further one; or the last one starts when the time is over for which the job may be tried.
 */
export function longestRedelivery({ tries, retryAfter, backoff, retryFor = Infinity }: QueuePolicy): Seconds {
  const waits = Array.from({ length: tries - 1 }, (_, index) => backoff[Math.min(index, backoff.length - 1)] ?? 0);
  return Math.min(tries * retryAfter + waits.reduce((sum, wait) => sum + wait, 0), retryFor + retryAfter);
}

/**
 * Checks that no duplicate of what is deleted can still arrive (F20).
 *
 * @param keeps who keeps records, as the beginning of a sentence
 * @returns the age from which records are deleted
 * @throws ConfigurationError with the numbers (RT-03, RT-06)
 */
export function checkedAge(retention: Seconds | undefined, options: PruneOptions, keeps: string): Seconds {
  if (retention === undefined) {
    throw new ConfigurationError(
      `${keeps} for ever, so there is nothing to prune. Give a \`retention\` where they are made to change that.`,
    );
  }
  const { queues, resentWithin, olderThan = retention } = options;
  requireSeconds(olderThan, "`olderThan`");
  if (typeof resentWithin !== "number" || !(resentWithin >= 0)) {
    throw new ConfigurationError(`\`resentWithin\` must be seconds from 0, not ${String(resentWithin)}.`);
  }
  if (olderThan < retention) {
    throw new ConfigurationError(
      `\`olderThan\` (${olderThan} s) must not be below the \`retention\` (${retention} s): operations that old are ` +
        "still answered for.",
    );
  }
  let longest: { readonly name: string; readonly seconds: Seconds } | undefined;
  for (const queue of queues) {
    const { policy } = definitionOf(queue);
    const seconds = longestRedelivery(policy);
    if (longest === undefined || seconds > longest.seconds) longest = { name: policy.name, seconds };
  }
  if (longest === undefined) {
    throw new ConfigurationError("`queues` is empty. Name every queue whose jobs use these records.");
  }
  const needed = resentWithin + longest.seconds;
  if (olderThan < needed) {
    throw new ConfigurationError(
      `Records must be kept for at least ${needed} s, not ${olderThan} s: an operation can be asked for again within ` +
        `${resentWithin} s, and then queue "${longest.name}" can go on delivering it for ${longest.seconds} s. ` +
        "A duplicate that arrives after its record was deleted counts twice. Nothing was deleted.",
    );
  }
  return olderThan;
}

/**
 * Deletes in batches, each in a transaction of its own, so that none holds locks for long (RT-05).
 *
 * @param deleteBatch deletes so many records at most, of those that are older by the margin too, and says how many
 */
export async function pruneInBatches(
  { batchSize = 1000, signal, onProgress }: PruneOptions,
  deleteBatch: (most: number, margin: Seconds) => Promise<number>,
): Promise<number> {
  if (!Number.isInteger(batchSize) || batchSize < 1) {
    throw new ConfigurationError(`\`batchSize\` must be a whole number from 1, not ${String(batchSize)}.`);
  }
  let deleted = 0;
  while (signal?.aborted !== true) {
    const count = await deleteBatch(batchSize, clockMargin);
    deleted += count;
    onProgress?.(deleted);
    if (count < batchSize) break;
  }
  return deleted;
}

/** Deletes old records of a ledger. @returns how many */
export function pruneTable(database: Database, table: string, age: Seconds, options: PruneOptions): Promise<number> {
  const text = deletions[database.dialect](table);
  return pruneInBatches(options, async (most, margin) => {
    const { affectedRows } = await database.query(text, [age + margin, most]);
    return affectedRows;
  });
}

/** The database's clock decides, since it wrote `recorded_at`. */
const deletions: Readonly<Record<Database["dialect"], (table: string) => string>> = {
  postgres: (table) =>
    `DELETE FROM ${table} WHERE operation_key = ANY (ARRAY (SELECT operation_key FROM ${table} ` +
    "WHERE recorded_at < clock_timestamp() - make_interval(secs => $1) ORDER BY recorded_at LIMIT $2 FOR UPDATE SKIP LOCKED))",
  mysql: (table) =>
    `DELETE FROM ${table} WHERE recorded_at < utc_timestamp(6) - INTERVAL ? SECOND ORDER BY recorded_at LIMIT ?`,
  sqlite: (table) =>
    `DELETE FROM ${table} WHERE operation_key IN (SELECT operation_key FROM ${table} ` +
    "WHERE recorded_at < unixepoch('subsec') - ? ORDER BY recorded_at LIMIT ?)",
};
