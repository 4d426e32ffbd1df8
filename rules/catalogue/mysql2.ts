import type { Library } from "./vocabulary.js";

/**
 * `mysql2` has callbacks, `mysql2/promise` promises; both call their class `Connection`. A promise pool has a
 * `beginTransaction` in its types alone. `query` and `execute` are declared in no class, for pools and connections.
 */
export const mysql2: Library = {
  name: "mysql2",
  packages: ["mysql2"],
  together: "queued",
  values: {
    Connection: ["createConnection()", "*.createConnection()", "Connection.promise()"],
    Pool: ["createPool()", "*.createPool()", "Pool.promise()"],
    PoolConnection: [
      "Pool.getConnection()",
      "PoolNamespace.getConnection()",
      "PoolCluster.getConnection()",
      "PoolConnection.promise()",
    ],
    PoolNamespace: "PoolCluster.of()",
    PoolCluster: "createPoolCluster()",
  },
  transactions: [{ open: ["Connection.beginTransaction", "PoolConnection.beginTransaction"], callback: 0 }],
  manual: [
    {
      begin: ["Connection.beginTransaction", "PoolConnection.beginTransaction"],
      handle: "receiver",
      withoutCallback: true,
      commit: ["Connection.commit", "PoolConnection.commit"],
      rollback: ["Connection.rollback", "PoolConnection.rollback"],
    },
  ],
  sql: [
    {
      member: [
        "query",
        "execute",
        "Connection.query",
        "Connection.execute",
        "PoolConnection.query",
        "PoolConnection.execute",
      ],
      on: "connection",
    },
    {
      member: ["Pool.query", "Pool.execute", "PoolNamespace.query", "PoolNamespace.execute"],
      on: "pool",
      instead: "const connection = await pool.getConnection()",
      inherits: "Connection",
      size: "connectionLimit",
    },
  ],
  beside: { idle: ["getConnection", "end"] },
  handles: [{ type: ["PoolConnection", "Connection"], proves: false }],
  afterCommit: [
    { member: ["Connection.commit", "PoolConnection.commit"], callback: 0, after: "either" },
    { member: ["Connection.rollback", "PoolConnection.rollback"], callback: 0, after: "rollback" },
  ],
  stores: [
    {
      member: [
        "query",
        "execute",
        "Connection.query",
        "Connection.execute",
        "PoolConnection.query",
        "PoolConnection.execute",
        "Pool.query",
        "Pool.execute",
      ],
      slot: { argument: 1 },
      insertsIn: 0,
    },
  ],
};
