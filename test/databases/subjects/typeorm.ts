import "reflect-metadata";
import type pg from "pg";
import { DataSource, type EntityManager } from "typeorm";
import { typeormDatabase } from "../../../src/databases/typeorm.js";
import { mysqlInUse, onMysql, onPostgres, pgInUse, type Opened } from "./subject.js";

async function opened(dataSource: DataSource, inUse: (driver: unknown) => number): Promise<Opened> {
  await dataSource.initialize();
  return {
    database: typeormDatabase(dataSource),
    on: async (handle, sql) => {
      await (handle as EntityManager).query(sql);
    },
    inUse: () => inUse(dataSource.driver),
    close: () => dataSource.destroy(),
  };
}

export const typeormOnPostgres = onPostgres("typeorm on pg", ({ user, schema, max, ...server }) => {
  const extra = { options: `-c search_path=${schema}`, max };
  return opened(new DataSource({ type: "postgres", username: user, ...server, extra }), (driver) =>
    pgInUse((driver as { master: pg.Pool }).master),
  );
});

export const typeormOnMysql = onMysql("typeorm on mysql2", ({ user, max, ...server }) =>
  opened(new DataSource({ type: "mariadb", username: user, ...server, poolSize: max }), (driver) =>
    mysqlInUse((driver as { pool: object }).pool),
  ),
);
