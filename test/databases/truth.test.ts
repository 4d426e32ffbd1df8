/**
 * Does a library's own transaction tell the truth? Measured without this package: what the promise does when COMMIT fails,
 * and when the server rolls back because an error was swallowed. The table of the guide is what comes out here.
 */
import "reflect-metadata";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MikroORM } from "@mikro-orm/postgresql";
import { PrismaPg } from "@prisma/adapter-pg";
import { sql } from "drizzle-orm";
import { drizzle as drizzleOnPg } from "drizzle-orm/node-postgres";
import { drizzle as drizzleOnPostgresJs } from "drizzle-orm/postgres-js";
import knex from "knex";
import { CompiledQuery, Kysely, PostgresDialect } from "kysely";
import postgres from "postgres";
import { Sequelize } from "sequelize";
import { DataSource } from "typeorm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PrismaClient } from "./prisma/generated/postgresql/client.js";
import { Conformance } from "./subjects/mikro-orm.js";
import { onPostgres, pgPool, type Opened, type PostgresPlace } from "./subjects/subject.js";
import { pgDatabase } from "../../src/databases/pg.js";

type Run = (text: string) => PromiseLike<unknown>;

/** A library as its own documentation uses it. */
interface Measured {
  /** Opens a transaction, runs the function in it and commits. `hook` is called by the library's own hook, if it has one. */
  transaction(work: (run: Run) => Promise<void>, hook: () => void): Promise<unknown>;
  /** Whether the library has a hook that is to run after the commit. */
  readonly hasHook?: boolean;
  close(): Promise<unknown>;
}

const libraries: Readonly<Record<string, (place: PostgresPlace) => Measured | Promise<Measured>>> = {
  pg(place) {
    const pool = pgPool(place);
    return {
      async transaction(work) {
        const client = await pool.connect();
        try {
          await client.query("BEGIN");
          await work((text) => client.query(text));
          await client.query("COMMIT");
        } catch (error) {
          await client.query("ROLLBACK");
          throw error;
        } finally {
          client.release();
        }
      },
      close: () => pool.end(),
    };
  },

  postgres({ schema, ...server }) {
    const db = postgres({ ...server, connection: { search_path: schema } });
    return { transaction: (work) => db.begin((tx) => work((text) => tx.unsafe(text))), close: () => db.end() };
  },

  Prisma(place) {
    const pool = pgPool(place);
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: place.schema }) });
    return {
      transaction: (work) => prisma.$transaction((tx) => work((text) => tx.$executeRawUnsafe(text))),
      close: () => prisma.$disconnect().then(() => pool.end()),
    };
  },

  "Drizzle on pg"(place) {
    const pool = pgPool(place);
    const db = drizzleOnPg(pool);
    return {
      transaction: (work) => db.transaction((tx) => work((text) => tx.execute(sql.raw(text)))),
      close: () => pool.end(),
    };
  },

  "Drizzle on postgres"({ schema, ...server }) {
    const client = postgres({ ...server, connection: { search_path: schema } });
    const db = drizzleOnPostgresJs(client);
    return {
      transaction: (work) => db.transaction((tx) => work((text) => tx.execute(sql.raw(text)))),
      close: () => client.end(),
    };
  },

  Kysely(place) {
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: pgPool(place) }) });
    return {
      transaction: (work) =>
        db.transaction().execute((trx) => work((text) => trx.executeQuery(CompiledQuery.raw(text)))),
      close: () => db.destroy(),
    };
  },

  "Knex, with a callback"({ schema, max, ...connection }) {
    const db = knex({ client: "pg", connection, searchPath: [schema], pool: { min: 0, max } });
    return { transaction: (work) => db.transaction((trx) => work((text) => trx.raw(text))), close: () => db.destroy() };
  },

  "Knex, with `commit()`"({ schema, max, ...connection }) {
    const db = knex({ client: "pg", connection, searchPath: [schema], pool: { min: 0, max } });
    return {
      async transaction(work) {
        const trx = await db.transaction();
        trx.executionPromise.catch(() => undefined);
        await work((text) => trx.raw(text));
        await trx.commit();
      },
      close: () => db.destroy(),
    };
  },

  async TypeORM({ user, schema, ...server }) {
    const extra = { options: `-c search_path=${schema}` };
    const dataSource = new DataSource({ type: "postgres", username: user, ...server, extra });
    await dataSource.initialize();
    return {
      hasHook: true,
      async transaction(work, hook) {
        const subscriber = { afterTransactionCommit: hook };
        dataSource.subscribers.push(subscriber);
        try {
          await dataSource.transaction((manager) => work((text) => manager.query(text)));
        } finally {
          dataSource.subscribers.pop();
        }
      },
      close: () => dataSource.destroy(),
    };
  },

  Sequelize({ user, schema, ...server }) {
    const dialectOptions = { options: `-c search_path=${schema}` };
    const db = new Sequelize({ dialect: "postgres", username: user, ...server, dialectOptions, logging: false });
    return {
      hasHook: true,
      transaction: (work, hook) =>
        db.transaction(async (transaction) => {
          transaction.afterCommit(hook);
          await work((text) => db.query(text, { transaction }));
        }),
      close: () => db.close(),
    };
  },

  async MikroORM({ database, schema, ...server }) {
    let hook: () => void = () => undefined;
    const subscriber = {
      afterTransactionCommit: () => {
        hook();
        return Promise.resolve();
      },
    };
    const orm = await MikroORM.init({
      ...server,
      dbName: database,
      entities: [Conformance],
      subscribers: [subscriber],
      driverOptions: { options: `-c search_path=${schema}` },
    });
    return {
      hasHook: true,
      transaction: (work, told) => {
        hook = told;
        return orm.em.fork().transactional((em) => work((text) => em.execute(text)));
      },
      close: () => orm.close(),
    };
  },
};

const guide = readFileSync(join(import.meta.dirname, "../../docs/guide/databases.md"), "utf8").replaceAll(/ +/g, " ");

describe.each(Object.entries(libraries))("%s", (name, open) => {
  let library: Measured;
  const place = onPostgres(name, async (at) => {
    library = await open(at);
    const pool = pgPool(at);
    return {
      database: pgDatabase(pool),
      on: () => Promise.reject(new Error("not used")),
      inUse: () => 0,
      close: async () => {
        await library.close();
        await pool.end();
      },
    };
  });

  describe.skipIf(!place.available)("on its server", () => {
    let opened: Opened;

    beforeAll(async () => {
      opened = await place.open();
      await opened.database.query("create table truth (id integer primary key)");
      await opened.database.query(`create table truth_deferred (${String(place.deferred)})`);
    });
    afterAll(() => opened.close());

    async function measure(work: (run: Run) => Promise<void>) {
      let hookRuns = 0;
      const answer = await library
        .transaction(work, () => {
          hookRuns += 1;
        })
        .then(
          () => "**resolves**",
          () => "rejects",
        );
      const { rows } = await opened.database.query("select id from truth");
      expect(rows).toEqual([]);
      return { answer, hook: library.hasHook === true ? (hookRuns > 0 ? "**runs**" : "silent") : "-" };
    }

    test("what the guide says of it is what it does; nothing is stored either way", async () => {
      const failing = await measure(async (run) => {
        await run("insert into truth values (1)");
        await run("insert into truth_deferred values (7)");
        await run("insert into truth_deferred values (7)");
      });
      const swallowed = await measure(async (run) => {
        await run("insert into truth values (1)");
        await run("insert into truth values (1)").then(undefined, () => undefined);
      });
      expect(guide).toContain(
        `| ${name} | ${failing.answer} | ${failing.hook} | ${swallowed.answer} | ${swallowed.hook} |`,
      );
    });
  });
});
