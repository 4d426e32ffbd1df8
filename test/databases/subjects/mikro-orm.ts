import { EntitySchema, MikroORM, type EntityManager } from "@mikro-orm/postgresql";
import { mikroOrmDatabase } from "../../../src/databases/mikro-orm.js";
import { onPostgres } from "./subject.js";

export const Conformance = new EntitySchema<{ id: number }>({
  name: "Conformance",
  tableName: "conformance",
  properties: { id: { type: "integer", primary: true } },
});

export const mikroOrmOnPostgres = onPostgres("mikro-orm on pg", async ({ database, schema, max, ...server }) => {
  const orm = await MikroORM.init({
    ...server,
    dbName: database,
    entities: [Conformance],
    pool: { max },
    driverOptions: { options: `-c search_path=${schema}` },
  });
  return {
    database: mikroOrmDatabase(orm),
    on: async (handle, sql) => {
      await (handle as EntityManager).execute(sql);
    },
    inUse: () => 0,
    close: () => orm.close(),
  };
});
