/** A worker that is killed at the worst moment, with real processes, BullMQ and PostgreSQL. Needs the built package. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { defineConnection } from "../../src/connection.js";
import { afterCommit } from "../../src/delivery.js";
import { idempotencyKey } from "../../src/idempotency-key.js";
import { newJobId } from "../../src/job-id.js";
import { ledgerDdl } from "../../src/ledger/ddl.js";
import { createLedger } from "../../src/ledger/ledger.js";
import { definitionOf } from "../../src/queue.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import { startWorker, type FailedJob, type Worker } from "../../src/worker/worker.js";
import { subjects, type Opened } from "../databases/subjects.js";
import { statementsOf } from "../ledger/statements.js";
import type { OpenedQueues } from "../queues/subject.js";
import { bullmq } from "../queues/subjects.js";

const postgres = subjects.find(({ name }) => name === "pg");
const payload = z.object({ orderId: z.number() });
type Payload = z.output<typeof payload>;

describe.skipIf(postgres?.available !== true || !bullmq.available)("bullmq and pg", () => {
  let opened: Opened;
  let queues: OpenedQueues;
  let child: ChildProcess | undefined;
  let worker: Worker | undefined;

  beforeEach(async () => {
    if (postgres === undefined) throw new Error("no subject");
    [opened, queues] = await Promise.all([postgres.open(), bullmq.open()]);
    for (const statement of statementsOf(ledgerDdl("postgres"))) await opened.database.query(statement);
    await opened.database.query("create table orders (id integer primary key, done integer not null default 0)");
    await opened.database.query("insert into orders values (1)");
  });
  afterEach(async () => {
    child?.kill("SIGKILL");
    await worker?.stop();
    await Promise.all([opened.close(), queues.close()]);
  });

  const define = (tries: number) =>
    defineConnection({ queues: queues.queues, retryAfter: 1.2 }).queue("orders", {
      payload,
      timeout: 1,
      tries,
      repeatSafety: { by: "ledger" },
      delivery: afterCommit(),
    });

  /** Lets a process of its own take the job, and kills it once its transaction is committed. */
  async function killAfterCommit(queue: ReturnType<typeof define>, tries: number): Promise<void> {
    const { rows } = await opened.database.query<{ schema: string }>("select current_schema() as schema");
    const script = join(import.meta.dirname, "killed-worker-child.ts");
    child = spawn(process.execPath, [script, queues.prefix ?? "", rows[0]?.schema ?? "", String(tries)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const message = { id: newJobId(), payload: '{"orderId":1}', occurredAt: new Date() };
    await queues.queues.send(definitionOf(queue).policy, [message]);
    if (child.stdout === null) throw new Error("no output");
    const [output] = (await once(child.stdout, "data")) as [Buffer];
    expect(output.toString()).toBe("committed\n");
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  const done = async () => (await opened.database.query("select done from orders")).rows;

  test("LG-16, LE-12 its job comes back after the lease, and the effect is not done again", async () => {
    const queue = define(3);
    await killAfterCommit(queue, 3);
    expect(await done()).toEqual([{ done: 1 }]);
    const transactions = createTransactionManager(opened.database);
    const ledger = createLedger({ transactions });
    const runs: unknown[] = [];
    worker = await startWorker(queue, async ({ attempt, payload: { orderId } }) => {
      const { value } = await transactions.run((tx) =>
        ledger.once(tx, idempotencyKey("done", orderId), () =>
          opened.on(tx.handle, "update orders set done = done + 1"),
        ),
      );
      runs.push({ attempt, first: value });
    });
    await vi.waitFor(
      () => {
        expect(runs).toEqual([{ attempt: 2, first: false }]);
      },
      { timeout: 10_000 },
    );
    expect(await done()).toEqual([{ done: 1 }]);
  });

  test("AT-06 its job has failed without being run again when it had one try, and the hook is told", async () => {
    const queue = define(1);
    await killAfterCommit(queue, 1);
    const failed: FailedJob<Payload>[] = [];
    let runs = 0;
    worker = await startWorker(queue, () => (runs += 1), { onFailed: (job) => failed.push(job) });
    await vi.waitFor(
      () => {
        expect(failed).toMatchObject([
          { attempt: 2, payload: { orderId: 1 }, error: { code: "AFTERCOMMIT_TRIES_EXHAUSTED" } },
        ]);
      },
      { timeout: 10_000 },
    );
    expect(runs).toBe(0);
    await vi.waitFor(async () => {
      expect(await queues.failed("orders")).toBe(1);
    });
  });
});
