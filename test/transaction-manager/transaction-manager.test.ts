/** When effects run: scenarios TX-01 to TX-20 that need no particular server; others are next to this and in test/databases. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AfterCommitError, TransactionClosedError } from "../../src/errors.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import type { Transaction } from "../../src/transaction.js";
import { Deadlock, fakeDatabase, type FakeDatabase, type FakeHandle } from "./fake-database.js";

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
const failing = (error: Error) => () => {
  throw error;
};
const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("effects after the commit", () => {
  test("TX-01 without a transaction an effect runs before the call returns", () => {
    void transactions.afterCommit(run("effect"));
    expect(ran).toEqual(["effect"]);
  });

  test("TX-02 an effect runs once, when COMMIT was answered and before the caller goes on", async () => {
    await transactions.run((tx) => {
      tx.afterCommit(() => ran.push(database.sent.join()));
    });
    expect(ran).toEqual(["BEGIN,COMMIT"]);
    await transactions.run(() => undefined);
    expect(ran).toHaveLength(1);
  });

  test("TX-03 after a throw an effect never runs, also not at the next commit", async () => {
    await caught(
      transactions.run((tx) => {
        tx.afterCommit(run("effect"));
        throw new Error("no");
      }),
    );
    await transactions.run(() => undefined);
    expect(ran).toEqual([]);
  });

  test.each([
    ["registration", ["A", "B1", "C", "B2", "D"]],
    ["inner first", ["B1", "C", "B2", "A", "D"]],
  ] as const)("TX-04 nothing runs at the end of a savepoint; then the order is %s", async (effectOrder, order) => {
    const manager = createTransactionManager(database, { effectOrder });
    await manager.run(async (tx) => {
      tx.afterCommit(run("A"));
      await tx.savepoint((nested) => {
        nested.afterCommit(run("B1"));
      });
      await tx.savepoint(async (nested) => {
        await nested.savepoint((innermost) => {
          innermost.afterCommit(run("C"));
        });
        nested.afterCommit(run("B2"));
      });
      expect(ran).toEqual([]);
      tx.afterCommit(run("D"));
    });
    expect(ran).toEqual(order);
  });

  test("TX-08 when one effect fails the others run, and the error says that the data is committed", async () => {
    const first = new Error("first");
    const second = new Error("second");
    const error = await caught(
      transactions.run((tx) => {
        tx.handle.insert("row");
        tx.afterCommit(failing(first));
        tx.afterCommit(run("between"));
        tx.afterCommit(() => Promise.reject(second));
        tx.afterCommit(run("last"));
        return "result";
      }),
    );
    expect(error).toBeInstanceOf(AfterCommitError);
    expect(error).toMatchObject({ code: "AFTERCOMMIT_FOLLOW_UP_FAILED", state: "committed", errors: [first, second] });
    expect((error as AfterCommitError).committed.value).toBe("result");
    expect(ran).toEqual(["between", "last"]);
    expect(database.rows).toEqual(["row"]);
  });

  test("TX-09 an effect that fails with a deadlock does not run the function again", async () => {
    const error = await caught(
      transactions.run(
        (tx) => {
          ran.push("function");
          tx.afterCommit(failing(new Deadlock()));
        },
        { attempts: 3 },
      ),
    );
    expect(error).toBeInstanceOf(AfterCommitError);
    expect(ran).toEqual(["function"]);
  });

  test("TX-17 an effect may run a transaction of its own, and the rest of the list still runs", async () => {
    await transactions.run((tx) => {
      tx.afterCommit(async () => {
        expect(transactions.current()).toBeUndefined();
        await transactions.run((inner) => {
          inner.afterCommit(run("inner"));
        });
        await transactions.afterCommit(run("at once"));
      });
      tx.afterCommit(run("rest"));
    });
    expect(ran).toEqual(["inner", "at once", "rest"]);
  });

  test("TX-20 a transaction that the manager does not know of does not hold an effect back", async () => {
    const connection = await database.begin();
    void transactions.afterCommit(run("at once"));
    expect(ran).toEqual(["at once"]);
    connection.release(false);
  });
});

describe("the end of a transaction", () => {
  test("statements of a savepoint that nobody awaits do not reach the connection after its end", async () => {
    const released: Promise<unknown>[] = [];
    await caught(
      transactions.run((tx) => {
        released.push(caught(tx.savepoint(() => sleep(5))));
        released.push(caught(tx.savepoint(() => sleep(5))));
        throw new Error("no");
      }),
    );
    await Promise.all(released);
    expect(database.sent).toEqual(["BEGIN", "SAVEPOINT", "ROLLBACK"]);
  });

  test("nothing new is taken while COMMIT is under way", async () => {
    const late: unknown[] = [];
    let tx: Transaction | undefined;
    database.commits.push(() => {
      try {
        tx?.afterCommit(run("late"));
      } catch (error) {
        late.push(error);
      }
      late.push(transactions.current());
      return { outcome: "committed" };
    });
    await transactions.run((given) => {
      tx = given;
    });
    expect(late).toEqual([expect.any(TransactionClosedError), undefined]);
    expect(ran).toEqual([]);
  });
});

describe("what outlives the transaction", () => {
  test("TX-16 an effect that is registered too late is an error, not an immediate run", async () => {
    const late: Promise<unknown>[] = [];
    await transactions.run((tx) => {
      late.push(
        caught(
          sleep(1).then(() => {
            tx.afterCommit(run("late"));
          }),
        ),
      );
      late.push(caught(sleep(1).then(() => transactions.afterCommit(run("late")))));
      late.push(caught(sleep(1).then(() => tx.savepoint(() => undefined))));
      late.push(caught(sleep(1).then(() => tx.handle)));
    });
    for (const error of await Promise.all(late)) expect(error).toBeInstanceOf(TransactionClosedError);
    expect(ran).toEqual([]);
  });

  test("work that was started inside and goes on has transactions of its own", async () => {
    let background: Promise<unknown> = Promise.resolve();
    await caught(
      transactions.run((tx) => {
        tx.handle.insert("rolled back");
        background = sleep(1).then(() =>
          transactions.run((own) => {
            own.handle.insert("background");
          }),
        );
        throw new Error("no");
      }),
    );
    await background;
    expect(database.rows).toEqual(["background"]);
  });
});
