import postgres from "postgres";
import { postgresDatabase } from "../../../src/databases/postgres.js";
import { onPostgres } from "./subject.js";

export const postgresSubject = onPostgres("postgres", ({ schema, ...server }) => {
  const sql = postgres({ ...server, connection: { search_path: schema }, onnotice: () => undefined });
  return {
    database: postgresDatabase(sql),
    on: async (handle, text) => {
      await (handle as postgres.TransactionSql).unsafe(text);
    },
    inUse: () => 0,
    close: () => sql.end({ timeout: 1 }),
  };
});
