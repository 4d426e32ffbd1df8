import { CompiledQuery, Kysely, MysqlDialect, PostgresDialect, type Transaction } from "kysely";
import { createPool } from "mysql2";
import { kyselyDatabase } from "../../../src/databases/kysely.js";
import { listenedPgPool, mysqlInUse, onMysql, onPostgres, pgInUse, type Opened } from "./subject.js";

function opened(db: Kysely<unknown>, inUse: () => number): Opened {
  return {
    database: kyselyDatabase(db),
    on: async (handle, sql) => {
      await (handle as Transaction<unknown>).executeQuery(CompiledQuery.raw(sql));
    },
    inUse,
    close: () => db.destroy(),
  };
}

export const kyselyOnPostgres = onPostgres("kysely on pg", (place) => {
  const pool = listenedPgPool(place);
  return opened(new Kysely({ dialect: new PostgresDialect({ pool }) }), () => pgInUse(pool));
});

export const kyselyOnMysql = onMysql("kysely on mysql2", ({ max, ...server }) => {
  const pool = createPool({ ...server, connectionLimit: max });
  return opened(new Kysely({ dialect: new MysqlDialect({ pool }) }), () => mysqlInUse(pool));
});
