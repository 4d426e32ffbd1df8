import type { Executor } from "../databases/database.js";
import { requireSeconds, type Seconds } from "../duration.js";
import { ConfigurationError } from "../errors.js";
import type { JobId } from "../job-id.js";
import { bodyOf, messageOf } from "./json-body.js";
import { underLease } from "./lease.js";
import { PollingWorker } from "./polling-worker.js";
import type { Message, QueuePolicy, Settlement, TransactionalQueues, UniqueMessage } from "./queues.js";

interface BossDb {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

interface BossJob {
  readonly id: string;
  readonly data: unknown;
  /** Of an attempt: it goes up each time the job is taken again, so completion counts only from the present holder. */
  readonly retryCount: number;
  readonly expireInSeconds: number;
}

interface BossJobInsert {
  id: string;
  data: object;
  startAfter?: number;
  retryLimit: number;
  retryDelay: number;
  retryBackoff: boolean;
  expireInSeconds: number;
  singletonKey?: string;
}

interface Attempt {
  readonly id: string;
  readonly retryCount: number;
}

/** The members of `PgBoss` (12) that this needs. */
export interface Boss {
  createQueue(name: string, options?: { policy: "standard" | "short" | "exclusive" }): Promise<void>;
  getQueue(name: string): Promise<{ policy?: string } | null>;
  insert(name: string, jobs: BossJobInsert[], options?: { db?: BossDb; returnId?: boolean }): Promise<string[] | null>;
  fetch(name: string, options: { batchSize: number }): Promise<BossJob[]>;
  complete(name: string, attempt: Attempt): Promise<unknown>;
  fail(name: string, attempt: Attempt, data: object): Promise<unknown>;
  getDb(): BossDb;
}

export interface PgBossOptions {
  /** Your `PgBoss`, started. Starting and stopping it stays with you. */
  readonly boss: Boss;
  /** The schema that it was made with. Default "pgboss". */
  readonly schema?: string;
  /** How long a worker with nothing to do waits before it looks again, in seconds. Default 1. */
  readonly pollingInterval?: Seconds;
}

/**
 * Queues in PostgreSQL, by pg-boss 12. Where its tables are in the business database, a queue can have the delivery
 * `sameTransaction()`: the job is a row of the transaction (F18). Such a queue must exist before the transaction: send to
 * it or start its worker once when the program starts, or create it in pg-boss.
 *
 * A queue that is `unique` gets the policy "exclusive" or, until processing, "short" when it is created here: the job's row
 * is the lock, and frees it however it ends. pg-boss cannot give that policy to a queue that exists.
 *
 * The lease is pg-boss's `expireInSeconds`; whole seconds, and `heartbeatSeconds` stays off. pg-boss notices its end at
 * its next pass of supervision (`superviseIntervalSeconds`, by default every minute; some instance must have `supervise`
 * on), and only then another worker gets the job.
 */
export function pgBossQueues(options: PgBossOptions): TransactionalQueues {
  const { boss, schema = "pgboss" } = options;
  const pollingInterval = requireSeconds(options.pollingInterval ?? 1, "`pollingInterval`");
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(schema)) {
    throw new ConfigurationError(`\`schema\` must be a plain name, not ${JSON.stringify(schema)}.`);
  }
  const created = new Map<string, Promise<void>>();
  const workers = new Set<PollingWorker<BossJob>>();

  async function ensure({ name, uniqueUntil }: QueuePolicy): Promise<void> {
    const policy = uniqueUntil === undefined ? "standard" : policies[uniqueUntil];
    let creation = created.get(name);
    if (creation === undefined) {
      creation = boss.getQueue(name).then(async (known) => {
        if (known === null) await boss.createQueue(name, { policy });
        else refuseWrongPolicy(name, policy, known.policy ?? "standard");
      });
      created.set(name, creation);
      creation.catch(() => created.delete(name));
    }
    await creation;
  }

  const insert = async (policy: QueuePolicy, messages: readonly Message[], db?: BossDb) => {
    const seen = new Map(messages.map((message) => [message.id, message]));
    const jobs = [...seen.values()].map((message) => jobOf(policy, message));
    if (jobs.length > 0) await boss.insert(policy.name, jobs, db === undefined ? {} : { db });
  };

  /** The jobs that are there of these keys, and those of these ids whatever became of them. */
  async function present(policy: QueuePolicy, messages: readonly UniqueMessage[], db: BossDb) {
    const { rows } = await db.executeSql(
      `SELECT id, singleton_key AS key FROM ${schema}.job WHERE name = $1 AND (id = ANY($2::uuid[]) OR ` +
        `(singleton_key = ANY($3::text[]) AND state ${policy.uniqueUntil === "processing" ? "= 'created'" : "<= 'active'"}))`,
      [policy.name, messages.map(({ message }) => message.id), messages.map(({ uniqueKey }) => uniqueKey)],
    );
    return rows as { readonly id: JobId; readonly key: string | null }[];
  }

  return {
    library: "pg-boss",

    async send(policy, messages) {
      await ensure(policy);
      await insert(policy, messages);
    },

    async sendWithin(executor: Executor, policy, messages) {
      // Creating the queue on another connection is no part of the transaction, and does not wait for it.
      await ensure(policy);
      await insert(policy, messages, dbOf(executor));
    },

    async sendUnique(policy, messages, executor) {
      await ensure(policy);
      const db = executor === undefined ? boss.getDb() : dbOf(executor);
      const seen = new Map(messages.map((one) => [one.message.id, one]));
      const jobs = [...seen.values()].map(({ message, uniqueKey }) => ({
        ...jobOf(policy, message),
        singletonKey: uniqueKey,
      }));
      const inserted = new Set((await boss.insert(policy.name, jobs, { db, returnId: true })) ?? []);
      const others = messages.filter(({ message }) => !inserted.has(message.id));
      const refused = new Map<JobId, JobId | undefined>();
      if (others.length === 0) return refused;
      const there = await present(policy, others, db);
      for (const { message, uniqueKey } of others) {
        // One that was sent before is there under its own id.
        if (there.some(({ id }) => id === message.id)) continue;
        refused.set(message.id, there.find(({ key }) => key === uniqueKey)?.id);
      }
      return refused;
    },

    // The lease stands in each job, as this adapter has put it there when it was sent.
    effectiveLease: (policy) => Promise.resolve(leaseOf(policy)),

    async work(policy, workOptions, handle) {
      await ensure(policy);
      // pg-boss's own `work` knows no wait that differs from start to start.
      const worker = new PollingWorker<BossJob>({
        ...workOptions,
        pollingInterval,
        take: (room) => boss.fetch(policy.name, { batchSize: room }),
        async handle(job, takenAt) {
          const message = messageOf(job.id, job.data, Date.now());
          const settlement = await underLease(takenAt + job.expireInSeconds * 1000, (leaseLost) =>
            handle({ message, attempt: job.retryCount + 1, leaseLost }),
          );
          await settle(boss, schema, policy, job, settlement);
        },
      });
      workers.add(worker);
      return {
        stop: async () => {
          await worker.stop();
          workers.delete(worker);
        },
      };
    },

    async close() {
      await Promise.all([...workers].map((worker) => worker.stop()));
    },
  };
}

/** What pg-boss calls it: one of a key that waits, is to be tried again, or runs; and one of a key that waits. */
const policies = { processed: "exclusive", processing: "short" } as const;

/** Of these, pg-boss drops a job without a word. */
const dropping: ReadonlySet<string> = new Set(["short", "exclusive", "stately"]);

function refuseWrongPolicy(name: string, wanted: string, found: string): void {
  if (found === wanted || (wanted === "standard" && !dropping.has(found))) return;
  throw new ConfigurationError(
    `Queue "${name}" ${wanted === "standard" ? "is not" : "is"} \`unique\` and needs pg-boss's policy "${wanted}", but ` +
      `exists with "${found}", which pg-boss cannot change. Give it another name, or delete it in pg-boss when it is empty.`,
  );
}

function dbOf(executor: Executor): BossDb {
  return {
    executeSql: async (text, values) => {
      const { rows } = await executor.query(text, values);
      return { rows: [...rows] };
    },
  };
}

/** pg-boss counts in whole seconds. Rounded down: the lease must not be longer than the worker believes. */
function leaseOf({ name, retryAfter }: QueuePolicy): Seconds {
  const lease = Math.floor(retryAfter);
  if (lease >= 1 && lease <= 86_400) return lease;
  throw new ConfigurationError(
    `The \`retryAfter\` of queue "${name}" must be from 1 second to 24 hours in pg-boss, not ${retryAfter} s.`,
  );
}

function jobOf(policy: QueuePolicy, message: Message): BossJobInsert {
  const { id, delay } = message;
  return {
    id,
    data: bodyOf(message),
    // One more than `tries`: a job whose workers were lost is taken once more, so that the worker can tell of its end.
    retryLimit: policy.tries,
    retryDelay: Math.ceil(policy.backoff[0] ?? 0),
    retryBackoff: false,
    expireInSeconds: leaseOf(policy),
    ...(delay === undefined ? {} : { startAfter: delay }),
  };
}

/** Each statement goes by the attempt, so it does nothing once somebody else has the job. */
async function settle(
  boss: Boss,
  schema: string,
  policy: QueuePolicy,
  { id, retryCount }: BossJob,
  settlement: Settlement,
): Promise<void> {
  const attempt = { id, retryCount };
  if (settlement.do === "complete") {
    await boss.complete(policy.name, attempt);
    return;
  }
  if (settlement.do === "postpone") {
    // As if it had not been taken: pg-boss counts a start when there was one before.
    await boss
      .getDb()
      .executeSql(
        `UPDATE ${schema}.job SET state = 'retry', started_on = NULL, ` +
          "start_after = now() + $3::double precision * interval '1 second' " +
          "WHERE name = $1 AND id = $2::uuid AND state = 'active' AND retry_count = $4",
        [policy.name, id, settlement.delay, retryCount],
      );
    return;
  }
  // pg-boss has one wait for all of a job's retries, and no way to give a job up before they are used. What stands in
  // the job decides at the moment it fails.
  const limit = settlement.do === "fail" ? retryCount : Math.max(policy.tries, retryCount + 1);
  const delay = settlement.do === "fail" ? 0 : Math.ceil(settlement.delay);
  await boss
    .getDb()
    .executeSql(
      `UPDATE ${schema}.job SET retry_limit = $3, retry_delay = $4, retry_backoff = false ` +
        "WHERE name = $1 AND id = $2::uuid AND state = 'active' AND retry_count = $5",
      [policy.name, id, limit, delay, retryCount],
    );
  const { error } = settlement;
  await boss.fail(policy.name, attempt, error instanceof Error ? error : { message: String(error) });
}
