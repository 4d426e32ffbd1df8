import type pg from "pg";
import { pgDatabase } from "../../../src/databases/pg.js";
import { onPostgres, pgInUse, pgPool } from "./subject.js";

export const pgSubject = onPostgres("pg", (place) => {
  const pool = pgPool(place);
  return {
    database: pgDatabase(pool),
    on: async (handle, sql) => {
      await (handle as pg.PoolClient).query(sql);
    },
    inUse: () => pgInUse(pool),
    close: () => pool.end(),
  };
});
