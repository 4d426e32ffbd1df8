import type { Library } from "./vocabulary.js";

export const kysely: Library = {
  name: "Kysely",
  packages: ["kysely"],
  clientNames: ["kysely"],
  together: "queued",
  pipelinesOver: ["postgres", "bun"],
  values: {
    Kysely: ["Kysely.withPlugin()", "Kysely.withSchema()", "Kysely.withTables()", "Kysely.withoutPlugins()"],
    TransactionBuilder: [
      "Kysely.transaction()",
      "TransactionBuilder.setIsolationLevel()",
      "TransactionBuilder.setAccessMode()",
    ],
    ControlledTransactionBuilder: [
      "Kysely.startTransaction()",
      "ControlledTransactionBuilder.setIsolationLevel()",
      "ControlledTransactionBuilder.setAccessMode()",
    ],
    ControlledTransaction: ["ControlledTransactionBuilder.execute()"],
    InsertQueryBuilder: [
      "Kysely.insertInto()",
      "Kysely.replaceInto()",
      "Transaction.insertInto()",
      "Transaction.replaceInto()",
      "ControlledTransaction.insertInto()",
      "ControlledTransaction.replaceInto()",
      "InsertQueryBuilder.columns()",
    ],
  },
  transactions: [
    // `transaction()` only builds. The callback of `ConnectionBuilder.execute` gets a connection without transaction.
    { open: "TransactionBuilder.execute", callback: 0, handle: 0, handleType: "Transaction" },
  ],
  manual: [
    {
      begin: "ControlledTransactionBuilder.execute",
      handle: "result",
      commit: "ControlledTransaction.commit",
      rollback: "ControlledTransaction.rollback",
      rollbackAfterCommit: "Transaction is already committed",
      ranBy: "execute",
    },
  ],
  sql: [{ member: "sql", on: "pool", ranBy: "execute" }],
  beside: { idle: ["destroy", "connection"] },
  handles: [{ type: ["Transaction", "ControlledTransaction"], proves: true }],
  insertIgnores: [
    { member: "InsertQueryBuilder.ignore", as: "INSERT IGNORE" },
    { member: "InsertQueryBuilder.orIgnore", as: "INSERT OR IGNORE" },
  ],
  reads: [{ member: "QueryCreator.selectFrom", table: 0 }],
  inserts: [{ member: "InsertQueryBuilder.values", table: "chain", instead: "`.onConflict(…)`" }],
  stores: [
    { member: "InsertQueryBuilder.values", slot: { argument: 0 } },
    { member: "sql", slot: { argument: 1 }, andFollowing: true, insertsIn: 0 },
  ],
};
