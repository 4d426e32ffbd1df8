import type { Library } from "./vocabulary.js";

/** Callbacks only: what runs between the callback of begin and that of commit runs inside. */
export const mysql: Library = {
  name: "mysql",
  packages: ["mysql"],
  together: "queued",
  values: {
    Connection: ["createConnection()", "*.createConnection()"],
    Pool: ["createPool()", "*.createPool()", "PoolCluster.of()"],
    PoolConnection: ["Pool.getConnection()", "PoolCluster.getConnection()"],
    PoolCluster: "createPoolCluster()",
  },
  transactions: [{ open: ["Connection.beginTransaction", "PoolConnection.beginTransaction"], callback: "last" }],
  manual: [
    {
      // Promisified by the project.
      begin: ["Connection.beginTransaction", "PoolConnection.beginTransaction"],
      handle: "receiver",
      withoutCallback: true,
      commit: ["Connection.commit", "PoolConnection.commit"],
      rollback: ["Connection.rollback", "PoolConnection.rollback"],
    },
  ],
  sql: [
    { member: ["Connection.query", "PoolConnection.query"], on: "connection" },
    {
      member: "Pool.query",
      on: "pool",
      instead: "pool.getConnection((error, connection) => …)",
      size: "connectionLimit",
    },
  ],
  beside: { idle: ["getConnection", "end"] },
  handles: [{ type: ["PoolConnection", "Connection"], proves: false }],
  afterCommit: [
    { member: ["Connection.commit", "PoolConnection.commit"], callback: "last", after: "either" },
    { member: ["Connection.rollback", "PoolConnection.rollback"], callback: "last", after: "rollback" },
  ],
  stores: [{ member: ["Connection.query", "PoolConnection.query", "Pool.query"], slot: { argument: 1 }, insertsIn: 0 }],
};
