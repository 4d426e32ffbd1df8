import knex, { type Knex } from "knex";
import { knexDatabase } from "../../../src/databases/knex.js";
import { onMysql, onPostgres, type Opened } from "./subject.js";

function opened(db: Knex): Opened {
  const { pool } = db.client as { pool: { numUsed(): number } };
  return {
    database: knexDatabase(db),
    on: async (handle, sql) => {
      await (handle as Knex.Transaction).raw(sql);
    },
    inUse: () => pool.numUsed(),
    close: () => db.destroy(),
  };
}

export const knexOnPostgres = onPostgres("knex on pg", ({ schema, max, ...connection }) =>
  opened(knex({ client: "pg", connection, searchPath: [schema], pool: { min: 0, max } })),
);

export const knexOnMysql = onMysql("knex on mysql2", ({ max, ...connection }) =>
  opened(knex({ client: "mysql2", connection, pool: { min: 0, max } })),
);
