import { DelayedError, Queue, UnrecoverableError, Worker, type ConnectionOptions, type Job } from "bullmq";
import type { Seconds } from "../duration.js";
import { requireSeconds } from "../duration.js";
import { ConfigurationError } from "../errors.js";
import type { JobId } from "../job-id.js";
import { bodyOf, messageOf, type JsonBody } from "./json-body.js";
import { underLease } from "./lease.js";
import type {
  Message,
  QueuePolicy,
  Queues,
  RunningWorker,
  Settlement,
  TakenMessage,
  UniqueMessage,
  WorkOptions,
} from "./queues.js";

export interface BullmqOptions {
  /** What BullMQ takes for a connection: a client of `ioredis`, made with `maxRetriesPerRequest: null`, or options of one. */
  readonly connection: ConnectionOptions;
  /** Of the keys in Redis. Default: BullMQ's own, "bull". */
  readonly prefix?: string;
  /**
   * How long a completed job stays in Redis, at most 10,000 of a queue. While it is there, its message is not run again
   * when a relay sends it once more. In seconds, default 3600.
   */
  readonly keepCompleted?: Seconds;
  /** How long to wait for Redis to confirm messages, in seconds. BullMQ itself waits for minutes. Default 10. */
  readonly sendTimeout?: Seconds;
}

/** A message as it is stored in a job of BullMQ. */
interface Data extends JsonBody {
  /** How often it was taken and put off. */
  readonly postponed?: number;
}

type Handle = (taken: TakenMessage) => Promise<Settlement>;

const mostCompleted = 10_000;

/**
 * Queues in Redis, by BullMQ 6.
 *
 * The message's id is the job's id, and BullMQ drops a job whose id it still has: a message that was sent twice is run
 * once while the first is there. The lease is BullMQ's lock, taken for `retryAfter` and never renewed: a job is over by
 * its timeout, and a process that hangs must not keep it. Its expiry is noticed at the next check for stalled jobs, so
 * another worker may get the job up to a quarter of `retryAfter` later. A start counts when the job is taken; BullMQ's
 * own limits of attempts and stalls are set so that they never decide before the queue's `tries` does.
 *
 * `unique` is BullMQ's own deduplication: its key is freed with the job, also when that is removed by hand.
 *
 * Failed jobs stay in Redis until somebody removes them.
 */
export function bullmqQueues(options: BullmqOptions): Queues {
  const { connection, prefix } = options;
  const keepCompleted = requireSeconds(options.keepCompleted ?? 3600, "`keepCompleted`");
  const sendTimeout = requireSeconds(options.sendTimeout ?? 10, "`sendTimeout`");
  const base = { connection, ...(prefix === undefined ? {} : { prefix }) };
  const queues = new Map<string, Queue<Data>>();
  const workers = new Set<Worker<Data>>();

  function queueOf({ name }: QueuePolicy): Queue<Data> {
    let queue = queues.get(name);
    if (queue === undefined) {
      if (name.includes(":")) throw new ConfigurationError(`BullMQ takes no ":" in the name of a queue: "${name}".`);
      queue = new Queue<Data>(name, base);
      // Without a listener it ends the process. Whoever sends is told by the rejected `send`.
      queue.on("error", () => undefined);
      queues.set(name, queue);
    }
    return queue;
  }

  const jobOf = (policy: QueuePolicy, message: Message, uniqueKey?: string) => ({
    name: policy.name,
    data: bodyOf(message),
    opts: {
      jobId: message.id,
      attempts: policy.tries,
      removeOnComplete: { age: Math.ceil(keepCompleted), count: mostCompleted },
      ...(message.delay === undefined ? {} : { delay: message.delay * 1000 }),
      ...(uniqueKey === undefined ? {} : { deduplication: { id: uniqueKey } }),
    },
  });

  /** Resolves when Redis has confirmed them, to the jobs that are there now: those that were sent, or others. */
  async function add(policy: QueuePolicy, jobs: ReturnType<typeof jobOf>[]): Promise<Job<Data>[]> {
    const queue = queueOf(policy);
    const [first, ...others] = jobs;
    // One alone needs no MULTI around it, and is with its worker a fifth sooner.
    const sending =
      first !== undefined && others.length === 0
        ? queue.add(first.name, first.data, first.opts).then((job) => [job])
        : queue.addBulk(jobs);
    return inTime(sending, sendTimeout, policy.name);
  }

  return {
    library: "bullmq",

    async send(policy, messages) {
      await add(
        policy,
        messages.map((message) => jobOf(policy, message)),
      );
    },

    async sendUnique(policy, messages: readonly UniqueMessage[]) {
      const there = await add(
        policy,
        messages.map(({ message, uniqueKey }) => jobOf(policy, message, uniqueKey)),
      );
      const refused = new Map<JobId, JobId>();
      messages.forEach(({ message: { id } }, index) => {
        const existing = there[index]?.id as JobId | undefined;
        if (existing !== undefined && existing !== id) refused.set(id, existing);
      });
      return refused;
    },

    // A worker takes the lock for as long as it says itself; nothing in Redis says otherwise.
    effectiveLease: ({ retryAfter }) => Promise.resolve(retryAfter),

    async work(policy, workOptions, handle) {
      const worker = new Worker<Data>(policy.name, (job, token) => process(policy, job, token, handle), {
        ...base,
        ...workerOptions(policy, workOptions),
      });
      worker.on("error", workOptions.onError);
      workers.add(worker);
      await worker.waitUntilReady();
      return runningWorker(worker, workers);
    },

    async close() {
      await Promise.all([...workers].map((worker) => worker.close()));
      // BullMQ throws where a queue never got a connection: there is nothing to close then
      await Promise.allSettled([...queues.values()].map((queue) => queue.close()));
      queues.clear();
    },
  };
}

function workerOptions({ retryAfter, tries }: QueuePolicy, { concurrency }: WorkOptions) {
  const lockDuration = retryAfter * 1000;
  return {
    concurrency,
    lockDuration,
    skipLockRenewal: true,
    stalledInterval: Math.min(lockDuration / 4, 30_000),
    // Every stall was a start, and starts are counted by `tries`.
    maxStalledCount: tries + 1,
  };
}

function runningWorker(worker: Worker<Data>, workers: Set<Worker<Data>>): RunningWorker {
  return {
    stop: async () => {
      await worker.close();
      workers.delete(worker);
    },
  };
}

/** BullMQ's processor: its return completes the job, its error fails it or has it tried again, with the lock's token. */
async function process(policy: QueuePolicy, job: Job<Data>, token: string | undefined, handle: Handle): Promise<void> {
  const attempt = job.attemptsStarted - (job.data.postponed ?? 0);
  const releaseUnique = async () => {
    await job.removeDeduplicationKey();
  };
  const message = messageOf(job.id ?? "", job.data, job.timestamp);
  const settlement = await underLease(Date.now() + policy.retryAfter * 1000, (leaseLost) =>
    handle({ message, attempt, leaseLost, releaseUnique }),
  );
  switch (settlement.do) {
    case "complete":
      return;
    case "fail":
      throw unrecoverable(settlement.error);
    case "postpone":
      // BullMQ counts each time that it is taken.
      await job.updateData({ ...job.data, postponed: (job.data.postponed ?? 0) + 1 });
      await job.moveToDelayed(Date.now() + settlement.delay * 1000, token);
      throw new DelayedError();
    case "retry":
      // The policy that is in force now decides, not the one that was when the job was sent.
      job.opts.attempts = job.attemptsMade + 2;
      job.opts.backoff = { type: "fixed", delay: settlement.delay * 1000 };
      throw errorOf(settlement.error);
  }
}

/** BullMQ shows the message and the stack, and knows by the class that the job is not to be tried again. */
function unrecoverable(error: unknown): UnrecoverableError {
  const { message, stack } = errorOf(error);
  const wrapped = new UnrecoverableError(message);
  if (stack !== undefined) wrapped.stack = stack;
  return wrapped;
}

/** A plain error: BullMQ goes by the names of some of its own. */
function errorOf(error: unknown): Error {
  const plain = new Error(error instanceof Error ? error.message : String(error), { cause: error });
  if (error instanceof Error && error.stack !== undefined) plain.stack = error.stack;
  return plain;
}

/** Rejects when Redis does not answer in time. The messages may still arrive then, which sending again makes good. */
async function inTime<T>(sending: Promise<T>, seconds: Seconds, queue: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`Redis has not confirmed the messages for queue "${queue}" in ${seconds} s.`));
    }, seconds * 1000);
  });
  try {
    return await Promise.race([sending, late]);
  } finally {
    clearTimeout(timer);
    sending.catch(() => undefined);
  }
}
