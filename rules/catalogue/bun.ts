import type { Library } from "./vocabulary.js";

/** `Bun.sql` and the module `bun:sqlite`. Both are declared in bun-types. */
export const bun: Library = {
  name: "Bun SQL and bun:sqlite",
  packages: ["bun", "bun:sqlite", "bun-types"],
  globals: ["Bun"],
  together: "pipelined",
  values: {
    SQL: ["sql", "postgres", "Bun.sql", "Bun.postgres", "SQL.connect()"],
    ReservedSQL: "SQL.reserve()",
    Database: "Database.open()",
    Statement: ["Database.query()", "Database.prepare()"],
  },
  transactions: [
    {
      open: ["SQL.begin", "SQL.transaction", "ReservedSQL.begin", "ReservedSQL.transaction"],
      callback: "last",
      handle: 0,
      handleType: "TransactionSQL",
    },
    // What they end is prepared, not committed: that comes with `commitDistributed`.
    { open: ["SQL.beginDistributed", "SQL.distributed"], callback: 1, handle: 0, handleType: "TransactionSQL" },
    { open: "TransactionSQL.savepoint", callback: "last", handle: 0, handleType: "TransactionSQL" },
    { open: "Database.transaction", callback: 0, returnsFunction: true },
  ],
  sql: [
    { member: ["Database.run", "Database.exec", "ReservedSQL.()", "ReservedSQL.unsafe"], on: "connection" },
    { member: ["Database.query", "Database.prepare"], on: "connection", ranBy: ["run", "get", "all", "values"] },
    { member: ["SQL.()", "SQL.unsafe"], on: "pool", instead: "sql.begin(async (tx) => …)", size: "max" },
  ],
  beside: { idle: ["reserve", "close", "end", "connect"] },
  handles: [{ type: ["TransactionSQL", "SavepointSQL"], proves: true }],
  stores: [
    {
      member: ["SQL.()", "ReservedSQL.()", "TransactionSQL.()"],
      slot: { argument: 1 },
      andFollowing: true,
      insertsIn: 0,
    },
    { member: ["SQL.unsafe", "TransactionSQL.unsafe"], slot: { argument: 1 }, insertsIn: 0 },
    { member: ["Database.run", "Database.exec"], slot: { argument: 1 }, andFollowing: true, insertsIn: 0 },
    {
      member: ["Statement.run", "Statement.get"],
      slot: { argument: 0 },
      andFollowing: true,
      insertsIn: "receiver",
    },
  ],
};
