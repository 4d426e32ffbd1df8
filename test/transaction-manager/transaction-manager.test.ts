/** Scenarios TX-01 to TX-20 that need no particular server; the others are in test/databases. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  AfterCommitError,
  CommitOutcomeUnknownError,
  ConfigurationError,
  RolledBackError,
  TransactionClosedError,
} from "../../src/errors.js";
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

describe("what the database says", () => {
  const attempt = (tx: Transaction<FakeHandle>) => {
    tx.handle.insert("row");
    tx.afterCommit(run("committed"));
    tx.afterRollback(run("rolled back"));
  };

  test("TX-10 effects of failed attempts are dropped", async () => {
    let attempts = 0;
    await transactions.run(
      (tx) => {
        attempts += 1;
        attempt(tx);
        if (attempts < 3) throw new Error("of an ORM", { cause: new Deadlock() });
      },
      { attempts: 3 },
    );
    expect(ran).toEqual(["rolled back", "rolled back", "committed"]);
    expect(database.rows).toEqual(["row"]);
  });

  test("TX-11 a COMMIT that fails with a serialization failure is tried again, with one effect in the end", async () => {
    database.commits.push(() => ({ outcome: "rolled back", cause: new Deadlock() }));
    await transactions.run(attempt, { attempts: 2 });
    expect(ran).toEqual(["rolled back", "committed"]);
  });

  test("a nested failure that can be tried again reaches the outermost run, which tries again", async () => {
    let attempts = 0;
    await transactions.run(
      (tx) =>
        tx.savepoint(() => {
          attempts += 1;
          if (attempts === 1) throw new Deadlock();
        }),
      { attempts: 2 },
    );
    expect(attempts).toBe(2);
  });

  test("an error that is not the database's is not tried again", async () => {
    let attempts = 0;
    await caught(
      transactions.run(
        () => {
          attempts += 1;
          throw new Error("no");
        },
        { attempts: 5 },
      ),
    );
    expect(attempts).toBe(1);
  });

  test("what another manager has committed inside is not done again", async () => {
    const other = createTransactionManager(fakeDatabase());
    const error = await caught(
      transactions.run(
        () =>
          other.run((inner) => {
            ran.push("other");
            inner.afterCommit(failing(new Deadlock()));
          }),
        { attempts: 3 },
      ),
    );
    expect(error).toBeInstanceOf(AfterCommitError);
    expect(ran).toEqual(["other"]);
  });

  test("TX-13 an answer of ROLLBACK is no commit", async () => {
    database.commits.push(() => ({ outcome: "rolled back" }));
    const error = await caught(transactions.run(attempt));
    expect(error).toBeInstanceOf(RolledBackError);
    expect(error).toMatchObject({ state: "rolled back" });
    expect(ran).toEqual(["rolled back"]);
  });

  test("TX-18 no answer is unknown: neither kind of effect runs, and nothing is tried again", async () => {
    database.commits.push(failing(new Deadlock("connection lost")));
    const error = await caught(transactions.run(attempt, { attempts: 3 }));
    expect(error).toBeInstanceOf(CommitOutcomeUnknownError);
    expect(ran).toEqual([]);
    expect(database.sent).toEqual(["BEGIN", "COMMIT"]);
  });

  test("a rollback effect that fails hides neither the error nor the other effects", async () => {
    const heard: unknown[] = [];
    const manager = createTransactionManager(database, { onRollbackEffectError: (error) => heard.push(error) });
    const [reason, broken] = [new Error("reason"), new Error("broken effect")];
    const error = await caught(
      manager.run((tx) => {
        tx.afterRollback(run("first"));
        tx.afterRollback(failing(broken));
        throw reason;
      }),
    );
    expect(error).toBe(reason);
    expect(heard).toEqual([broken]);
    expect(ran).toEqual(["first"]);
  });

  test.each([0, 1.5, Number.NaN])("%d attempts are refused before anything begins", async (attempts) => {
    const error = await caught(transactions.run(() => undefined, { attempts }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(database.sent).toEqual([]);
  });
});
