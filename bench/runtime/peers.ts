/** The libraries that do the same work, used as their documentation shows it. */
import { Logger, run, runMigrations, type Runner, type Task } from "graphile-worker";
import type pg from "pg";
import { PgBoss } from "pg-boss";
import type { Stand } from "./stand.ts";

const silent = new Logger(() => () => undefined);

export async function openGraphile(stand: Stand) {
  const { connectionString, name } = stand;
  const schema = `${name}_graphile`;
  await runMigrations({ connectionString, schema, logger: silent });
  return {
    empty: () => stand.pool(1).query(`SELECT ${schema}.complete_jobs(array(SELECT id FROM ${schema}.jobs))`),
    add: (client: pg.PoolClient, orderIds: readonly number[]) =>
      client.query(
        `SELECT count(*) FROM ${schema}.add_jobs(array(SELECT json_populate_recordset(null::${schema}.job_spec, $1::json)))`,
        [JSON.stringify(orderIds.map((orderId) => ({ identifier: "ship", payload: { orderId } })))],
      ),
    addOne: (client: pg.PoolClient, orderId: number) =>
      client.query(`SELECT id FROM ${schema}.add_job('ship', $1::json)`, [JSON.stringify({ orderId })]),
    work: (ship: Task, { concurrency, batched }: { readonly concurrency: number; readonly batched: boolean }) =>
      run({
        connectionString,
        schema,
        logger: silent,
        concurrency,
        noHandleSignals: true,
        taskList: { ship },
        ...(batched
          ? {
              preset: {
                worker: {
                  concurrentJobs: concurrency,
                  localQueue: { size: 500 },
                  completeJobBatchDelay: 0,
                  failJobBatchDelay: 0,
                },
              },
            }
          : {}),
      }) satisfies Promise<Runner>,
  };
}

export async function openBoss({ connectionString, name }: Stand) {
  const boss = new PgBoss({ connectionString, schema: `${name}_boss`, useListenNotify: true, schedule: false });
  boss.on("error", () => undefined);
  await boss.start();
  await boss.createQueue("ship", { notify: true });
  await boss.createQueue("drain");
  return {
    boss,
    /** In the transaction that `client` has open. */
    add: (client: pg.PoolClient, orderIds: readonly number[], queue = "ship") =>
      boss.insert(
        queue,
        orderIds.map((orderId) => ({ data: { orderId } })),
        { db: { executeSql: (text: string, values?: unknown[]) => client.query(text, values) } },
      ),
    stop: () => boss.stop({ graceful: false }),
  };
}
