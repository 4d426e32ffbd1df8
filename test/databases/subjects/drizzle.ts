import BetterSqlite3 from "better-sqlite3";
import { sql, type SQL } from "drizzle-orm";
import { drizzle as drizzleOnBetterSqlite3, type BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import { drizzle as drizzleOnMysql2 } from "drizzle-orm/mysql2";
import { drizzle as drizzleOnPg } from "drizzle-orm/node-postgres";
import { drizzle as drizzleOnPostgresJs } from "drizzle-orm/postgres-js";
import mysql from "mysql2/promise";
import postgres from "postgres";
import { drizzleDatabase } from "../../../src/databases/drizzle.js";
import { listenedPgPool, mysqlInUse, onMysql, onPostgres, onSqlite, pgInUse } from "./subject.js";

const execute = async (handle: unknown, text: string) => {
  await (handle as { execute(query: SQL): Promise<unknown> }).execute(sql.raw(text));
};

export const drizzleOnNodePostgres = onPostgres("drizzle on pg", (place) => {
  const pool = listenedPgPool(place);
  return {
    database: drizzleDatabase(drizzleOnPg(pool)),
    on: execute,
    inUse: () => pgInUse(pool),
    close: () => pool.end(),
  };
});

export const drizzleOnPostgres = onPostgres("drizzle on postgres", ({ schema, ...server }) => {
  const client = postgres({ ...server, connection: { search_path: schema }, onnotice: () => undefined });
  return {
    database: drizzleDatabase(drizzleOnPostgresJs(client)),
    on: execute,
    inUse: () => 0,
    close: () => client.end({ timeout: 1 }),
  };
});

export const drizzleOnMysql = onMysql("drizzle on mysql2", ({ max, ...server }) => {
  const pool = mysql.createPool({ ...server, connectionLimit: max });
  return {
    database: drizzleDatabase(drizzleOnMysql2(pool)),
    on: execute,
    inUse: () => mysqlInUse(pool.pool),
    close: () => pool.end(),
  };
});

export const drizzleOnSqlite = onSqlite("drizzle on better-sqlite3", (file) => {
  const client = new BetterSqlite3(file);
  client.pragma("journal_mode = wal");
  return {
    database: drizzleDatabase(drizzleOnBetterSqlite3(client)),
    on: async (handle, text) => {
      await Promise.resolve((handle as BetterSQLite3Database).run(sql.raw(text)));
    },
    inUse: () => (client.inTransaction ? 1 : 0),
    close: () => {
      client.close();
      return Promise.resolve();
    },
  };
});
