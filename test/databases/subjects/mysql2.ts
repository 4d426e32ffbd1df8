import mysql from "mysql2/promise";
import { mysql2Database } from "../../../src/databases/mysql2.js";
import { mysqlInUse, onMysql } from "./subject.js";

export const mysql2Subject = onMysql("mysql2", ({ max, ...server }) => {
  const pool = mysql.createPool({ ...server, connectionLimit: max });
  return {
    database: mysql2Database(pool),
    on: async (handle, sql) => {
      await (handle as mysql.PoolConnection).query(sql);
    },
    inUse: () => mysqlInUse(pool.pool),
    close: () => pool.end(),
  };
});
