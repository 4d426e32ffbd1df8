import type { Library } from "./vocabulary.js";

/** `mariadb` has promises, `mariadb/callback` callbacks; both call their class `Connection`. */
export const mariadb: Library = {
  name: "MariaDB connector",
  packages: ["mariadb"],
  together: "queued",
  values: {
    Connection: ["createConnection()", "*.createConnection()"],
    Pool: ["createPool()", "*.createPool()"],
    PoolConnection: ["Pool.getConnection()", "PoolCluster.getConnection()", "FilteredPoolCluster.getConnection()"],
    PoolCluster: "createPoolCluster()",
    FilteredPoolCluster: "PoolCluster.of()",
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
      member: ["Connection.query", "Connection.execute", "PoolConnection.query", "PoolConnection.execute"],
      on: "connection",
    },
    {
      member: ["Pool.query", "Pool.execute", "FilteredPoolCluster.query", "FilteredPoolCluster.execute"],
      on: "pool",
      instead: "const connection = await pool.getConnection()",
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
        "Connection.query",
        "Connection.execute",
        "Connection.batch",
        "PoolConnection.query",
        "PoolConnection.execute",
        "PoolConnection.batch",
        "Pool.query",
        "Pool.execute",
        "Pool.batch",
      ],
      slot: { argument: 1 },
      insertsIn: 0,
    },
  ],
};
