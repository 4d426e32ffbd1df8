/** What only PostgreSQL does: serialization failures at COMMIT, and statements of many parts. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CommitOutcomeUnknownError, RolledBackError } from "../../src/errors.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { scopeOf } from "../../src/transaction-scope.js";
import { subjects, type Opened } from "./subjects.js";

const subject = subjects.find(({ name }) => name === "pg");

describe.skipIf(subject?.available !== true)("pg", () => {
  let opened: Opened;
  let transactions: TransactionManager;
  let ran: string[];

  beforeAll(async () => {
    if (subject === undefined) throw new Error("no subject");
    opened = await subject.open();
    transactions = createTransactionManager(opened.database);
    await opened.database.query("create table on_call (doctor text primary key, here boolean not null)");
  });
  beforeEach(async () => {
    ran = [];
    await opened.database.query("delete from on_call");
    await opened.database.query("insert into on_call values ('a', true), ('b', true)");
  });
  afterAll(() => opened.close());

  /** Both doctors leave when the other one stays; one after the other, only the first may. */
  async function leaveAtOnce(attempts: number) {
    let arrived = 0;
    let open: () => void = () => undefined;
    const both = new Promise<void>((resolve) => (open = resolve));
    const leave = (doctor: string, other: string) =>
      transactions.run(
        async (tx) => {
          tx.afterCommit(() => ran.push(`${doctor} committed`));
          tx.afterRollback(() => ran.push("rolled back"));
          await opened.on(tx.handle, `select here from on_call where doctor = '${other}'`);
          arrived += 1;
          if (arrived === 2) open();
          await both;
          await opened.on(
            tx.handle,
            `update on_call set here = false where doctor = '${doctor}'
             and exists (select from on_call where doctor = '${other}' and here)`,
          );
        },
        { attempts, isolation: "serializable" },
      );
    return Promise.allSettled([leave("a", "b"), leave("b", "a")]);
  }
  const here = async () => (await opened.database.query("select from on_call where here")).rows.length;

  test("TX-11 a serialization failure is tried again, and effects run once for each commit", async () => {
    const settled = await leaveAtOnce(5);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    expect(ran.filter((name) => name !== "rolled back").sort()).toEqual(["a committed", "b committed"]);
    expect(ran).toContain("rolled back");
    expect(await here()).toBe(1);
  });

  test("without attempts left it is an error that says that nothing is stored", async () => {
    const failed = (await leaveAtOnce(1)).filter((result) => result.status === "rejected");
    expect(failed).toHaveLength(1);
    const reason: unknown = failed[0]?.reason;
    expect(opened.database.failure(reason)).toEqual({ kind: "retryable" });
    expect(ran).toHaveLength(2);
    expect(await here()).toBe(1);
  });

  test("when the staged jobs cannot be written because an error was swallowed before, that is what the error says", async () => {
    const run = transactions.run(async (tx) => {
      await opened.on(tx.handle, "select nonsense").catch(() => undefined);
      scopeOf(tx).beforeCommit<string>(async (_, executor) => {
        await executor.query("select 1");
      }, "job");
    });
    const error: unknown = await run.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RolledBackError);
    expect(error).toMatchObject({ message: expect.stringContaining("swallowed") as string, cause: { code: "25P02" } });
  });

  test("a COMMIT that hides in a statement of many parts leaves the outcome unknown", async () => {
    const run = transactions.run((tx) => opened.on(tx.handle, "select 1; commit"));
    await expect(run).rejects.toThrow(CommitOutcomeUnknownError);
  });
});
