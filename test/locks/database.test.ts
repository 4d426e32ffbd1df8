/** What only locks in a table do: they verify it, keep out of transactions, and delete what has expired. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Lock } from "../../src/controls/lock.js";
import { ConfigurationError } from "../../src/errors.js";
import { databaseLocks } from "../../src/locks/database.js";
import { locksDdl } from "../../src/locks/ddl.js";
import { memoryLocks } from "../../src/locks/memory.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import { subjects, type Opened } from "../databases/subjects.js";
import { statementsOf } from "../ledger/statements.js";

describe.each(subjects)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: Opened;

    beforeAll(async () => {
      opened = await subject.open();
    });
    beforeEach(async () => {
      await opened.database.query("drop table if exists aftercommit_locks");
    });
    afterAll(() => opened.close());

    const make = async (ddl = locksDdl(opened.database.dialect)) => {
      for (const statement of statementsOf(ddl)) await opened.database.query(statement);
    };
    const rows = async () => (await opened.database.query("select lock_key from aftercommit_locks")).rows.length;

    test("the table that the command prints is right", async () => {
      await make();
      await databaseLocks({ database: opened.database }).verify();
    });

    test.each([
      ["no table", undefined, "there is no such table"],
      [
        "a table without a column",
        "create table aftercommit_locks (lock_key varchar(255) primary key)",
        "no column `value`",
      ],
      [
        "a table without its key",
        "create table aftercommit_locks (lock_key varchar(255), value varchar(255), expires_at integer)",
        "`lock_key` alone is not the primary key",
      ],
      [
        "a key that is not the only one",
        "create table aftercommit_locks (lock_key varchar(255), value varchar(255), expires_at integer, " +
          "primary key (lock_key, value))",
        "`lock_key` alone is not the primary key",
      ],
    ])("%s is refused with the first lock, with the statements that make it", async (_, ddl, message) => {
      if (ddl !== undefined) await make(`${ddl};\n`);
      const locks = databaseLocks({ database: opened.database });
      await expect(locks.read("key")).rejects.toThrow(ConfigurationError);
      await expect(locks.verify()).rejects.toThrow(message);
      await expect(locks.verify()).rejects.toThrow(/CREATE (UNLOGGED )?TABLE aftercommit_locks/);
      // And once it is made, the same object works.
      await opened.database.query("drop table if exists aftercommit_locks");
      await make();
      expect(await locks.read("key")).toBeUndefined();
    });

    test("what has expired is deleted by and by", async () => {
      await make();
      const locks = databaseLocks({ database: opened.database });
      for (let n = 0; n < 99; n += 1) await locks.compareAndSet(`short:${n}`, { from: undefined, to: "1", ttl: 0.001 });
      expect(await rows()).toBe(99);
      await sleep(20);
      await locks.compareAndSet("long", { from: undefined, to: "1", ttl: 60 });
      expect(await rows()).toBe(1);
    });

    // SQLite and PGlite have one connection: a lock would wait there until the transaction has ended.
    test.skipIf(!["pg", "mysql2"].includes(subject.name))(
      "LK-08 a lock that is held, asked for in the middle of a transaction, leaves that usable, and a rollback does not undo it",
      async () => {
        await make();
        const locks = databaseLocks({ database: opened.database });
        const [held, mine] = ["held", "mine"].map((name) => new Lock(locks, name, { for: 60 }));
        await held?.acquire();
        const transactions = createTransactionManager(opened.database);
        const run = transactions.run(async (tx) => {
          expect(await new Lock(locks, "held", { for: 60 }).acquire()).toBe(false);
          expect(await mine?.acquire()).toBe(true);
          await opened.on(tx.handle, "select 1");
          throw new Error("no");
        });
        await expect(run).rejects.toThrow("no");
        expect((await locks.read("mine"))?.value).toBe(mine?.owner);
      },
    );
  });
});

test.each(["", "a b", "x; drop table y", "Ä", "a.b.c"])("%j is refused as a table's name", (table) => {
  expect(() => locksDdl("postgres", table)).toThrow(ConfigurationError);
});

test("LK-09 two processes that keep their locks in memory both get the same one", async () => {
  const [one, two] = [memoryLocks(), memoryLocks()];
  expect(await new Lock(one, "key", { for: 60 }).acquire()).toBe(true);
  expect(await new Lock(two, "key", { for: 60 }).acquire()).toBe(true);
});
