/** `@nestjs-cls/transactional` in a real Nest application, with transactions of this package under it. */
import { ClsPluginTransactional, Propagation, TransactionHost } from "@nestjs-cls/transactional";
import { Logger, type INestApplicationContext } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ClsModule, ClsModuleOptions } from "nestjs-cls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RolledBackError } from "../../src/errors.js";
import { nestjsClsAdapter, type NestjsClsAdapter } from "../../src/frameworks/nestjs-cls.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { execute } from "../../src/transaction-statements.js";
import { prismaOnPostgres } from "../databases/subjects/prisma.js";
import type { Opened } from "../databases/subjects.js";

describe.skipIf(!prismaOnPostgres.available)("on PostgreSQL, through Prisma", () => {
  const outside = { name: "the client itself" };
  let opened: Opened;
  let transactions: TransactionManager;
  let application: INestApplicationContext;
  let host: TransactionHost<NestjsClsAdapter<unknown>>;
  let ran: string[];

  beforeAll(async () => {
    opened = await prismaOnPostgres.open();
    await opened.database.query("create table conformance (id integer not null primary key)");
    transactions = createTransactionManager(opened.database);
    const adapter = nestjsClsAdapter(transactions, outside);
    const options = Object.assign(new ClsModuleOptions(), { plugins: [new ClsPluginTransactional({ adapter })] });
    Logger.overrideLogger(false);
    application = await NestFactory.createApplicationContext(ClsModule.forRoot(options));
    host = application.get(TransactionHost);
  });
  beforeEach(async () => {
    ran = [];
    await opened.database.query("delete from conformance");
  });
  afterEach(() => {
    expect(opened.inUse()).toBe(0);
  });
  afterAll(async () => {
    await application.close();
    await opened.close();
  });

  const insert = (id: number) => opened.on(host.tx, `insert into conformance values (${id})`);
  const stored = async () =>
    (await opened.database.query<{ id: number }>("select id from conformance order by id")).rows.map(({ id }) => id);
  const watch = (name: string) =>
    transactions.run((tx) => {
      tx.afterCommit(() => ran.push(`${name} committed`));
      tx.afterRollback(() => ran.push(`${name} rolled back`));
    });

  test("`run` joins the transaction that a method has opened; its effects come after that one's commit", async () => {
    const result = await host.withTransaction(async () => {
      await insert(1);
      await watch("joined");
      expect(ran).toEqual([]);
      return "result";
    });
    expect(result).toBe("result");
    expect(ran).toEqual(["joined committed"]);
    expect(await stored()).toEqual([1]);
    expect(host.tx).toBe(outside);
  });

  test("a method that throws takes what had joined with it", async () => {
    const method = host.withTransaction(async () => {
      await insert(1);
      await watch("joined");
      throw new Error("no");
    });
    await expect(method).rejects.toThrow("no");
    expect(ran).toEqual(["joined rolled back"]);
    expect(await stored()).toEqual([]);
  });

  test("TX-13 a swallowed error of a statement is no commit", async () => {
    const method = host.withTransaction(async () => {
      await insert(1);
      await watch("joined");
      await insert(1).catch(() => undefined);
    });
    await expect(method).rejects.toThrow(RolledBackError);
    expect(ran).toEqual(["joined rolled back"]);
    expect(await stored()).toEqual([]);
  });

  test("a method that requires a transaction joins the one around it, be it the framework's or a `run`", async () => {
    await host.withTransaction(async () => {
      await insert(1);
      await host.withTransaction(Propagation.Required, () => insert(2));
    });
    const run = transactions.run(async () => {
      await host.withTransaction(() => insert(3));
      throw new Error("no");
    });
    await expect(run).rejects.toThrow("no");
    expect(await stored()).toEqual([1, 2]);
  });

  test("Nested is a savepoint", async () => {
    await host.withTransaction(async () => {
      await insert(1);
      const nested = host.withTransaction(Propagation.Nested, async () => {
        await insert(2);
        await watch("nested");
        throw new Error("no");
      });
      await expect(nested).rejects.toThrow("no");
      await insert(3);
    });
    expect(ran).toEqual(["nested rolled back"]);
    expect(await stored()).toEqual([1, 3]);
  });

  test("RequiresNew is a transaction of its own, and so are its effects", async () => {
    const method = host.withTransaction(async () => {
      await insert(1);
      await host.withTransaction(Propagation.RequiresNew, async () => {
        await insert(2);
        await watch("new");
      });
      expect(ran).toEqual(["new committed"]);
      throw new Error("no");
    });
    await expect(method).rejects.toThrow("no");
    expect(await stored()).toEqual([2]);
  });

  test("the options of `run` can be given", async () => {
    const level = await host.withTransaction({ isolation: "serializable" }, async () => {
      const { value } = await transactions.run((tx) =>
        execute<{ transaction_isolation: string }>(tx, "show transaction_isolation"),
      );
      return value.rows[0]?.transaction_isolation;
    });
    expect(level).toBe("serializable");
  });
});
