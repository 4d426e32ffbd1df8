import type { Library } from "./vocabulary.js";

/** `Transaction` extends `Knex`: members of the one are found on the other where files have no types. */
export const knex: Library = {
  name: "Knex",
  packages: ["knex"],
  clientNames: ["knex"],
  together: "queued",
  values: {
    Knex: ["default()", "knex()", "Knex.withUserParams()"],
    Transaction: ["Knex.transaction()", "Transaction.transaction()", "TransactionProvider.()"],
    TransactionProvider: ["Knex.transactionProvider()", "Transaction.transactionProvider()"],
    "Transaction.executionPromise": "Transaction.executionPromise",
    QueryBuilder: [
      "Knex.()",
      "Transaction.()",
      "Knex.table()",
      "Knex.from()",
      "Knex.into()",
      "Knex.queryBuilder()",
      "Transaction.table()",
      "Transaction.from()",
      "Transaction.into()",
      "QueryBuilder.table()",
      "QueryBuilder.from()",
      "QueryBuilder.into()",
      "QueryBuilder.transacting()",
      "QueryBuilder.returning()",
      "QueryBuilder.withSchema()",
    ],
  },
  transactions: [
    {
      open: ["Knex.transaction", "Transaction.transaction", "Transaction.savepoint"],
      callback: 0,
      handle: 0,
      handleType: "Transaction",
      resolvesAfter: "Transaction.rollback",
    },
  ],
  manual: [
    {
      begin: ["Knex.transaction", "Transaction.transaction"],
      handle: "result",
      withoutCallback: true,
      commit: "Transaction.commit",
      rollback: "Transaction.rollback",
      rollbackAfterCommit: "Transaction query already complete",
      provenBy: "$.executionPromise",
    },
    {
      begin: ["Knex.transactionProvider", "Transaction.transactionProvider"],
      handle: "result of call",
      commit: "Transaction.commit",
      rollback: "Transaction.rollback",
      rollbackAfterCommit: "Transaction query already complete",
      provenBy: "$.executionPromise",
    },
  ],
  sql: [{ member: ["Knex.raw", "Transaction.raw"], on: "pool" }],
  beside: { idle: ["destroy", "initialize", "migrate", "seed"] },
  handles: [{ type: "Transaction", proves: true }],
  hiddenRollback: { option: "client", databases: ["pg", "pg-native", "postgres", "postgresql"] },
  afterCommit: [
    // Settles at the end of the handle's own level, and resolves after a rollback without an error too.
    {
      member: ["Transaction.executionPromise.then", "Transaction.executionPromise.finally"],
      callback: 0,
      after: "either",
    },
  ],
  insertIgnores: [
    {
      // MySQL has no target: `onConflict("key")` is left out there.
      member: "OnConflictQueryBuilder.ignore",
      as: {
        option: "client",
        databases: {
          mysql: "INSERT IGNORE",
          mysql2: "INSERT IGNORE",
          mariadb: "INSERT IGNORE",
          pg: "ON CONFLICT",
          "pg-native": "ON CONFLICT",
          postgres: "ON CONFLICT",
          postgresql: "ON CONFLICT",
          cockroachdb: "ON CONFLICT",
          pglite: "ON CONFLICT",
          sqlite3: "ON CONFLICT",
          "better-sqlite3": "ON CONFLICT",
        },
      },
    },
  ],
  reads: [{ member: ["QueryInterface.first", "QueryInterface.select", "QueryInterface.where"], table: "chain" }],
  inserts: [
    {
      member: ["QueryInterface.insert", "QueryBuilder.insert"],
      table: "chain",
      instead: "`.onConflict(…).ignore()` or `.merge()`",
    },
  ],
  stores: [
    {
      member: [
        "QueryInterface.insert",
        "QueryBuilder.insert",
        "Knex.insert",
        "Transaction.insert",
        "QueryInterface.upsert",
        "QueryBuilder.upsert",
      ],
      slot: { argument: 0 },
    },
    { member: ["Knex.batchInsert", "Transaction.batchInsert"], slot: { argument: 1 } },
    { member: ["Knex.raw", "Transaction.raw"], slot: { argument: 1 }, insertsIn: 0 },
  ],
};
