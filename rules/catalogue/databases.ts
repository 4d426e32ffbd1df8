import type { Library } from "./vocabulary.js";

export const databases: Library = {
  name: "@databases (pg, mysql, sqlite)",
  packages: [
    "@databases/pg",
    "@databases/mysql",
    "@databases/sqlite",
    "@databases/sqlite-sync",
    "@databases/expo",
    "@databases/websql",
    "@databases/websql-core",
    "@databases/pg-typed",
    "@databases/mysql-typed",
  ],
  together: "queued",
  values: {
    ConnectionPool: "default()",
    DatabaseConnection: "default()",
  },
  transactions: [
    {
      // `task` keeps one connection, but opens nothing.
      open: [
        "Queryable.tx",
        "ConnectionPool.tx",
        "Connection.tx",
        "Transaction.tx",
        "DatabaseConnection.tx",
        "Database.tx",
      ],
      callback: 0,
      handle: 0,
      handleType: "Transaction",
      reruns: { argument: 1, path: "retrySerializationFailures" },
    },
  ],
  beside: { idle: "dispose" },
  handles: [{ type: ["Transaction", "DatabaseTransaction"], proves: true }],
  afterCommit: [
    {
      member: [
        "Queryable.addPostCommitStep",
        "Transaction.addPostCommitStep",
        "Connection.addPostCommitStep",
        "ConnectionPool.addPostCommitStep",
      ],
      callback: 0,
    },
  ],
  stores: [
    { member: ["Table.insert", "Table.insertOrIgnore"], slot: { argument: 0 }, andFollowing: true },
    { member: "Table.insertOrUpdate", slot: { argument: 1 }, andFollowing: true },
  ],
};
