/** What a unit of work holds back is written in the transaction, and what a savepoint undid is not. */
import { MikroORM } from "@mikro-orm/postgresql";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { mikroOrmDatabase } from "../../src/databases/mikro-orm.js";
import { ConfigurationError, RolledBackError } from "../../src/errors.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { Conformance } from "./subjects/mikro-orm.js";
import { onPostgres, type Opened } from "./subjects/subject.js";

type Orm = Awaited<ReturnType<typeof MikroORM.init>>;
let orm: Orm;

const subject = onPostgres("mikro-orm", async ({ database, schema, max, ...server }) => {
  orm = await MikroORM.init({
    ...server,
    dbName: database,
    entities: [Conformance],
    pool: { max },
    driverOptions: { options: `-c search_path=${schema}` },
  });
  return {
    database: mikroOrmDatabase(orm),
    on: () => Promise.reject(new Error("not used")),
    inUse: () => 0,
    close: () => orm.close(),
  };
});

describe.skipIf(!subject.available)("on PostgreSQL", () => {
  let opened: Opened;
  let transactions: TransactionManager<Orm["em"]>;

  beforeAll(async () => {
    opened = await subject.open();
    transactions = createTransactionManager(mikroOrmDatabase(orm));
    await opened.database.query("create table conformance (id integer not null primary key)");
  });
  beforeEach(async () => {
    await opened.database.query("delete from conformance");
  });
  afterAll(() => opened.close());

  const stored = async () =>
    (await opened.database.query<{ id: number }>("select id from conformance order by id")).rows.map(({ id }) => id);
  const persist = (em: Orm["em"], id: number) => {
    em.persist(em.create(Conformance, { id }));
  };

  test("entities of the transaction and of savepoints that ended well are there in the end", async () => {
    await transactions.run(async (tx) => {
      persist(tx.handle, 1);
      await tx.savepoint((inner) => {
        persist(inner.handle, 2);
      });
      const failing = tx.savepoint((inner) => {
        persist(inner.handle, 3);
        throw new Error("no");
      });
      await expect(failing).rejects.toThrow("no");
      const seen = await tx.handle.find(Conformance, {});
      expect(seen.map(({ id }) => id)).toEqual([1, 2]);
    });
    expect(await stored()).toEqual([1, 2]);
  });

  test("a flush that fails before COMMIT is a rollback, and says why", async () => {
    await opened.database.query("insert into conformance values (1)");
    const run = transactions.run((tx) => {
      persist(tx.handle, 1);
    });
    const error = await run.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RolledBackError);
    expect(transactions.database.failure(error)).toMatchObject({ kind: "unique violation" });
  });

  test("a `run` in a transaction that MikroORM has opened refuses, rather than write beside it", async () => {
    const beside = orm.em.fork().transactional(() => transactions.run((tx) => tx.handle.flush()));
    await expect(beside).rejects.toThrow(ConfigurationError);
  });
});
