/** External effects say what is wrong with their table before anything is sent. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { effectsDdl } from "../../src/effects/ddl.js";
import { createEffects } from "../../src/effects/effects.js";
import { ConfigurationError } from "../../src/errors.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { subjects, type Opened } from "../databases/subjects.js";
import { statementsOf } from "../ledger/statements.js";

describe.each(subjects)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: Opened;
    let transactions: TransactionManager;

    beforeAll(async () => {
      opened = await subject.open();
      transactions = createTransactionManager(opened.database);
    });
    afterAll(() => opened.close());

    const problem = async (table: string): Promise<string> => {
      const error: unknown = await createEffects({ transactions, table })
        .verify()
        .then(
          () => undefined,
          (reason: unknown) => reason,
        );
      expect(error).toBeInstanceOf(ConfigurationError);
      return (error as Error).message;
    };
    const create = async (ddl: string) => {
      for (const statement of statementsOf(ddl)) await opened.database.query(statement);
    };

    test("the table that it prints is right, also under another name", async () => {
      for (const table of ["aftercommit_effects", "my_effects"]) {
        await create(effectsDdl(opened.database.dialect, table));
        await expect(createEffects({ transactions, table }).verify()).resolves.toBeUndefined();
      }
    });

    test("a missing table is named, and the error has what makes it", async () => {
      const message = await problem("nowhere");
      expect(message).toContain('"nowhere": there is no such table');
      expect(message).toContain("CREATE TABLE nowhere");
    });

    test("columns that are missing are named, and a key that nothing keeps single", async () => {
      await create("create table loose (operation_key varchar(255) not null, service varchar(20), state varchar(8))");
      const message = await problem("loose");
      expect(message).toContain("no column `takes_key`");
      expect(message).toContain("no column `open_until`");
      expect(message).not.toContain("no column `state`");
      expect(message).toContain("`operation_key` alone is not the primary key");
    });

    test("a key of two columns is found", async () => {
      await create(
        "create table wide (operation_key varchar(255), tenant integer, primary key (operation_key, tenant))",
      );
      expect(await problem("wide")).toContain("`operation_key` alone is not the primary key");
    });

    test.skipIf(subject.name !== "mysql2")(
      "a table without transactions, or one that mixes keys, is found",
      async () => {
        await create(
          "create table weak (operation_key varchar(100) collate utf8mb4_general_ci primary key) engine = MyISAM",
        );
        const message = await problem("weak");
        expect(message).toContain("its engine is MyISAM");
        expect(message).toContain("no room for 255");
        expect(message).toContain("utf8mb4_general_ci");
      },
    );

    test.skipIf(!["pg", "pglite"].includes(subject.name))(
      "a table that a crash empties, or with a deferrable key, is found",
      async () => {
        await create("create unlogged table brittle (operation_key varchar(255) primary key deferrable)");
        const message = await problem("brittle");
        expect(message).toContain("unlogged");
        expect(message).toContain("deferrable");
      },
    );
  });
});
