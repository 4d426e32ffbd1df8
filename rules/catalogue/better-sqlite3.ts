import type { Library } from "./vocabulary.js";

/** One synchronous connection. The transaction's function runs when the result of `transaction(fn)` is called. */
export const betterSqlite3: Library = {
  name: "better-sqlite3",
  packages: ["better-sqlite3"],
  values: {
    Database: "default()",
    Statement: ["Database.prepare()", "Statement.bind()", "Statement.pluck()", "Statement.raw()", "Statement.expand()"],
  },
  transactions: [{ open: "Database.transaction", callback: 0, returnsFunction: true }],
  sql: [
    { member: "Database.exec", on: "connection" },
    { member: "Database.prepare", on: "connection", ranBy: ["run", "get", "all"] },
  ],
  stores: [
    {
      member: ["Statement.run", "Statement.get"],
      slot: { argument: 0 },
      andFollowing: true,
      insertsIn: "receiver",
    },
  ],
};
