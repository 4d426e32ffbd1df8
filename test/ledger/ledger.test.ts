/** An operation counts once, on real databases (F14, F20). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RolledBackError, TransactionClosedError, ConfigurationError, InvalidKeyError } from "../../src/errors.js";
import { idempotencyKey, type IdempotencyKey } from "../../src/idempotency-key.js";
import { ledgerDdl } from "../../src/ledger/ddl.js";
import { EffectMissedError, KeyReusedError } from "../../src/ledger/ledger-errors.js";
import { createLedger, type Ledger } from "../../src/ledger/ledger.js";
import type { SqlEffect } from "../../src/ledger/sql-effect.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import type { Transaction } from "../../src/transaction.js";
import { driversAndMostUsed, type Opened } from "../databases/subjects.js";
import { statementsOf } from "./statements.js";

describe.each(driversAndMostUsed)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: Opened;
    let transactions: TransactionManager;
    let ledger: Ledger;

    beforeAll(async () => {
      opened = await subject.open();
      transactions = createTransactionManager(opened.database);
      ledger = createLedger({ transactions });
      for (const statement of statementsOf(ledgerDdl(opened.database.dialect))) await opened.database.query(statement);
      await opened.database.query(
        "create table balances (customer integer not null primary key, points integer not null)",
      );
    });
    beforeEach(async () => {
      await opened.database.query("delete from aftercommit_ledger");
      await opened.database.query("delete from balances");
      await opened.database.query("insert into balances values (1, 0)");
    });
    afterAll(() => opened.close());

    const key = (order: number, reason = "confirmed") => idempotencyKey("grant-points", order, reason);
    const points = async () => {
      const { rows } = await opened.database.query<{ points: number }>("select points from balances");
      return rows[0]?.points;
    };
    const records = async () =>
      (await opened.database.query("select operation_key from aftercommit_ledger")).rows.length;
    const parameter = (index: number) => (opened.database.dialect === "postgres" ? `$${index.toString()}` : "?");

    const add = (tx: Transaction, amount: number) =>
      opened.on(tx.handle, `update balances set points = points + ${amount.toString()} where customer = 1`);
    const addBySql = (amount: number, customer = 1): SqlEffect => ({
      statement: (isFirst) =>
        `update balances set points = points + ${parameter(1)} where customer = ${parameter(2)} and ${isFirst}`,
      values: [amount, customer],
    });

    /** The same operation in each of the forms that its effect can have. */
    const forms: readonly {
      readonly form: string;
      readonly grant: (key: IdempotencyKey, amount: number, fingerprint?: unknown) => Promise<boolean>;
    }[] = [
      {
        form: "a function",
        grant: async (key, amount, fingerprint) =>
          (
            await transactions.run((tx) => ledger.once(tx, key, () => add(tx, amount), { fingerprint }), {
              attempts: 50,
            })
          ).value,
      },
      {
        form: "a statement",
        grant: async (key, amount, fingerprint) =>
          (
            await transactions.run((tx) => ledger.once(tx, key, addBySql(amount), { fingerprint }), {
              attempts: 50,
            })
          ).value,
      },
      {
        form: "a statement without a transaction",
        grant: async (key, amount, fingerprint) => (await ledger.run(key, addBySql(amount), { fingerprint })).value,
      },
    ];

    describe.each(forms)("with $form", ({ form, grant }) => {
      test("LG-01 to LG-04 the first call does it, the second does not, another order or reason is another operation", async () => {
        expect(await grant(key(1), 10)).toBe(true);
        expect(await points()).toBe(10);
        expect(await grant(key(1), 10)).toBe(false);
        expect(await points()).toBe(10);
        expect(await grant(key(2), 10)).toBe(true);
        expect(await grant(key(1, "refunded"), 10)).toBe(true);
        expect(await points()).toBe(30);
        expect(await records()).toBe(3);
      });

      test("LG-10 of many calls at once with one key, exactly one does it", async () => {
        const answers = await Promise.all(Array.from({ length: 50 }, () => grant(key(1), 10)));
        expect(answers.filter((first) => first)).toHaveLength(1);
        expect(await points()).toBe(10);
      });

      // MariaDB may answer a deadlock to one of those who wait; only `transactions.run` tries again.
      test("LG-11 many calls at once with as many keys for one customer lose nothing", async () => {
        const answers = await Promise.all(Array.from({ length: 50 }, (_, order) => grant(key(order), 10)));
        expect(answers).toEqual(Array.from({ length: 50 }, () => true));
        expect(await points()).toBe(500);
      });

      test("LG-13 the same key with other values is an error, and changes nothing", async () => {
        await grant(key(1), 10, { amount: 10, customer: 1 });
        expect(await grant(key(1), 10, { customer: 1, amount: 10 })).toBe(false);
        await expect(grant(key(1), 20, { amount: 20, customer: 1 })).rejects.toThrow(KeyReusedError);
        // Who does not say what the values are is not compared.
        expect(await grant(key(1), 20)).toBe(false);
        expect(await points()).toBe(10);
      });

      test.skipIf(form === "a function")(
        "LG-12 an effect that changes no row is an error, and leaves no record",
        async () => {
          await opened.database.query("delete from balances");
          const error: unknown = await grant(key(1), 10).catch((reason: unknown) => reason);
          expect(error).toBeInstanceOf(EffectMissedError);
          expect(error).toMatchObject({ code: "AFTERCOMMIT_EFFECT_MISSED", state: "rolled back", rows: 0 });
          expect(await records()).toBe(0);
          await opened.database.query("insert into balances values (1, 0)");
          expect(await grant(key(1), 10)).toBe(true);
        },
      );
    });

    test("LG-05 when the effect throws there is no record, and the next call does it", async () => {
      const run = transactions.run((tx) =>
        ledger.once(tx, key(1), async () => {
          await add(tx, 10);
          throw new Error("no");
        }),
      );
      await expect(run).rejects.toThrow("no");
      expect(await records()).toBe(0);
      expect(await transactions.run((tx) => ledger.once(tx, key(1), () => add(tx, 10)))).toMatchObject({ value: true });
      expect(await points()).toBe(10);
    });

    test("LG-05 a record without its effect is not stored when the error is caught in the transaction", async () => {
      const run = transactions.run(async (tx) => {
        const failed = ledger.once(tx, key(1), () => {
          throw new Error("no");
        });
        await failed.catch(() => undefined);
      });
      await expect(run).rejects.toThrow(RolledBackError);
      expect(await records()).toBe(0);
    });

    test("LG-05 in a savepoint the error may be caught, and the rest is committed", async () => {
      await transactions.run(async (tx) => {
        await add(tx, 1);
        const failed = tx.savepoint((nested) =>
          ledger.once(nested, key(1), () => {
            throw new Error("no");
          }),
        );
        await failed.catch(() => undefined);
      });
      expect(await records()).toBe(0);
      expect(await points()).toBe(1);
    });

    test("LG-05 an error caught inside of the savepoint rolls the savepoint back", async () => {
      await transactions.run(async (tx) => {
        const nested = tx.savepoint(async (inner) => {
          await ledger
            .once(inner, key(1), () => {
              throw new Error("no");
            })
            .catch(() => undefined);
        });
        await expect(nested).rejects.toThrow(RolledBackError);
      });
      expect(await records()).toBe(0);
    });

    test("LG-15 rolled back with its savepoint, it is not done; a later call does it", async () => {
      await transactions.run(async (tx) => {
        const rolledBack = tx.savepoint(async (nested) => {
          expect(await ledger.once(nested, key(1), () => add(nested, 10))).toBe(true);
          throw new Error("no");
        });
        await expect(rolledBack).rejects.toThrow("no");
        expect(await ledger.once(tx, key(1), () => add(tx, 10))).toBe(true);
      });
      expect(await points()).toBe(10);
    });

    test("LG-17 a job, a request and a command meet at the same record, also in one transaction", async () => {
      await ledger.run(key(1), addBySql(10));
      await transactions.run(async (tx) => {
        expect(await ledger.once(tx, key(1), () => add(tx, 10))).toBe(false);
        expect((await ledger.run(key(1), addBySql(10))).value).toBe(false);
        expect((await ledger.run(key(2), addBySql(10))).value).toBe(true);
        expect(await ledger.once(tx, key(2), () => add(tx, 10))).toBe(false);
      });
      expect(await points()).toBe(20);
    });

    test("LG-14 without a transaction, or with one of another database, it is refused", async () => {
      const outside = ledger.once(opened.database as unknown as Transaction, key(1), () => undefined);
      await expect(outside).rejects.toThrow(ConfigurationError);
      let kept: Transaction | undefined;
      await transactions.run((tx) => {
        kept = tx;
      });
      await expect(ledger.once(kept as Transaction, key(1), () => undefined)).rejects.toThrow(TransactionClosedError);

      const other = await subject.open();
      try {
        const elsewhere = createTransactionManager(other.database);
        const run = elsewhere.run((tx) => ledger.once(tx, key(1), () => undefined));
        await expect(run).rejects.toThrow(/another database/);
      } finally {
        await other.close();
      }
      expect(await records()).toBe(0);
    });

    test.each(["", " ", "grant points:1", "grant\n", "0190a0b0-0000-8ac1-8000-000000000000", undefined, 7])(
      "%j is no key of an operation",
      async (wrong) => {
        const run = transactions.run((tx) => ledger.once(tx, wrong as IdempotencyKey, () => undefined));
        await expect(run).rejects.toThrow(InvalidKeyError);
        expect(await records()).toBe(0);
      },
    );

    test("a statement that would run each time is refused", async () => {
      const always: SqlEffect = { statement: () => "update balances set points = points + 1", values: [] };
      await expect(ledger.run(key(1), always)).rejects.toThrow(ConfigurationError);
      expect(await points()).toBe(0);
      expect(await records()).toBe(0);
    });

    test("a fingerprint that JSON cannot say is refused", async () => {
      for (const fingerprint of [1n, () => undefined, Symbol("s")]) {
        await expect(ledger.run(key(1), addBySql(1), { fingerprint })).rejects.toThrow(ConfigurationError);
      }
      expect(await records()).toBe(0);
    });

    test.each(["the name", "a; drop table x", 'a"b', ""])("a table named %j is refused", (table) => {
      expect(() => createLedger({ transactions, table })).toThrow(ConfigurationError);
    });

    // One connection cannot wait for itself; these two run transactions one after the other.
    describe.skipIf(subject.name === "better-sqlite3" || subject.name === "pglite")("with two connections", () => {
      /** Two transactions at once: the first has done its effect when the second begins, and then ends as told. */
      async function overlap(end: "commits" | "rolls back") {
        const order: string[] = [];
        let letGo: () => void = () => undefined;
        const held = new Promise<void>((resolve) => (letGo = resolve));
        let begun: () => void = () => undefined;
        const firstIsIn = new Promise<void>((resolve) => (begun = resolve));
        const first = transactions.run(async (tx) => {
          const answer = await ledger.once(tx, key(1), () => add(tx, 10));
          begun();
          await held;
          order.push("first ends");
          if (end === "rolls back") throw new Error("no");
          return answer;
        });
        await firstIsIn;
        const second = transactions.run(async (tx) => {
          const answer = await ledger.once(tx, key(1), () => add(tx, 10));
          order.push("second is answered");
          return answer;
        });
        await waitsForLock();
        letGo();
        const settled = await Promise.allSettled([first, second]);
        return { order, answers: settled.map((one) => (one.status === "fulfilled" ? one.value.value : "failed")) };
      }

      /** Until the server says that somebody waits. */
      async function waitsForLock(): Promise<void> {
        const waiting =
          opened.database.dialect === "postgres"
            ? "select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%aftercommit_ledger (operation_key%'"
            : "select trx_id from information_schema.innodb_trx where trx_state = 'LOCK WAIT'";
        for (;;) {
          if ((await opened.database.query(waiting)).rows.length > 0) return;
          // InnoDB refreshes this table only when nobody has read it for 100 ms
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
      }

      test("LG-07 the second waits for the first, and then it was done before", async () => {
        expect(await overlap("commits")).toEqual({
          order: ["first ends", "second is answered"],
          answers: [true, false],
        });
        expect(await points()).toBe(10);
      });

      test("LG-08 the second waits, and does it when the first rolls back", async () => {
        expect(await overlap("rolls back")).toEqual({
          order: ["first ends", "second is answered"],
          answers: ["failed", true],
        });
        expect(await points()).toBe(10);
      });

      test("LG-06 a connection that is cut between record and effect leaves nothing", async () => {
        const run = transactions.run((tx) =>
          ledger.once(tx, key(1), async () => {
            await cut(tx);
            await add(tx, 10);
          }),
        );
        await expect(run).rejects.toThrow();
        expect(await records()).toBe(0);
        const [again] = await Promise.all([ledger.run(key(1), addBySql(10))]);
        expect(again.value).toBe(true);
      });

      async function cut(tx: Transaction): Promise<void> {
        const own = opened.database.dialect === "postgres" ? "pg_backend_pid()" : "connection_id()";
        const handle = tx.handle as { query(text: string): Promise<unknown> };
        const answer = await handle.query(`select ${own} as id`);
        const rows = (Array.isArray(answer) ? answer[0] : (answer as { rows: unknown }).rows) as { id: number }[];
        const id = String(rows[0]?.id);
        await opened.database.query(
          opened.database.dialect === "postgres" ? `select pg_terminate_backend(${id})` : `kill ${id}`,
        );
      }
    });

    test.skipIf(subject.name !== "pg")(
      "LG-09 under repeatable read a conflict is tried again, and then it was done before",
      async () => {
        let attempts = 0;
        const { value } = await transactions.run(
          async (tx) => {
            attempts += 1;
            await opened.on(tx.handle, "select 1 from balances");
            if (attempts === 1) await ledgerElsewhere();
            return ledger.once(tx, key(1), () => add(tx, 10));
          },
          { isolation: "repeatable read", attempts: 3 },
        );
        expect([value, attempts]).toEqual([false, 2]);
        expect(await points()).toBe(10);
      },
    );
    /** The same operation, done by somebody else. */
    async function ledgerElsewhere(): Promise<void> {
      await opened.database.query("insert into aftercommit_ledger (operation_key) values ($1)", [key(1)]);
      await opened.database.query("update balances set points = points + 10 where customer = 1");
    }
  });
});
