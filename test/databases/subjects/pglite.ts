import { PGlite } from "@electric-sql/pglite";
import { pgliteDatabase } from "../../../src/databases/pglite.js";
import type { Subject } from "./subject.js";

export const pgliteSubject: Subject = {
  name: "pglite",
  available: true,
  port: undefined,
  deferred: "n integer unique deferrable initially deferred",
  abortsOnError: true,
  async open() {
    const db = await PGlite.create();
    return {
      database: pgliteDatabase(db),
      on: async (handle, sql) => {
        await (handle as PGlite).exec(sql);
      },
      inUse: () => 0,
      close: () => db.close(),
    };
  },
};
