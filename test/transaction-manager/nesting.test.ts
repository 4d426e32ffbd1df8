/** Savepoints, and a `run` inside a `run`: scenarios TX-05 to TX-07, TX-14, TX-15 and AC-09. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ConfigurationError, RolledBackError } from "../../src/errors.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { fakeDatabase, type FakeDatabase, type FakeHandle } from "./fake-database.js";

let database: FakeDatabase;
let transactions: TransactionManager<FakeHandle>;
let ran: string[];

beforeEach(() => {
  database = fakeDatabase();
  transactions = createTransactionManager(database);
  ran = [];
});
afterEach(() => {
  expect(database.inUse()).toBe(0);
});

const run = (name: string) => () => void ran.push(name);
const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("savepoints", () => {
  test("TX-05 a savepoint that failed takes only its own effects with it", async () => {
    await transactions.run(async (tx) => {
      tx.afterCommit(run("r1"));
      await tx.savepoint((nested) => {
        nested.afterCommit(run("n1"));
      });
      await caught(
        tx.savepoint((nested) => {
          nested.afterCommit(run("n2"));
          throw new Error("no");
        }),
      );
      tx.afterCommit(run("r2"));
    });
    expect(ran).toEqual(["r1", "n1", "r2"]);
  });

  test("TX-06 a savepoint that fails takes those with it that had ended well inside; rollback effects run backwards", async () => {
    await transactions.run(async (tx) => {
      await caught(
        tx.savepoint(async (x) => {
          x.afterCommit(run("x committed"));
          x.afterRollback(run("x"));
          await x.savepoint((y) => {
            y.afterCommit(run("y committed"));
            y.afterRollback(run("y"));
          });
          throw new Error("no");
        }),
      );
    });
    expect(ran).toEqual(["y", "x"]);
  });

  test("TX-07 siblings that are asked for at once run one after the other, and one survives the other's failure", async () => {
    await transactions.run(async (tx) => {
      const settled = await Promise.allSettled([
        tx.savepoint(async (first) => {
          await sleep(5);
          first.handle.insert("first");
          first.afterCommit(run("first"));
        }),
        tx.savepoint(async (second) => {
          await sleep(1);
          second.handle.insert("second");
          second.afterCommit(run("second"));
          throw new Error("no");
        }),
        transactions.run(async () => {
          await sleep(1);
          tx.handle.insert("third");
          await transactions.afterCommit(run("third"));
        }),
      ]);
      expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    });
    expect(ran).toEqual(["first", "third"]);
    expect(database.rows).toEqual(["first", "third"]);
  });

  test("a savepoint of an outer handle, asked for inside its own savepoint, is refused instead of waiting for ever", async () => {
    const error = await caught(transactions.run((tx) => tx.savepoint(() => tx.savepoint(() => undefined))));
    expect(error).toBeInstanceOf(ConfigurationError);
  });

  test("a savepoint that nobody awaits rolls the whole transaction back", async () => {
    const error = await caught(
      transactions.run((tx) => {
        tx.handle.insert("row");
        void caught(tx.savepoint(() => sleep(5)));
      }),
    );
    expect(error).toBeInstanceOf(RolledBackError);
    expect(database.rows).toEqual([]);
    await sleep(10);
  });
});

describe("a run inside a run", () => {
  test("AC-09 it joins: one COMMIT, and its effects wait for it", async () => {
    await transactions.run(async (tx) => {
      tx.handle.insert("outer");
      await transactions.run((inner) => {
        inner.handle.insert("inner");
        inner.afterCommit(run("inner"));
      });
      expect(ran).toEqual([]);
    });
    expect(database.sent.filter((text) => text === "COMMIT")).toHaveLength(1);
    expect(database.rows).toEqual(["outer", "inner"]);
    expect(ran).toEqual(["inner"]);
  });

  test("its failure, caught, leaves the outer work alone", async () => {
    await transactions.run(async (tx) => {
      tx.handle.insert("outer");
      await caught(
        transactions.run((inner) => {
          inner.handle.insert("inner");
          throw new Error("no");
        }),
      );
    });
    expect(database.rows).toEqual(["outer"]);
  });

  test("it cannot ask for an isolation level", async () => {
    const error = await caught(
      transactions.run(() => transactions.run(() => undefined, { isolation: "serializable" })),
    );
    expect(error).toBeInstanceOf(ConfigurationError);
  });

  test("TX-14 a run of another database is a transaction of its own, and effects stay with the handle they were given to", async () => {
    const other = createTransactionManager(fakeDatabase());
    await transactions.run(async (tx) => {
      await caught(
        other.run((inner) => {
          tx.afterCommit(run("of the outer one"));
          inner.afterCommit(run("of the other one"));
          throw new Error("no");
        }),
      );
      expect(transactions.current()).toBe(tx);
      expect(other.current()).toBeUndefined();
    });
    expect(ran).toEqual(["of the outer one"]);
  });

  test("TX-15 transactions of two requests know nothing of each other", async () => {
    const request = (name: string, waitMs: number, ends: boolean) =>
      transactions.run(async () => {
        await sleep(waitMs);
        await transactions.afterCommit(run(name));
        await sleep(waitMs);
        if (!ends) throw new Error("no");
      });
    await Promise.allSettled([request("a", 4, false), request("b", 3, true), request("c", 5, true)]);
    expect(ran.sort()).toEqual(["b", "c"]);
  });
});
