import { randomUUID } from "node:crypto";
import type { Executor } from "../databases/database.js";
import { requireSeconds, type Seconds } from "../duration.js";
import { ConfigurationError } from "../errors.js";
import { bodyOf, messageOf } from "./json-body.js";
import { underLease } from "./lease.js";
import { PollingWorker } from "./polling-worker.js";
import type { Message, QueuePolicy, Settlement, TakenMessage, TransactionalQueues } from "./queues.js";

/** The member of a `pg.Pool` that this needs. */
export interface GraphilePool {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

export interface GraphileWorkerOptions {
  /** A pool of `pg` on the database that has Graphile Worker's schema, migrated by Graphile Worker itself. */
  readonly pool: GraphilePool;
  /** Graphile Worker's schema. Default "graphile_worker". */
  readonly schema?: string;
  /** How long a worker with nothing to do waits before it looks again, in seconds. Default 1. */
  readonly pollingInterval?: Seconds;
}

interface Job {
  readonly id: string;
  readonly key: string | null;
  readonly payload: unknown;
  readonly attempts: number;
  readonly created_at: Date;
}

/** After it Graphile Worker itself takes a lock away, whoever has set it. */
const ownLease: Seconds = 4 * 3600;

/** When leases that have ended are looked for at the latest. Nothing indexes them, so not at each poll. */
const longestSweep: Seconds = 30;

/**
 * Queues in PostgreSQL, in the tables of Graphile Worker 0.18. A queue is a task of its name. Where the tables
 * are in the business database, a queue can have the delivery `sameTransaction()`: the job is a row of the transaction,
 * written by Graphile Worker's own `add_job` on the transaction's handle (F18).
 *
 * The workers are not Graphile Worker's: its lease is four hours and cannot be set, a completion is not asked who holds
 * the job, and waits between tries cannot be chosen. These take a lock for `retryAfter` (four hours at most), settle only
 * what they still hold, and look for leases that have ended at a quarter of it, at least every 30 seconds. They use
 * Graphile Worker's private tables; its own runner may work beside them on other tasks, and must not have a task of the
 * same name. They poll, and leave jobs with a `queueName` alone.
 *
 * The message's id is the job's key, so a message that was sent twice is one job while the first is there, also when it
 * has failed. A failed job stays where Graphile Worker keeps its own: in its tables, with no attempts left.
 */
export function graphileWorkerQueues(options: GraphileWorkerOptions): TransactionalQueues {
  const { pool, schema = "graphile_worker" } = options;
  const pollingInterval = requireSeconds(options.pollingInterval ?? 1, "`pollingInterval`");
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(schema)) {
    throw new ConfigurationError(`\`schema\` must be a plain name, not ${JSON.stringify(schema)}.`);
  }
  const jobs = new JobTable(pool, `"${schema}"`);
  const workers = new Set<PollingWorker<Job>>();

  return {
    library: "graphile-worker",

    send: (policy, messages) => add(pool, `"${schema}"`, policy, messages),
    sendWithin: (executor, policy, messages) => add(executor, `"${schema}"`, policy, messages),

    // The lock's age is judged by whoever takes over, and these workers all go by the queue.
    effectiveLease: (policy) => Promise.resolve(leaseOf(policy)),

    work(policy, workOptions, handle) {
      const lease = leaseOf(policy);
      const lock = `aftercommit-${randomUUID()}`;
      let sweptAt = 0;
      const worker = new PollingWorker<Job>({
        ...workOptions,
        pollingInterval,
        async take(room) {
          if (Date.now() - sweptAt >= Math.min(lease / 4, longestSweep) * 1000) {
            await jobs.freeExpired(policy.name, lease);
            sweptAt = Date.now();
          }
          return jobs.take(policy.name, lock, room);
        },
        async handle(job, takenAt) {
          const message = messageOf(job.key ?? job.id, job.payload, job.created_at.getTime());
          const settlement = await underLease(takenAt + lease * 1000, (leaseLost) =>
            handle({ message, attempt: job.attempts, leaseLost } satisfies TakenMessage),
          );
          await jobs.settle(job, lock, settlement);
        },
      });
      workers.add(worker);
      return Promise.resolve({
        stop: async () => {
          await worker.stop();
          workers.delete(worker);
        },
      });
    },

    async close() {
      await Promise.all([...workers].map((worker) => worker.stop()));
    },
  };
}

function leaseOf({ name, retryAfter }: QueuePolicy): Seconds {
  if (retryAfter <= ownLease) return retryAfter;
  throw new ConfigurationError(
    `The \`retryAfter\` of queue "${name}" must be at most four hours (${ownLease} s) in Graphile Worker, which takes ` +
      `locks away after that, not ${retryAfter} s.`,
  );
}

/** One statement for all of them. */
async function add(
  executor: Executor | GraphilePool,
  schema: string,
  policy: QueuePolicy,
  messages: readonly Message[],
): Promise<void> {
  leaseOf(policy);
  if (messages.length === 0) return;
  const rows = messages.map((message) => ({ key: message.id, delay: message.delay ?? 0, body: bodyOf(message) }));
  await executor.query(
    "SELECT job.id FROM json_to_recordset($2::json) AS message (key text, delay double precision, body json) " +
      // The only mode in which a message that is sent again leaves alone what is already there.
      `CROSS JOIN LATERAL ${schema}.add_job(identifier => $1::text, payload => message.body, ` +
      "run_at => now() + message.delay * interval '1 second', max_attempts => $3::integer, " +
      "job_key => message.key, job_key_mode => 'unsafe_dedupe') AS job",
    [policy.name, JSON.stringify(rows), policy.tries],
  );
}

/** Statements on Graphile Worker's jobs of a task. */
class JobTable {
  readonly #pool: GraphilePool;
  readonly #jobs: string;
  readonly #ofTask: string;

  constructor(pool: GraphilePool, schema: string) {
    this.#pool = pool;
    this.#jobs = `${schema}._private_jobs`;
    // Graphile Worker removes tasks that have no jobs, so their ids do not last.
    this.#ofTask = `task_id = (SELECT id FROM ${schema}._private_tasks WHERE identifier = $1::text) AND job_queue_id IS NULL`;
  }

  /** A job whose worker was lost at its last try is taken once more, so that the worker can tell of its end. */
  async freeExpired(task: string, lease: Seconds): Promise<void> {
    await this.#pool.query(
      `UPDATE ${this.#jobs} SET locked_at = NULL, locked_by = NULL, max_attempts = greatest(max_attempts, attempts + 1), ` +
        `updated_at = now() WHERE ${this.#ofTask} AND locked_at <= now() - $2::double precision * interval '1 second'`,
      [task, lease],
    );
  }

  async take(task: string, lock: string, room: number): Promise<readonly Job[]> {
    const { rows } = await this.#pool.query(
      `UPDATE ${this.#jobs} SET attempts = attempts + 1, locked_at = now(), locked_by = $2::text, updated_at = now() ` +
        `WHERE id = ANY(array(SELECT id FROM ${this.#jobs} WHERE ${this.#ofTask} AND is_available AND run_at <= now() ` +
        "ORDER BY priority, run_at, id LIMIT $3::integer FOR UPDATE SKIP LOCKED)) " +
        "RETURNING id::text, key, payload, attempts, created_at",
      [task, lock, room],
    );
    return rows as readonly Job[];
  }

  /**
   * Each statement goes by the lock and the attempt, so it does nothing once somebody else has the job, or this worker
   * has it anew: while a run goes on, the starts after it count further up.
   */
  async settle({ id, attempts }: Job, lock: string, settlement: Settlement): Promise<void> {
    const held = "id = $1::bigint AND locked_by = $2::text AND attempts = $3::smallint";
    const free = `UPDATE ${this.#jobs} SET locked_at = NULL, locked_by = NULL, updated_at = now()`;
    const later = "run_at = now() + $4::double precision * interval '1 second'";
    const holder = [id, lock, attempts];
    switch (settlement.do) {
      case "complete":
        await this.#pool.query(`DELETE FROM ${this.#jobs} WHERE ${held}`, holder);
        return;
      case "postpone":
        await this.#pool.query(`${free}, ${later}, attempts = attempts - 1 WHERE ${held}`, [
          ...holder,
          settlement.delay,
        ]);
        return;
      case "retry":
        // The policy that is in force now decides, not the one that was when the job was sent.
        await this.#pool.query(
          `${free}, ${later}, last_error = $5::text, max_attempts = greatest(max_attempts, attempts + 1) WHERE ${held}`,
          [...holder, settlement.delay, textOf(settlement.error)],
        );
        return;
      case "fail":
        await this.#pool.query(`${free}, last_error = $4::text, max_attempts = attempts WHERE ${held}`, [
          ...holder,
          textOf(settlement.error),
        ]);
    }
  }
}

/** PostgreSQL's text holds no NUL. */
function textOf(error: unknown): string {
  return (error instanceof Error ? (error.stack ?? error.message) : String(error)).replaceAll("\0", "");
}
