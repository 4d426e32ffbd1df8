/** Several users of one SQLite file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import BetterSqlite3 from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { betterSqlite3Database } from "../../src/databases/better-sqlite3.js";
import { createTransactionManager } from "../../src/transaction-manager.js";

let folder: string;
let open: BetterSqlite3.Database[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aftercommit-"));
  open = [];
});
afterEach(() => {
  for (const db of open) db.close();
  rmSync(folder, { recursive: true });
});

function connection(): BetterSqlite3.Database {
  const db = new BetterSqlite3(join(folder, "test.db"));
  db.exec("create table if not exists counters (n integer not null)");
  open.push(db);
  return db;
}

test("a second connection waits for the first without stopping the event loop", async () => {
  const [first, second] = [connection(), connection()];
  first.exec("insert into counters values (0)");
  const writers = [first, second].map((db) => createTransactionManager(betterSqlite3Database(db)));
  await Promise.all(
    writers.map((transactions) =>
      transactions.run(async (tx) => {
        const { n } = tx.handle.prepare("select n from counters").get() as { n: number };
        await sleep(20);
        tx.handle.prepare("update counters set n = ?").run(n + 1);
      }),
    ),
  );
  expect(first.prepare("select n from counters").pluck().get()).toBe(2);
});

test("a lock that is held for longer than the busy timeout is an error that can be tried again", async () => {
  const [holder, waiter] = [connection(), connection()];
  const database = betterSqlite3Database(waiter, { busyTimeout: 0.05 });
  holder.exec("begin immediate");
  const error: unknown = await database.begin().catch((reason: unknown) => reason);
  expect(database.failure(error)).toEqual({ kind: "retryable" });
  holder.exec("rollback");
  await createTransactionManager(database).run((tx) => tx.handle.exec("insert into counters values (1)"));
  expect(holder.prepare("select n from counters").pluck().get()).toBe(1);
});

test("a statement outside of a transaction waits until the transaction has ended", async () => {
  const database = betterSqlite3Database(connection());
  const transactions = createTransactionManager(database);
  let counted: Promise<unknown> = Promise.resolve();
  const run = transactions.run(async (tx) => {
    tx.handle.exec("insert into counters values (1)");
    counted = database.query("select count(*) as rows from counters");
    await sleep(10);
    throw new Error("no");
  });
  await expect(run).rejects.toThrow("no");
  expect(await counted).toMatchObject({ rows: [{ rows: 0 }] });
});
