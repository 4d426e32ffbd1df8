/** A ledger says what is wrong with its table before anything depends on it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ConfigurationError } from "../../src/errors.js";
import { idempotencyKey } from "../../src/idempotency-key.js";
import { ledgerDdl } from "../../src/ledger/ddl.js";
import { createLedger } from "../../src/ledger/ledger.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { subjects, type Opened } from "../databases/subjects.js";
import { statementsOf } from "./statements.js";

describe.each(subjects)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: Opened;
    let transactions: TransactionManager;

    beforeAll(async () => {
      opened = await subject.open();
      transactions = createTransactionManager(opened.database);
    });
    afterAll(() => opened.close());

    const create = async (table: string, columns: string, rest = "") => {
      await opened.database.query(`create table ${table} (${columns}) ${rest}`);
    };
    const problem = (table: string): Promise<unknown> =>
      createLedger({ transactions, table })
        .verify()
        .then(
          () => undefined,
          (error: unknown) => error,
        );

    test("the table that it prints is right, also under another name", async () => {
      for (const table of ["aftercommit_ledger", "my_ledger"]) {
        const statements = statementsOf(ledgerDdl(opened.database.dialect, table));
        for (const statement of statements) await opened.database.query(statement);
        await expect(createLedger({ transactions, table }).verify()).resolves.toBeUndefined();
      }
    });

    test("a missing table is named, and the error has what creates it", async () => {
      const error = await problem("nowhere");
      expect(error).toBeInstanceOf(ConfigurationError);
      expect((error as Error).message).toContain('"nowhere": there is no such table');
      expect((error as Error).message).toContain("CREATE TABLE nowhere");
    });

    test("the first use finds it too, writes nothing, and finds the table once it is there", async () => {
      const ledger = createLedger({ transactions, table: "late" });
      let effects = 0;
      const use = () => transactions.run((tx) => ledger.once(tx, idempotencyKey("late", 1), () => (effects += 1)));
      await expect(use()).rejects.toThrow(/there is no such table/);
      expect(effects).toBe(0);
      for (const statement of statementsOf(ledgerDdl(opened.database.dialect, "late"))) {
        await opened.database.query(statement);
      }
      expect((await use()).value).toBe(true);
      expect(effects).toBe(1);
    });

    test("II-10 a key that is not unique, or not alone, is found", async () => {
      const rest = "fingerprint char(64), recorded_at timestamp";
      await create("no_key", `operation_key varchar(255) not null, ${rest}`);
      await create(
        "wide_key",
        `operation_key varchar(255), tenant integer, ${rest}, primary key (operation_key, tenant)`,
      );
      await create("other_key", `id integer primary key, operation_key varchar(255) not null, ${rest}`);
      for (const table of ["no_key", "wide_key", "other_key"]) {
        expect(((await problem(table)) as Error).message).toContain("`operation_key` alone is not the primary key");
      }
    });

    test("columns that are missing are all named", async () => {
      await create("narrow", "operation_key varchar(255) primary key");
      const { message } = (await problem("narrow")) as Error;
      expect(message).toContain("no column `fingerprint`");
      expect(message).toContain("no column `recorded_at`");
    });

    test.skipIf(subject.name !== "mysql2")(
      "a table without transactions, or with a collation that mixes keys, is found",
      async () => {
        await create(
          "weak",
          "operation_key varchar(100) character set utf8mb4 collate utf8mb4_general_ci primary key, fingerprint char(64), recorded_at datetime(6)",
          "engine = MyISAM",
        );
        const { message } = (await problem("weak")) as Error;
        expect(message).toContain("its engine is MyISAM");
        expect(message).toContain("no room for 255");
        expect(message).toContain("utf8mb4_general_ci");
      },
    );

    test.skipIf(!["pg", "pglite"].includes(subject.name))(
      "a table that a crash empties, or with a deferrable key, is found",
      async () => {
        await opened.database.query(
          "create unlogged table brittle (operation_key varchar(255) primary key deferrable, fingerprint char(64), recorded_at timestamptz)",
        );
        const { message } = (await problem("brittle")) as Error;
        expect(message).toContain("unlogged");
        expect(message).toContain("deferrable");
      },
    );

    test.skipIf(subject.name === "better-sqlite3")("a table of another schema is found by its full name", async () => {
      const dialect = opened.database.dialect;
      const { rows } = await opened.database.query<{ name: string }>(
        dialect === "mysql" ? "select database() as name" : "select current_schema() as name",
      );
      const table = `${rows[0]?.name ?? ""}.named_in_full`;
      for (const statement of statementsOf(ledgerDdl(dialect, table))) await opened.database.query(statement);
      const ledger = createLedger({ transactions, table });
      await ledger.verify();
      const { value } = await transactions.run((tx) => ledger.once(tx, idempotencyKey("full", 1), () => undefined));
      expect(value).toBe(true);
    });
  });
});
