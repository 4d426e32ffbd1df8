/** What the database answers, and what is tried again: scenarios TX-10 to TX-13 and TX-18. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AfterCommitError, CommitOutcomeUnknownError, ConfigurationError, RolledBackError } from "../../src/errors.js";
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
