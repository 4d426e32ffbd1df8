/** Where MySQL and MariaDB end a transaction by themselves, and still answer "ok" to COMMIT. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CommitOutcomeUnknownError, RolledBackError } from "../../src/errors.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import type { Transaction } from "../../src/transaction.js";
import { subjects, type Opened } from "./subjects.js";

const subject = subjects.find(({ name }) => name === "mysql2");

describe.skipIf(subject?.available !== true)("mysql2", () => {
  let opened: Opened;
  let transactions: TransactionManager;

  beforeAll(async () => {
    if (subject === undefined) throw new Error("no subject");
    opened = await subject.open();
    transactions = createTransactionManager(opened.database);
    await opened.database.query("create table endings (id integer primary key, n integer not null) engine=innodb");
  });
  beforeEach(async () => {
    await opened.database.query("delete from endings");
    await opened.database.query("insert into endings values (1, 0), (2, 0)");
  });
  afterAll(() => opened.close());

  const raise = (tx: Transaction, id: number) => opened.on(tx.handle, `update endings set n = n + 1 where id = ${id}`);
  const stored = async () => {
    const { rows } = await opened.database.query<{ n: number }>("select n from endings order by id");
    return rows.map(({ n }) => n);
  };

  /** Two transactions that take the two rows in opposite order; what each does about the deadlock is up to `second`. */
  async function crossing(second: (tx: Transaction, id: number) => Promise<void>, attempts: number) {
    let arrived = 0;
    let open: () => void = () => undefined;
    const both = new Promise<void>((resolve) => (open = resolve));
    const run = (first: number, then: number) =>
      transactions.run(
        async (tx) => {
          await raise(tx, first);
          arrived += 1;
          if (arrived === 2) open();
          await both;
          await second(tx, then);
        },
        { attempts },
      );
    return Promise.allSettled([run(1, 2), run(2, 1)]);
  }

  test("a deadlock whose error was swallowed is no commit: what came after it was stored alone", async () => {
    const settled = await crossing(async (tx, id) => {
      await raise(tx, id).catch(() => undefined);
    }, 1);
    const failed = settled.filter((result) => result.status === "rejected");
    expect(failed).toHaveLength(1);
    expect(failed[0]?.reason).toBeInstanceOf(CommitOutcomeUnknownError);
    expect(await stored()).toEqual([1, 1]);
  });

  test("a deadlock in a savepoint ends the outer transaction too, whoever catches it", async () => {
    const settled = await crossing(async (tx, id) => {
      await tx.savepoint((nested) => raise(nested, id)).catch(() => undefined);
    }, 1);
    const failed = settled.filter((result) => result.status === "rejected");
    expect(failed).toHaveLength(1);
    expect(failed[0]?.reason).toBeInstanceOf(RolledBackError);
    expect(await stored()).toEqual([1, 1]);
  });

  test("a deadlock is tried again when attempts are left", async () => {
    const settled = await crossing(raise, 3);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    expect(await stored()).toEqual([2, 2]);
  });

  test("DDL that has committed the first half is reported neither as a commit nor as a rollback", async () => {
    const run = transactions.run(async (tx) => {
      await raise(tx, 1);
      await opened.on(tx.handle, "create or replace table endings_ddl (id integer)");
    });
    await expect(run).rejects.toThrow(CommitOutcomeUnknownError);
    expect(await stored()).toEqual([1, 0]);
  });
});
