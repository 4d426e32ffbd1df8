/** What `aftercommit ddl --for …` prints, applied by the libraries themselves, on real databases. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import BetterSqlite3 from "better-sqlite3";
import { drizzle as drizzleOnSqlite } from "drizzle-orm/better-sqlite3";
import { migrate as migrateSqlite } from "drizzle-orm/better-sqlite3/migrator";
import { drizzle as drizzleOnMysql } from "drizzle-orm/mysql2";
import { migrate as migrateMysql } from "drizzle-orm/mysql2/migrator";
import { drizzle as drizzleOnPg } from "drizzle-orm/node-postgres";
import { migrate as migratePg } from "drizzle-orm/node-postgres/migrator";
import knex from "knex";
import mysql from "mysql2/promise";
import pg from "pg";
import { DataSource, type DataSourceOptions, type MigrationInterface } from "typeorm";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.js";
import type { Dialect } from "../../src/databases/database.js";
import { createEffects } from "../../src/effects/effects.js";
import { idempotencyKey } from "../../src/idempotency-key.js";
import { createLedger } from "../../src/ledger/ledger.js";
import { databaseLocks } from "../../src/locks/database.js";
import { createOutbox } from "../../src/outbox/outbox.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import { subjects, type Opened } from "../databases/subjects.js";

const root = join(import.meta.dirname, "../..");
const everyTable = ["--effects", "aftercommit_effects", "--locks", "aftercommit_locks"];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aftercommit-migrations-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function printed(library: string, dialect: Dialect): Promise<string> {
  let out = "";
  const surroundings = {
    out: (text: string) => (out += text),
    err: (text: string) => (out += text),
    folder,
    signal: new AbortController().signal,
  };
  expect(await run(["ddl", "--for", library, "--dialect", dialect, ...everyTable], surroundings)).toBe(0);
  return out;
}

function write(name: string, text: string): string {
  const file = join(folder, name);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** What the package needs of the tables is there. */
async function verifyTables({ database }: Opened): Promise<void> {
  const transactions = createTransactionManager(database);
  await createOutbox({ transactions }).verify();
  await createLedger({ transactions }).verify();
  await createEffects({ transactions }).verify();
  await databaseLocks({ database }).verify();
}

const placeOf = {
  postgres: "select current_schema() as place",
  mysql: "select database() as place",
  sqlite: "select file as place from pragma_database_list where name = 'main'",
};
const server = { host: "127.0.0.1", user: "postgres", database: "test" };

/** PGlite is none of these libraries' own. */
describe.each(subjects.filter(({ name }) => name !== "pglite"))("on $name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: Opened;
    let dialect: Dialect;
    let place: string;

    beforeEach(async () => {
      opened = await subject.open();
      ({ dialect } = opened.database);
      place = (await opened.database.query<{ place: string }>(placeOf[dialect])).rows[0]?.place ?? "";
    });
    afterEach(() => opened.close());

    test("a migration of Knex makes the tables and takes them back", async () => {
      write("knex/20260101000000_aftercommit.mjs", await printed("knex", dialect));
      const configs = {
        postgres: { client: "pg", connection: server, searchPath: [place] },
        mysql: { client: "mysql2", connection: { host: "127.0.0.1", user: "root", database: place } },
        sqlite: { client: "better-sqlite3", connection: { filename: place }, useNullAsDefault: true },
      };
      const db = knex(configs[dialect]);
      const migrations = { directory: join(folder, "knex"), loadExtensions: [".mjs"] };
      try {
        await db.migrate.latest(migrations);
        await verifyTables(opened);
        await db.migrate.rollback(migrations);
        await expect(verifyTables(opened)).rejects.toThrow(/there is no such table/);
      } finally {
        await db.destroy();
      }
    });

    test("a migration of TypeORM makes the tables and takes them back", async () => {
      const file = write("aftercommit.ts", await printed("typeorm", dialect));
      const module = (await import(pathToFileURL(file).href)) as Record<string, new () => MigrationInterface>;
      const configs: Readonly<Record<Dialect, DataSourceOptions>> = {
        postgres: {
          type: "postgres",
          host: server.host,
          username: server.user,
          database: server.database,
          schema: place,
        },
        mysql: { type: "mysql", host: "127.0.0.1", username: "root", database: place },
        sqlite: { type: "better-sqlite3", database: place },
      };
      const source = new DataSource({
        ...configs[dialect],
        migrations: Object.values(module),
        ...(dialect === "postgres" ? { extra: { options: `-c search_path=${place}` } } : {}),
      });
      await source.initialize();
      try {
        expect(await source.runMigrations()).toHaveLength(1);
        await verifyTables(opened);
        await source.undoLastMigration();
        await expect(verifyTables(opened)).rejects.toThrow(/there is no such table/);
      } finally {
        await source.destroy();
      }
    });

    test("a migration of Drizzle makes the tables", async () => {
      write("drizzle/0000_aftercommit.sql", await printed("drizzle", dialect));
      const dialectOf = { postgres: "postgresql", mysql: "mysql", sqlite: "sqlite" }[dialect];
      const entry = { idx: 0, version: "7", when: 1_767_225_600_000, tag: "0000_aftercommit", breakpoints: true };
      write("drizzle/meta/_journal.json", JSON.stringify({ version: "7", dialect: dialectOf, entries: [entry] }));
      const migrationsFolder = join(folder, "drizzle");
      if (dialect === "postgres") {
        const pool = new pg.Pool({ ...server, options: `-c search_path=${place}` });
        await migratePg(drizzleOnPg(pool), { migrationsFolder, migrationsSchema: place });
        await pool.end();
      } else if (dialect === "mysql") {
        const pool = mysql.createPool({ host: "127.0.0.1", user: "root", database: place });
        await migrateMysql(drizzleOnMysql(pool), { migrationsFolder });
        await pool.end();
      } else {
        const db = new BetterSqlite3(place);
        migrateSqlite(drizzleOnSqlite(db), { migrationsFolder });
        db.close();
      }
      await verifyTables(opened);
    });
  });
});

describe("models of Prisma", () => {
  const prisma = createRequire(import.meta.url).resolve("prisma/build/index.js");
  /** Neither command asks the engine that Prisma would download. */
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: "/bin/true", CHECKPOINT_DISABLE: "1" };

  const prismaCli = (command: string, schema: string) => {
    const { status, stderr } = spawnSync(process.execPath, [prisma, command, `--schema=${schema}`], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    return { status, stderr };
  };
  const schemaWith = async (dialect: Dialect) => {
    const provider = { postgres: "postgresql", mysql: "mysql", sqlite: "sqlite" }[dialect];
    const head = `generator client {\n  provider = "prisma-client"\n  output = "./client"\n}\n
datasource db {\n  provider = "${provider}"\n}\n`;
    return write("schema.prisma", head + (await printed("prisma", dialect)));
  };

  test.each<Dialect>(["postgres", "mysql", "sqlite"])("%s: a schema with them is valid", async (dialect) => {
    expect(prismaCli("validate", await schemaWith(dialect))).toMatchObject({ status: 0 });
  });

  const postgres = subjects.find(({ name }) => name === "pg");
  test.skipIf(postgres?.available !== true)("its client reads what is in the tables", async () => {
    if (postgres === undefined) throw new Error("no subject");
    const opened = await postgres.open();
    const transactions = createTransactionManager(opened.database);
    let sql = "";
    const surroundings = { err: () => undefined, folder, signal: new AbortController().signal };
    await run(["ddl", "--dialect", "postgres", ...everyTable], { ...surroundings, out: (text) => (sql += text) });
    for (const text of sql.split(/;\s*\n/)) if (text.trim() !== "") await opened.database.query(text);
    const { rows } = await opened.database.query<{ place: string }>(placeOf.postgres);
    const schema = rows[0]?.place ?? "";
    const key = idempotencyKey("grant-points", 1);
    await transactions.run((tx) => createLedger({ transactions }).once(tx, key, () => undefined));
    await createEffects({ transactions })
      .service("carrier", { timeout: 20 })
      .call(key, { n: 1 }, () => ({ parcel: 1 }));
    await opened.database.query(
      "insert into aftercommit_outbox (id, queue, payload, occurred_at) values (gen_random_uuid(), 'q', '1', now())",
    );

    expect(prismaCli("generate", await schemaWith("postgres"))).toMatchObject({ status: 0 });
    interface Reads {
      findMany(): Promise<unknown[]>;
    }
    interface Client {
      readonly aftercommitOutbox: Reads;
      readonly aftercommitLedger: Reads;
      readonly aftercommitEffects: Reads;
      readonly aftercommitLocks: Reads;
      $disconnect(): Promise<void>;
    }
    const { PrismaClient } = (await import(pathToFileURL(join(folder, "client/client.ts")).href)) as {
      PrismaClient: new (options: object) => Client;
    };
    const client = new PrismaClient({ adapter: new PrismaPg(server, { schema }) });
    try {
      expect(await client.aftercommitOutbox.findMany()).toMatchObject([{ queue: "q", attempts: 0, failed_at: null }]);
      expect(await client.aftercommitLedger.findMany()).toMatchObject([
        { operation_key: key, recorded_at: expect.any(Date) as Date },
      ]);
      expect(await client.aftercommitEffects.findMany()).toMatchObject([{ state: "done", answer: '{"parcel":1}' }]);
      expect(await client.aftercommitLocks.findMany()).toEqual([]);
    } finally {
      await client.$disconnect();
      await opened.close();
    }
  });

  test("a table with a schema in front is refused", async () => {
    let err = "";
    const surroundings = { out: () => undefined, folder, signal: new AbortController().signal };
    const args = ["ddl", "--for", "prisma", "--dialect", "postgres", "--outbox", "shop.outbox"];
    expect(await run(args, { ...surroundings, err: (text) => (err += text) })).toBe(2);
    expect(err).toContain('Give the name of "shop.outbox" without its schema');
  });
});
