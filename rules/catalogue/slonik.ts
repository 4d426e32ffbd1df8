import type { Library } from "./vocabulary.js";

/** Runs the callback again on SQLSTATE 40xxx, five times by default. */
export const slonik: Library = {
  name: "Slonik",
  packages: ["slonik", "@slonik/sql-tag"],
  together: "queued",
  values: {
    DatabasePool: "createPool()",
    DatabasePoolConnection: "DatabasePool.connect(=>)",
    SqlTag: ["sql", "createSqlTag()"],
  },
  transactions: [
    {
      open: [
        "CommonQueryMethods.transaction",
        "DatabasePool.transaction",
        "DatabasePoolConnection.transaction",
        "DatabaseConnection.transaction",
        "DatabaseTransactionConnection.transaction",
      ],
      callback: 0,
      handle: 0,
      handleType: "DatabaseTransactionConnection",
      reruns: true,
    },
  ],
  beside: { idle: ["connect", "end"] },
  handles: [
    { type: "DatabaseTransactionConnection", proves: true },
    { type: ["DatabasePoolConnection", "CommonQueryMethods", "DatabaseConnection"], proves: false },
  ],
  hiddenRollback: {},
  afterCommit: [
    // Listeners of failed attempts stay, so a retried transaction calls them all.
    {
      member: "DatabaseTransactionConnection.on",
      event: "commit",
      callback: 1,
      unreliable: {
        runs: "for each attempt",
        instead: "send behind `await pool.transaction(…)`, once",
        unless: "transactionRetryLimit: 0",
      },
    },
    {
      member: "DatabaseTransactionConnection.on",
      event: "rollback",
      callback: 1,
      after: "rollback",
    },
  ],
  stores: [{ member: ["SqlTag.unsafe", "SqlTag.fragment"], slot: { argument: 1 }, andFollowing: true, insertsIn: 0 }],
};
