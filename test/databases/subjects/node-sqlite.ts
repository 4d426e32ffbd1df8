import { nodeSqliteDatabase, type NodeSqlite } from "../../../src/databases/node-sqlite.js";
import { onSqlite, type Subject } from "./subject.js";

/** What the tests use of `node:sqlite`, which the types of the oldest Node that is supported do not know. */
interface NodeSqliteModule {
  readonly DatabaseSync: new (file: string) => NodeSqlite & { close(): void };
}

const sqlite = process.getBuiltinModule("node:sqlite" as "node:fs") as unknown as NodeSqliteModule | undefined;

const onNode = onSqlite("node:sqlite", (file) => {
  if (sqlite === undefined) throw new Error("this Node has no node:sqlite");
  const db = new sqlite.DatabaseSync(file);
  db.exec("pragma journal_mode = wal");
  return {
    database: nodeSqliteDatabase(db),
    on: async (handle, sql) => {
      (handle as NodeSqlite).exec(sql);
      await Promise.resolve();
    },
    inUse: () => (db.isTransaction ? 1 : 0),
    close: () => {
      db.close();
      return Promise.resolve();
    },
  };
});

export const nodeSqliteSubject: Subject = { ...onNode, available: sqlite !== undefined };
