import type { Library } from "./vocabulary.js";

export const postgres: Library = {
  name: "Postgres.js",
  packages: ["postgres"],
  clientNames: ["postgres"],
  together: "pipelined",
  values: {
    Sql: "default()",
    ReservedSql: "Sql.reserve()",
  },
  transactions: [
    {
      open: ["Sql.begin", "ReservedSql.begin", "TransactionSql.savepoint"],
      callback: "last",
      handle: 0,
      handleType: "TransactionSql",
    },
  ],
  sql: [
    { member: ["ReservedSql.()", "ReservedSql.unsafe"], on: "connection" },
    // A pool refuses to run them: UNSAFE_TRANSACTION.
    { member: ["Sql.()", "Sql.unsafe"], on: "pool", instead: "sql.begin(async (sql) => …)", size: "max" },
    { member: ["ISql.()", "ISql.unsafe"], on: "pool" },
  ],
  beside: { idle: ["reserve", "end", "close", "listen", "notify", "subscribe"] },
  handles: [{ type: "TransactionSql", proves: true }],
  stores: [
    {
      member: ["Sql.()", "ISql.()", "ReservedSql.()", "TransactionSql.()"],
      slot: { argument: 1 },
      andFollowing: true,
      insertsIn: 0,
    },
    {
      member: ["Sql.unsafe", "ISql.unsafe", "ReservedSql.unsafe", "TransactionSql.unsafe"],
      slot: { argument: 1 },
      insertsIn: 0,
    },
  ],
};
