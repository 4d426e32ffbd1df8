import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import BetterSqlite3 from "better-sqlite3";
import mysql from "mysql2/promise";
import pg from "pg";
import { betterSqlite3Database } from "../../src/databases/better-sqlite3.js";
import type { Database } from "../../src/databases/database.js";
import { mysql2Database } from "../../src/databases/mysql2.js";
import { pgDatabase } from "../../src/databases/pg.js";
import { pgliteDatabase } from "../../src/databases/pglite.js";
import { listens } from "../../scripts/listens.js";

/** An adapter on a real database, as the tests use it. */
export interface Opened {
  readonly database: Database;
  /** Runs SQL on a transaction's handle, as user code would. */
  on(handle: unknown, sql: string): Promise<void>;
  /** The connections of the pool that are in use; 0 where there is no pool. */
  inUse(): number;
  close(): Promise<void>;
}

export interface Subject {
  readonly name: string;
  /** False when the server is not there. The tests are then skipped, and fail where `CI` is set. */
  readonly available: boolean;
  /** How a table says that its column `n` is unique only at COMMIT; none on MySQL. */
  readonly deferred: string | undefined;
  /** Whether a failed statement ends the whole transaction. */
  readonly abortsOnError: boolean;
  open(options?: { readonly port?: number }): Promise<Opened>;
}

export const postgresPort = 5432;
export const mysqlPort = 3306;

/** A schema for each opening, so that test files, and runs of them, do not meet. */
const ownName = () => `aftercommit_${process.pid.toString()}_${randomBytes(4).toString("hex")}`;

const inCi = process.env["CI"] !== undefined;
const [hasPostgres, hasMysql] = await Promise.all([listens(postgresPort), listens(mysqlPort)]);

const postgres: Subject = {
  name: "pg",
  available: inCi || hasPostgres,
  deferred: "n integer unique deferrable initially deferred",
  abortsOnError: true,
  async open({ port = postgresPort } = {}) {
    const server = { host: "127.0.0.1", user: "postgres", database: "test" };
    const schema = ownName();
    const administer = async (sql: string) => {
      const client = new pg.Client(server);
      await client.connect();
      await client.query(sql);
      await client.end();
    };
    await administer(`create schema ${schema}`);
    const pool = new pg.Pool({ ...server, port, max: 4, options: `-c search_path=${schema}` });
    pool.on("error", () => undefined);
    return {
      database: pgDatabase(pool),
      on: async (handle, sql) => {
        await (handle as pg.PoolClient).query(sql);
      },
      inUse: () => pool.totalCount - pool.idleCount,
      close: async () => {
        await pool.end();
        await administer(`drop schema ${schema} cascade`);
      },
    };
  },
};

const mysql2: Subject = {
  name: "mysql2",
  available: inCi || hasMysql,
  deferred: undefined,
  abortsOnError: false,
  async open({ port = mysqlPort } = {}) {
    const server = { host: "127.0.0.1", user: "root" };
    const schema = ownName();
    const administer = async (sql: string) => {
      const client = await mysql.createConnection(server);
      await client.query(sql);
      await client.end();
    };
    await administer(`create database ${schema}`);
    const pool = mysql.createPool({ ...server, port, database: schema, connectionLimit: 4 });
    // mysql2 tells of no connection that is destroyed, so only its own lists know.
    const lists = pool.pool as unknown as Record<"_allConnections" | "_freeConnections", { readonly length: number }>;
    return {
      database: mysql2Database(pool),
      on: async (handle, sql) => {
        await (handle as mysql.PoolConnection).query(sql);
      },
      inUse: () => lists._allConnections.length - lists._freeConnections.length,
      close: async () => {
        await pool.end();
        await administer(`drop database ${schema}`);
      },
    };
  },
};

const betterSqlite3: Subject = {
  name: "better-sqlite3",
  available: true,
  deferred: "n integer references absent (id) deferrable initially deferred",
  abortsOnError: false,
  open() {
    const folder = mkdtempSync(join(tmpdir(), "aftercommit-"));
    const db = new BetterSqlite3(join(folder, "test.db"));
    db.pragma("journal_mode = wal");
    db.exec("create table absent (id integer primary key)");
    return Promise.resolve({
      database: betterSqlite3Database(db),
      on: async (handle, sql) => {
        await Promise.resolve((handle as BetterSqlite3.Database).exec(sql));
      },
      inUse: () => (db.inTransaction ? 1 : 0),
      close: () => {
        db.close();
        rmSync(folder, { recursive: true });
        return Promise.resolve();
      },
    });
  },
};

const pglite: Subject = {
  name: "pglite",
  available: true,
  deferred: "n integer unique deferrable initially deferred",
  abortsOnError: true,
  async open() {
    const db = await PGlite.create();
    return {
      database: pgliteDatabase(db),
      on: async (handle, sql) => {
        await (handle as PGlite).exec(sql);
      },
      inUse: () => 0,
      close: () => db.close(),
    };
  },
};

export const subjects: readonly Subject[] = [postgres, mysql2, betterSqlite3, pglite];
