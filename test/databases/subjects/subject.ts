import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mysql from "mysql2/promise";
import pg from "pg";
import type { Database } from "../../../src/databases/database.js";
import { listens } from "../../../scripts/listens.js";

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
  /** The port of the server; none where there is no server. */
  readonly port: number | undefined;
  /** How a table says that its column `n` is unique only at COMMIT; none on MySQL. */
  readonly deferred: string | undefined;
  /** Whether a failed statement ends the whole transaction. */
  readonly abortsOnError: boolean;
  open(options?: { readonly port?: number }): Promise<Opened>;
}

/** What a library is opened with: a server, and a schema or database for this opening alone. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** How many connections a pool may have. */
  readonly max: number;
}

export interface PostgresPlace extends Place {
  /** The schema that names without one are to mean. */
  readonly schema: string;
}

/** What a library needs besides: how to run SQL, who is at work, how to close. */
type Library<At> = (place: At) => Opened | Promise<Opened>;

export const postgresPort = 5432;
const mysqlPort = 3306;

/** A name for each opening, so that test files, and runs of them, do not meet. */
const ownName = () => `aftercommit_${process.pid.toString()}_${randomBytes(4).toString("hex")}`;

const inCi = process.env["CI"] !== undefined;
const [hasPostgres, hasMysql] = await Promise.all([listens(postgresPort), listens(mysqlPort)]);

/** A library on PostgreSQL. */
export function onPostgres(name: string, open: Library<PostgresPlace>): Subject {
  return {
    name,
    available: inCi || hasPostgres,
    port: postgresPort,
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
      const opened = await open({ ...server, port, schema, max: 4 });
      return {
        ...opened,
        close: async () => {
          await opened.close();
          await administer(`drop schema ${schema} cascade`);
        },
      };
    },
  };
}

/** A library on MySQL or MariaDB. */
export function onMysql(name: string, open: Library<Place>): Subject {
  return {
    name,
    available: inCi || hasMysql,
    port: mysqlPort,
    deferred: undefined,
    abortsOnError: false,
    async open({ port = mysqlPort } = {}) {
      const server = { host: "127.0.0.1", user: "root" };
      const database = ownName();
      const administer = async (sql: string) => {
        const client = await mysql.createConnection(server);
        await client.query(sql);
        await client.end();
      };
      await administer(`create database ${database}`);
      const opened = await open({ ...server, port, database, max: 4 });
      return {
        ...opened,
        close: async () => {
          await opened.close();
          await administer(`drop database ${database}`);
        },
      };
    },
  };
}

/** A library on SQLite, in a file of its own with a table `absent` and nothing in it. */
export function onSqlite(name: string, open: (file: string) => Opened): Subject {
  return {
    name,
    available: true,
    port: undefined,
    deferred: "n integer references absent (id) deferrable initially deferred",
    abortsOnError: false,
    async open() {
      const folder = mkdtempSync(join(tmpdir(), "aftercommit-"));
      const opened = open(join(folder, "test.db"));
      await opened.database.query("create table absent (id integer primary key)");
      return {
        ...opened,
        close: async () => {
          await opened.close();
          rmSync(folder, { recursive: true });
        },
      };
    },
  };
}

/** A pool of `pg`, as all libraries on it get theirs. */
export function pgPool({ schema, ...server }: PostgresPlace): pg.Pool {
  const pool = new pg.Pool({ ...server, options: `-c search_path=${schema}` });
  pool.on("error", () => undefined);
  return pool;
}

/**
 * A pool of `pg` for libraries that put no listener on the clients they take: the loss of such a connection would end the
 * process.
 */
export function listenedPgPool(place: PostgresPlace): pg.Pool {
  return pgPool(place).on("connect", (client) => client.on("error", () => undefined));
}

export const pgInUse = (pool: pg.Pool) => pool.totalCount - pool.idleCount;

/** The connections of a pool of `mysql2` that are in use. It tells of none that is destroyed, so only its lists know. */
export function mysqlInUse(pool: object): number {
  const lists = pool as Record<"_allConnections" | "_freeConnections", { readonly length: number }>;
  return lists._allConnections.length - lists._freeConnections.length;
}
