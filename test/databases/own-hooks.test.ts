/** Libraries with hooks "after commit" of their own: one that fails makes no commit look like a rollback. */
import "reflect-metadata";
import { MikroORM, type EntityManager } from "@mikro-orm/postgresql";
import type pg from "pg";
import { DataSource, type EntityManager as TypeormManager } from "typeorm";
import { expect, test } from "vitest";
import { mikroOrmDatabase } from "../../src/databases/mikro-orm.js";
import { typeormDatabase } from "../../src/databases/typeorm.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import { Conformance } from "./subjects/mikro-orm.js";
import { onPostgres, pgInUse } from "./subjects/subject.js";

const fails = () => Promise.reject(new Error("of the hook"));

const subjects = [
  onPostgres("typeorm", async ({ user, schema, max, ...server }) => {
    const extra = { options: `-c search_path=${schema}`, max };
    const dataSource = new DataSource({ type: "postgres", username: user, ...server, extra });
    await dataSource.initialize();
    dataSource.subscribers.push({ afterTransactionCommit: fails });
    return {
      database: typeormDatabase(dataSource),
      on: async (handle, sql) => {
        await (handle as TypeormManager).query(sql);
      },
      inUse: () => pgInUse((dataSource.driver as unknown as { master: pg.Pool }).master),
      close: () => dataSource.destroy(),
    };
  }),
  onPostgres("mikro-orm", async ({ database, schema, max, ...server }) => {
    const orm = await MikroORM.init({
      ...server,
      dbName: database,
      entities: [Conformance],
      subscribers: [{ afterTransactionCommit: fails }],
      pool: { max },
      driverOptions: { options: `-c search_path=${schema}` },
    });
    return {
      database: mikroOrmDatabase(orm),
      on: async (handle, sql) => {
        await (handle as EntityManager).execute(sql);
      },
      inUse: () => 0,
      close: () => orm.close(),
    };
  }),
];

test.each(subjects.filter(({ available }) => available))("$name", async (subject) => {
  const opened = await subject.open();
  const warnings: string[] = [];
  const onWarning = (warning: Error) => warnings.push(warning.message);
  process.on("warning", onWarning);
  try {
    await opened.database.query("create table conformance (id integer not null primary key)");
    const ran: string[] = [];
    await createTransactionManager(opened.database).run(async (tx) => {
      tx.afterCommit(() => ran.push("committed"));
      await opened.on(tx.handle, "insert into conformance values (1)");
    });
    expect(ran).toEqual(["committed"]);
    expect((await opened.database.query("select id from conformance")).rows).toEqual([{ id: 1 }]);
    expect(opened.inUse()).toBe(0);
    expect(warnings).toContain("of the hook");
  } finally {
    process.off("warning", onWarning);
    await opened.close();
  }
});
