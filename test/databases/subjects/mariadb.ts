import { createPool, type PoolConnection } from "mariadb";
import { mariadbDatabase } from "../../../src/databases/mariadb.js";
import { onMysql } from "./subject.js";

export const mariadbSubject = onMysql("mariadb", ({ max, ...server }) => {
  const pool = createPool({ ...server, connectionLimit: max, acquireTimeout: 5000 });
  return {
    database: mariadbDatabase(pool),
    on: async (handle, sql) => {
      await (handle as PoolConnection).query(sql);
    },
    inUse: () => pool.activeConnections(),
    close: () => pool.end(),
  };
});
