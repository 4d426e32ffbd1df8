/** What every database adapter must do, on real databases: above all, never take a rollback for a commit. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  AftercommitError,
  causesOf,
  ConfigurationError,
  RolledBackError,
  TransactionClosedError,
} from "../../src/errors.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { execute } from "../../src/transaction-statements.js";
import type { Transaction } from "../../src/transaction.js";
import { everySubject, type Opened } from "./subjects.js";

/** The error of this package that a promise rejects with, or that a library wrapped into one of its own. */
async function ours(rejecting: Promise<unknown>): Promise<AftercommitError | undefined> {
  const error = await rejecting.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return [...causesOf(error)].find((cause) => cause instanceof AftercommitError);
}

describe.each(everySubject)("$name", (subject) => {
  const { available, deferred, abortsOnError } = subject;
  describe.skipIf(!available)("on its server", () => {
    let opened: Opened;
    let transactions: TransactionManager;
    let ran: string[];

    beforeAll(async () => {
      opened = await subject.open();
      transactions = createTransactionManager(opened.database);
      await opened.database.query("create table conformance (id integer not null primary key)");
      if (deferred !== undefined) await opened.database.query(`create table conformance_deferred (${deferred})`);
    });
    beforeEach(async () => {
      ran = [];
      await opened.database.query("delete from conformance");
    });
    // No test may leave a connection behind, whatever it does to it.
    afterEach(() => {
      expect(opened.inUse()).toBe(0);
    });
    afterAll(() => opened.close());

    const insert = (tx: Transaction, id: number) => opened.on(tx.handle, `insert into conformance values (${id})`);
    const stored = async () => {
      const { rows } = await opened.database.query<{ id: number }>("select id from conformance order by id");
      return rows.map(({ id }) => id);
    };
    const watch = (tx: Transaction, name: string) => {
      tx.afterCommit(() => ran.push(`${name} committed`));
      tx.afterRollback(() => ran.push(`${name} rolled back`));
    };

    test("TX-02 what the function wrote is committed, then its effects run, then the caller goes on", async () => {
      const committed = await transactions.run(async (tx) => {
        watch(tx, "outer");
        await insert(tx, 1);
        return "result";
      });
      expect(committed.value).toBe("result");
      expect(ran).toEqual(["outer committed"]);
      expect(await stored()).toEqual([1]);
    });

    test("TX-03 a throw rolls back, and the error reaches the caller as it is", async () => {
      const error = new Error("no");
      const run = transactions.run(async (tx) => {
        watch(tx, "outer");
        await insert(tx, 1);
        throw error;
      });
      await expect(run).rejects.toBe(error);
      expect(ran).toEqual(["outer rolled back"]);
      expect(await stored()).toEqual([]);
    });

    test("TX-13 a statement's error that was swallowed is never a commit of half the work unnoticed", async () => {
      const run = transactions.run(async (tx) => {
        watch(tx, "outer");
        await insert(tx, 1);
        await insert(tx, 1).catch(() => undefined);
      });
      if (abortsOnError) {
        await expect(run).rejects.toThrow(RolledBackError);
        expect(ran).toEqual(["outer rolled back"]);
        expect(await stored()).toEqual([]);
      } else {
        // Here a failed statement undoes itself alone, so the commit is real.
        await run;
        expect(ran).toEqual(["outer committed"]);
        expect(await stored()).toEqual([1]);
      }
    });

    test.skipIf(deferred === undefined)("TX-12 a constraint that fails at COMMIT is a rollback", async () => {
      const run = transactions.run(async (tx) => {
        watch(tx, "outer");
        await insert(tx, 1);
        await opened.on(tx.handle, "insert into conformance_deferred values (7)");
        await opened.on(tx.handle, "insert into conformance_deferred values (7)");
      });
      const error = await run.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(RolledBackError);
      expect((error as RolledBackError).cause).toBeInstanceOf(Error);
      expect(ran).toEqual(["outer rolled back"]);
      expect(await stored()).toEqual([]);
      await transactions.afterCommit(() => ran.push("at once"));
      expect(ran.at(-1)).toBe("at once");
    });

    test.each(["ROLLBACK", "commit", " begin"])("%j on the handle is refused, and nothing is stored", async (sql) => {
      const run = transactions.run(async (tx) => {
        await insert(tx, 1);
        await opened.on(tx.handle, sql);
      });
      expect(await ours(run)).toBeInstanceOf(ConfigurationError);
      expect(await stored()).toEqual([]);
    });

    test("TX-05 a savepoint that fails takes only its own work with it", async () => {
      await transactions.run(async (tx) => {
        watch(tx, "outer");
        await insert(tx, 1);
        await tx.savepoint(async (nested) => {
          watch(nested, "first");
          await insert(nested, 2);
        });
        const second = tx.savepoint(async (nested) => {
          watch(nested, "second");
          await insert(nested, 3);
          throw new Error("no");
        });
        await expect(second).rejects.toThrow("no");
        await insert(tx, 4);
      });
      expect(ran).toEqual(["second rolled back", "outer committed", "first committed"]);
      expect(await stored()).toEqual([1, 2, 4]);
    });

    test("a savepoint in a savepoint nests", async () => {
      await transactions.run((tx) =>
        tx.savepoint(async (outer) => {
          await insert(outer, 1);
          await outer
            .savepoint(async (inner) => {
              await insert(inner, 2);
              throw new Error("no");
            })
            .catch(() => undefined);
          await outer.savepoint((inner) => insert(inner, 3));
        }),
      );
      expect(await stored()).toEqual([1, 3]);
    });

    test.skipIf(!abortsOnError)("an error that was swallowed in a savepoint rolls the savepoint back", async () => {
      await transactions.run(async (tx) => {
        await insert(tx, 1);
        const nested = tx.savepoint(async (inner) => {
          watch(inner, "inner");
          await insert(inner, 2);
          await insert(inner, 1).catch(() => undefined);
        });
        await expect(nested).rejects.toThrow(RolledBackError);
      });
      expect(ran).toEqual(["inner rolled back"]);
      expect(await stored()).toEqual([1]);
    });

    test("TX-16 a handle is of no use after its transaction", async () => {
      const kept: unknown[] = [];
      await transactions.run((tx) => kept.push(tx.handle, tx));
      const [handle, tx] = kept as [unknown, Transaction];
      const late = (async () => opened.on(handle, "delete from conformance"))();
      expect(await ours(late)).toBeInstanceOf(TransactionClosedError);
      expect(() => tx.handle).toThrow(TransactionClosedError);
    });

    test("a unique violation is told from other errors", async () => {
      await opened.database.query("insert into conformance values (1)");
      const twice = await opened.database.query("insert into conformance values (1)").catch((error: unknown) => error);
      expect(opened.database.failure(twice).kind).toBe("unique violation");
      const wrapped = new Error("of an ORM", { cause: twice });
      expect(opened.database.failure(wrapped).kind).toBe("unique violation");
      const missing = await opened.database.query("select 1 from absent_table").catch((error: unknown) => error);
      expect(opened.database.failure(missing)).toEqual({ kind: "other" });
    });

    test("an error of a statement on the handle is understood, however the library wraps it", async () => {
      const constraint = { postgres: "conformance_pkey", mysql: "PRIMARY", sqlite: "conformance.id" };
      const twice = transactions.run(async (tx) => {
        await insert(tx, 1);
        await insert(tx, 1);
      });
      const error = await twice.catch((reason: unknown) => reason);
      expect(opened.database.failure(error)).toEqual({
        kind: "unique violation",
        constraint: constraint[opened.database.dialect],
      });
      const missing = transactions.run((tx) => opened.on(tx.handle, "insert into absent_table values (1)"));
      expect(opened.database.failure(await missing.catch((reason: unknown) => reason))).toEqual({ kind: "other" });
    });

    test.skipIf(!abortsOnError)("a statement after one that failed says that the transaction is aborted", async () => {
      await transactions
        .run(async (tx) => {
          await insert(tx, 1);
          await insert(tx, 1).catch(() => undefined);
          const error = await insert(tx, 2).catch((reason: unknown) => reason);
          expect(opened.database.failure(error)).toEqual({ kind: "aborted" });
          throw new Error("seen");
        })
        .catch((error: unknown) => {
          expect((error as Error).message).toBe("seen");
        });
    });

    test("TX-09 serializable transactions that collide run again, and lose nothing", async () => {
      await opened.database.query("insert into conformance values (0)");
      const increment = (tx: Transaction) => opened.on(tx.handle, "update conformance set id = id + 1");
      const runs = Array.from({ length: 8 }, () =>
        transactions.run(increment, { isolation: "serializable", attempts: 100 }),
      );
      await Promise.all(runs);
      expect(await stored()).toEqual([8]);
    });

    describe.skipIf(subject.port === undefined)("isolation", () => {
      test.each([
        { isolation: "read committed", seen: 1 },
        { isolation: "repeatable read", seen: 0 },
      ] as const)("is what was asked for: $isolation", async ({ isolation, seen }) => {
        const { value } = await transactions.run(
          async (tx) => {
            await execute(tx, "select id from conformance");
            await opened.database.query("insert into conformance values (1)");
            return await execute(tx, "select id from conformance");
          },
          { isolation },
        );
        expect(value.rows).toHaveLength(seen);
      });
    });

    test("rows and the number of changed rows come back", async () => {
      const parameter = opened.database.dialect === "postgres" ? "$1" : "?";
      const inserted = await opened.database.query(`insert into conformance values (1), (${parameter})`, [2]);
      expect(inserted.affectedRows).toBe(2);
      const { rows } = await opened.database.query(`select id from conformance where id > ${parameter}`, [1]);
      expect(rows).toEqual([{ id: 2 }]);
    });

    test("transactions that are asked for at once all commit", async () => {
      const ids = Array.from({ length: 20 }, (_, index) => index);
      await Promise.all(ids.map((id) => transactions.run((tx) => insert(tx, id))));
      expect(await stored()).toEqual(ids);
    });

    test("every error of this package says what state the data is in", async () => {
      const error = await ours(transactions.run((tx) => opened.on(tx.handle, "COMMIT")));
      expect(error).toBeInstanceOf(AftercommitError);
      expect(error).toMatchObject({ code: "AFTERCOMMIT_CONFIGURATION", state: "nothing written" });
    });
  });
});
