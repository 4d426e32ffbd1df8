import { Logger, runMigrations } from "graphile-worker";
import pg from "pg";
import { listens } from "../../scripts/listens.js";
import { graphileWorkerQueues } from "../../src/queues/graphile-worker.js";
import { inCi, ownName, postgres, type QueueSubject, type TransactionalSubject } from "./subject.js";

/** Graphile Worker's tables in a schema of their own, made by itself. */
export async function openGraphile() {
  const schema = ownName();
  const pool = new pg.Pool({ ...postgres, max: 4 });
  // Graphile Worker warns of pools without both.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  await runMigrations({ pgPool: pool, schema, logger: new Logger(() => () => undefined) });
  const queues = graphileWorkerQueues({ pool, schema, pollingInterval: 0.05 });
  const close = async () => {
    await queues.close();
    await pool.query(`drop schema ${schema} cascade`);
    await pool.end();
  };
  return { queues, pool, schema, close };
}

export const graphileWorker: QueueSubject = {
  name: "graphile-worker",
  available: inCi || (await listens(postgres.port)),
  expiryTakes: 1,
  async open() {
    const { queues, pool, schema, close } = await openGraphile();
    return {
      queues,
      async failed(queue) {
        const { rows } = await pool.query<{ count: number }>(
          `select count(*)::integer as count from ${schema}.jobs where task_identifier = $1 and attempts = max_attempts ` +
            "and last_error is not null and locked_at is null",
          [queue],
        );
        return rows[0]?.count ?? 0;
      },
      close,
    };
  },
};

export const transactionalGraphile: TransactionalSubject = {
  name: "graphile-worker",
  refusedName: "x".repeat(129),
  async open() {
    const { queues, pool, schema, close } = await openGraphile();
    return {
      queues,
      async stored(queue) {
        const { rows } = await pool.query<{ id: string; orderId: number }>(
          `select job.key as id, (job.payload->'payload'->>'orderId')::integer as "orderId" from ${schema}._private_jobs job ` +
            `join ${schema}._private_tasks task on task.id = job.task_id where task.identifier = $1`,
          [queue],
        );
        return rows;
      },
      close,
    };
  },
};
