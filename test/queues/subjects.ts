import { Queue as BullQueue } from "bullmq";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { bullmqQueues } from "../../src/queues/bullmq.js";
import { memoryQueues } from "../../src/queues/memory.js";
import { pgBossQueues } from "../../src/queues/pg-boss.js";
import { listens } from "../../scripts/listens.js";
import { graphileWorker, transactionalGraphile } from "./graphile-worker.js";
import { rabbitmq } from "./rabbitmq.js";
import { sqsSubjects } from "./sqs.js";
import { inCi, ownName, postgres, type QueueSubject, type TransactionalSubject } from "./subject.js";

const redisPort = 6379;

const [hasRedis, hasPostgres] = await Promise.all([listens(redisPort), listens(postgres.port)]);

const memory: QueueSubject = {
  name: "memory",
  available: true,
  expiryTakes: 0.2,
  open() {
    const queues = memoryQueues();
    return Promise.resolve({
      queues,
      failed: (queue) => Promise.resolve(queues.failed(queue).length),
      close: () => queues.close(),
    });
  },
};

export const bullmq: QueueSubject = {
  name: "bullmq",
  available: inCi || hasRedis,
  expiryTakes: 1.5,
  open() {
    const connection = { host: "127.0.0.1", port: redisPort };
    const prefix = ownName();
    const queues = bullmqQueues({ connection, prefix });
    const names = new Set<string>();
    const remove = async (name: string) => {
      const own = new BullQueue(name, { connection, prefix });
      await own.obliterate({ force: true });
      await own.close();
    };
    return Promise.resolve({
      prefix,
      queues: {
        ...queues,
        send: (policy, messages) => {
          names.add(policy.name);
          return queues.send(policy, messages);
        },
      },
      failed: async (queue) => {
        const own = new BullQueue(queue, { connection, prefix });
        const count = await own.getFailedCount();
        await own.close();
        return count;
      },
      close: async () => {
        await queues.close();
        await Promise.all([...names].map((name) => remove(name)));
      },
    });
  },
};

/** pg-boss in a schema of its own, with the shortest intervals that it takes. */
export async function openBoss() {
  const schema = ownName();
  const boss = new PgBoss({
    ...postgres,
    schema,
    max: 4,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
    schedule: false,
    useListenNotify: false,
  });
  boss.on("error", () => undefined);
  boss.on("warning", () => undefined);
  await boss.start();
  const close = async () => {
    await boss.stop({ graceful: false });
    const client = new pg.Client(postgres);
    await client.connect();
    await client.query(`drop schema ${schema} cascade`);
    await client.end();
  };
  return { boss, schema, close };
}

const pgBoss: QueueSubject = {
  name: "pg-boss",
  available: inCi || hasPostgres,
  expiryTakes: 6,
  async open() {
    const { boss, schema, close } = await openBoss();
    const queues = pgBossQueues({ boss, schema, pollingInterval: 0.1 });
    return {
      queues,
      failed: async (queue) => (await boss.findJobs(queue)).filter(({ state }) => state === "failed").length,
      close: async () => {
        await queues.close();
        await close();
      },
    };
  },
};

const transactionalPgBoss: TransactionalSubject = {
  name: "pg-boss",
  refusedName: "no such name!",
  async open() {
    const { boss, schema, close } = await openBoss();
    return {
      queues: pgBossQueues({ boss, schema, pollingInterval: 0.05 }),
      async stored(queue) {
        if ((await boss.getQueue(queue)) === null) return [];
        const jobs = await boss.findJobs<{ payload: { orderId: number } }>(queue);
        return jobs.map(({ id, data }) => ({ id, orderId: data.payload.orderId }));
      },
      close,
    };
  },
};

export const queueSubjects: readonly QueueSubject[] = [
  memory,
  bullmq,
  pgBoss,
  graphileWorker,
  rabbitmq,
  ...sqsSubjects,
];
export const transactionalSubjects: readonly TransactionalSubject[] = [transactionalPgBoss, transactionalGraphile];
