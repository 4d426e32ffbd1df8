/** `typeorm-transactional` opens and ends the transactions; `run` joins them. */
import "reflect-metadata";
import { DataSource } from "typeorm";
import {
  addTransactionalDataSource,
  deleteDataSourceByName,
  initializeTransactionalContext,
  Propagation,
  runInTransaction,
  StorageDriver,
} from "typeorm-transactional";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AfterCommitError, RolledBackError } from "../../src/errors.js";
import { typeormDatabase } from "../../src/databases/typeorm.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { mysqlInUse, onMysql, onPostgres, pgInUse, type Opened } from "../databases/subjects/subject.js";

let dataSource: DataSource;

async function opened(source: DataSource, inUse: () => number): Promise<Opened> {
  dataSource = source;
  addTransactionalDataSource(source);
  await source.initialize();
  return {
    database: typeormDatabase(source),
    on: async (_, sql) => {
      await source.manager.query(sql);
    },
    inUse,
    close: async () => {
      await source.destroy();
      deleteDataSourceByName("default");
    },
  };
}

const subjects = [
  onPostgres("postgres", ({ user, schema, max, ...server }) => {
    const extra = { options: `-c search_path=${schema}`, max };
    const source = new DataSource({ type: "postgres", username: user, ...server, extra });
    return opened(source, () => pgInUse((source.driver as unknown as { master: never }).master));
  }),
  onMysql("mysql", ({ user, max, ...server }) => {
    const source = new DataSource({ type: "mariadb", username: user, ...server, poolSize: max });
    return opened(source, () => mysqlInUse((source.driver as unknown as { pool: object }).pool));
  }),
];

initializeTransactionalContext({ storageDriver: StorageDriver.ASYNC_LOCAL_STORAGE });

describe.each(subjects)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let at: Opened;
    let transactions: TransactionManager;
    let ran: string[];

    beforeAll(async () => {
      at = await subject.open();
      await at.database.query("create table conformance (id integer not null primary key)");
      if (subject.deferred !== undefined) {
        await at.database.query(`create table conformance_deferred (${subject.deferred})`);
      }
      transactions = createTransactionManager(at.database);
    });
    beforeEach(async () => {
      ran = [];
      await at.database.query("delete from conformance");
    });
    afterEach(() => {
      expect(at.inUse()).toBe(0);
    });
    afterAll(() => at.close());

    const insert = (id: number) => dataSource.manager.query(`insert into conformance values (${id})`);
    const stored = async () =>
      (await at.database.query<{ id: number }>("select id from conformance order by id")).rows.map(({ id }) => id);
    const watch = (name: string) =>
      transactions.run((tx) => {
        tx.afterCommit(() => ran.push(`${name} committed`));
        tx.afterRollback(() => ran.push(`${name} rolled back`));
      });

    test("effects come after the commit of the method that opened the transaction", async () => {
      const result = await runInTransaction(async () => {
        await insert(1);
        await runInTransaction(() => watch("joined"));
        await transactions.afterCommit(() => ran.push("without a run"));
        expect(ran).toEqual([]);
        return "result";
      });
      expect(result).toBe("result");
      expect(ran).toEqual(["joined committed", "without a run"]);
      expect(await stored()).toEqual([1]);
      expect(transactions.current()).toBeUndefined();
    });

    test("what `run` writes on its handle belongs to the transaction, and its savepoint can fail alone", async () => {
      await runInTransaction(async () => {
        await insert(1);
        const run = transactions.run(async (tx) => {
          await (tx.handle as DataSource["manager"]).query("insert into conformance values (2)");
          tx.afterRollback(() => ran.push("run rolled back"));
          throw new Error("no");
        });
        await expect(run).rejects.toThrow("no");
        await transactions.run((tx) =>
          (tx.handle as DataSource["manager"]).query("insert into conformance values (3)"),
        );
      });
      expect(ran).toEqual(["run rolled back"]);
      expect(await stored()).toEqual([1, 3]);
    });

    test("a method that throws takes what had joined with it", async () => {
      const method = runInTransaction(async () => {
        await insert(1);
        await watch("joined");
        throw new Error("no");
      });
      await expect(method).rejects.toThrow("no");
      expect(ran).toEqual(["joined rolled back"]);
      expect(await stored()).toEqual([]);
    });

    test.skipIf(!subject.abortsOnError)("TX-13 a swallowed error of a statement is no commit", async () => {
      const method = runInTransaction(async () => {
        await insert(1);
        await watch("joined");
        await insert(1).catch(() => undefined);
      });
      await expect(method).rejects.toThrow(RolledBackError);
      expect(ran).toEqual(["joined rolled back"]);
      expect(await stored()).toEqual([]);
    });

    test.skipIf(subject.deferred === undefined)("TX-12 a COMMIT that fails is a rollback", async () => {
      const method = runInTransaction(async () => {
        await watch("joined");
        for (let row = 0; row < 2; row += 1) {
          await dataSource.manager.query("insert into conformance_deferred values (7)");
        }
      });
      await expect(method).rejects.toMatchObject({ code: "23505" });
      expect(ran).toEqual(["joined rolled back"]);
    });

    test("what was staged in a savepoint of the library goes with it", async () => {
      await runInTransaction(async () => {
        await watch("outer");
        const nested = dataSource.manager.transaction(async () => {
          await insert(1);
          await watch("nested");
          throw new Error("no");
        });
        await expect(nested).rejects.toThrow("no");
        await dataSource.manager.transaction(async () => {
          await insert(2);
          await watch("second");
        });
      });
      expect(ran).toEqual(["nested rolled back", "outer committed", "second committed"]);
      expect(await stored()).toEqual([2]);
    });

    test("REQUIRES_NEW is a transaction of its own, and so are its effects", async () => {
      const method = runInTransaction(async () => {
        await insert(1);
        await runInTransaction(
          async () => {
            await insert(2);
            await watch("new");
          },
          { propagation: Propagation.REQUIRES_NEW },
        );
        expect(ran).toEqual(["new committed"]);
        throw new Error("no");
      });
      await expect(method).rejects.toThrow("no");
      expect(await stored()).toEqual([2]);
    });

    test("a follow-up that fails is told to the method's caller, who also learns that all is committed", async () => {
      const method = runInTransaction(async () => {
        await insert(1);
        await transactions.run((tx) => {
          tx.afterCommit(() => {
            throw new Error("no");
          });
        });
      });
      await expect(method).rejects.toThrow(AfterCommitError);
      expect(await stored()).toEqual([1]);
    });
  });
});
