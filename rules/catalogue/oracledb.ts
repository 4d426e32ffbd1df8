import type { Library } from "./vocabulary.js";

/**
 * A transaction is always open, from the first statement to `commit()`: only a sessionless one has a beginning that
 * can be seen. Texts are not read, because BEGIN opens a block of PL/SQL.
 */
export const oracledb: Library = {
  name: "oracledb",
  packages: ["oracledb"],
  values: {
    Connection: ["getConnection()", "*.getConnection()", "Pool.getConnection()"],
    Pool: ["createPool()", "*.createPool()", "getPool()"],
  },
  manual: [
    {
      begin: ["Connection.beginSessionlessTransaction", "Connection.resumeSessionlessTransaction"],
      handle: "receiver",
      commit: "Connection.commit",
      rollback: ["Connection.rollback", "Connection.suspendSessionlessTransaction"],
    },
  ],
  handles: [{ type: "Connection", proves: false }],
  stores: [{ member: ["Connection.execute", "Connection.executeMany"], slot: { argument: 1 }, insertsIn: 0 }],
};
