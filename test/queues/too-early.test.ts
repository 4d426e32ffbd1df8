/**
 * What goes wrong without the runtime, shown with a real queue and a real database: jobs that are dispatched inside a
 * transaction. And the limit of the runtime: a transaction that it did not begin.
 */
import { Queue as BullQueue, Worker as BullWorker } from "bullmq";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { pgDatabase } from "../../src/databases/pg.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import { postgresPort, subjects } from "../databases/subjects.js";
import { bullmq } from "./subjects.js";

const available = bullmq.available && subjects.some((subject) => subject.name === "pg" && subject.available);

describe.skipIf(!available)("bullmq and pg", () => {
  const name = `aftercommit_${process.pid.toString()}_early`;
  const redis = { connection: { host: "127.0.0.1", port: 6379 }, prefix: name };
  /** What the worker found when it looked for the order of its job. */
  let found: string[];
  let pool: pg.Pool;
  let queue: BullQueue<{ orderId: number }>;
  let worker: BullWorker<{ orderId: number }>;

  beforeAll(async () => {
    const server = { host: "127.0.0.1", port: postgresPort, user: "postgres", database: "test" };
    pool = new pg.Pool({ ...server, options: `-c search_path=${name}` });
    await pool.query(`create schema ${name}`);
    await pool.query("create table orders (id integer primary key)");
    queue = new BullQueue("orders", redis);
    const look = async ({ data: { orderId } }: { data: { orderId: number } }) => {
      const { rowCount } = await pool.query("select from orders where id = $1", [orderId]);
      found.push(`${orderId} ${rowCount === 1 ? "found" : "missing"}`);
    };
    worker = new BullWorker("orders", look, redis);
    await worker.waitUntilReady();
  });
  beforeEach(() => {
    found = [];
  });
  afterAll(async () => {
    await worker.close();
    await queue.obliterate({ force: true });
    await queue.close();
    await pool.query(`drop schema ${name} cascade`);
    await pool.end();
  });

  const begin = async (orderId: number) => {
    const client = await pool.connect();
    await client.query("begin");
    await client.query("insert into orders values ($1)", [orderId]);
    return {
      end: async (how: "commit" | "rollback") => {
        await client.query(how);
        client.release();
      },
    };
  };
  const dispatch = (orderId: number) => queue.add("ship", { orderId });
  const expectFound = (...expected: string[]) =>
    vi.waitFor(
      () => {
        expect(found).toEqual(expected);
      },
      { timeout: 10_000 },
    );

  test("AC-01 hazard: a job that is dispatched in a transaction starts before COMMIT, and finds no order", async () => {
    const transaction = await begin(1);
    await dispatch(1);
    await expectFound("1 missing");
    await transaction.end("commit");
    await dispatch(1);
    await expectFound("1 missing", "1 found");
  });

  test("AC-01 hazard: after a rollback its job is there all the same", async () => {
    const transaction = await begin(2);
    await dispatch(2);
    await transaction.end("rollback");
    await expectFound("2 missing");
  });

  test("AC-02 the same through the runtime: the job starts after COMMIT, and finds its order", async () => {
    const transactions = createTransactionManager(pgDatabase(pool));
    await transactions.run(async (tx) => {
      await tx.handle.query("insert into orders values (3)");
      tx.afterCommit(() => dispatch(3));
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(found).toEqual([]);
    });
    await expectFound("3 found");
  });

  test("TX-20, AC-15 limit: a transaction that was begun by hand holds nothing back", async () => {
    const transactions = createTransactionManager(pgDatabase(pool));
    const transaction = await begin(4);
    expect(transactions.current()).toBeUndefined();
    await transactions.afterCommit(() => dispatch(4));
    await expectFound("4 missing");
    await transaction.end("commit");
  });
});
