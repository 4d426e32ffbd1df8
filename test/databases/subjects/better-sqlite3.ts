import BetterSqlite3 from "better-sqlite3";
import { betterSqlite3Database } from "../../../src/databases/better-sqlite3.js";
import { onSqlite } from "./subject.js";

export const betterSqlite3Subject = onSqlite("better-sqlite3", (file) => {
  const db = new BetterSqlite3(file);
  db.pragma("journal_mode = wal");
  return {
    database: betterSqlite3Database(db),
    on: async (handle, sql) => {
      await Promise.resolve((handle as BetterSqlite3.Database).exec(sql));
    },
    inUse: () => (db.inTransaction ? 1 : 0),
    close: () => {
      db.close();
      return Promise.resolve();
    },
  };
});
