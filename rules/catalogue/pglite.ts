import type { Library } from "./vocabulary.js";

/** One connection. `runExclusive` keeps it to one caller, but opens nothing. */
export const pglite: Library = {
  name: "PGlite",
  packages: ["@electric-sql/pglite"],
  values: { PGlite: "PGlite.create()", PGliteWorker: "PGliteWorker.create()" },
  transactions: [
    {
      open: ["BasePGlite.transaction", "PGliteInterface.transaction", "PGlite.transaction", "PGliteWorker.transaction"],
      callback: 0,
      handle: 0,
      handleType: "Transaction",
      resolvesAfter: "Transaction.rollback",
    },
  ],
  sql: [
    {
      member: ["BasePGlite", "PGliteInterface", "PGlite"].flatMap((container) => [
        `${container}.query`,
        `${container}.sql`,
        `${container}.exec`,
      ]),
      on: "connection",
    },
  ],
  beside: { idle: ["close", "listen"], waits: true },
  handles: [{ type: "Transaction", proves: true }],
  stores: [
    {
      member: ["BasePGlite.query", "PGliteInterface.query", "PGlite.query", "Transaction.query"],
      slot: { argument: 1 },
      insertsIn: 0,
    },
    {
      member: ["BasePGlite.sql", "PGliteInterface.sql", "PGlite.sql", "Transaction.sql"],
      slot: { argument: 1 },
      andFollowing: true,
      insertsIn: 0,
    },
  ],
};
