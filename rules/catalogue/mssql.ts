import type { Library } from "./vocabulary.js";

/** T-SQL's BEGIN also opens plain blocks, so texts are not read. */
export const mssql: Library = {
  name: "mssql",
  packages: ["mssql"],
  together: "queued",
  values: {
    ConnectionPool: ["connect()", "*.connect()", "ConnectionPool.connect()"],
    Transaction: ["ConnectionPool.transaction()", "Transaction.begin()"],
    Request: ["ConnectionPool.request()", "Transaction.request()"],
  },
  transactions: [{ open: "Transaction.begin", callback: "last" }],
  manual: [
    {
      begin: "Transaction.begin",
      handle: "receiver",
      withoutCallback: true,
      commit: "Transaction.commit",
      rollback: "Transaction.rollback",
      rollbackAfterCommit: "Transaction has not begun",
    },
  ],
  handles: [{ type: "Transaction", proves: true }],
  afterCommit: [
    { member: ["Transaction.on", "Transaction.once"], event: "commit", callback: 1 },
    { member: ["Transaction.on", "Transaction.once"], event: "rollback", callback: 1, after: "rollback" },
    { member: "Transaction.commit", callback: 0, after: "either" },
    { member: "Transaction.rollback", callback: 0, after: "rollback" },
  ],
};
