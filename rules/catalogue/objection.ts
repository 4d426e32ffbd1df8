import type { Library } from "./vocabulary.js";

/** A query builder over Knex: its `Transaction` is Knex's. */
export const objection: Library = {
  name: "Objection",
  packages: ["objection"],
  together: "queued",
  values: {
    Transaction: ["Model.startTransaction()", "transaction.start()"],
    QueryBuilder: ["Model.query()", "Model.relatedQuery()", "Model.$query()", "Model.$relatedQuery()"],
  },
  transactions: [
    { open: "Model.transaction", callback: "last", handle: 0, handleType: "Transaction" },
    // Called with model classes, the handle stands behind the classes that are bound to it.
    { open: "transaction", callback: "last", handle: "last", handleType: "Transaction" },
  ],
  manual: [
    {
      begin: ["Model.startTransaction", "transaction.start"],
      handle: "result",
      commit: "Transaction.commit",
      rollback: "Transaction.rollback",
      rollbackAfterCommit: "Transaction query already complete",
      provenBy: "$.executionPromise",
    },
  ],
  beside: {
    partOf: "knex",
    statements: [
      {
        member: "Model.query",
        joins: [{ argument: 0 }, { chained: "transacting" }],
        sentByChain: true,
        isBindable: true,
      },
      {
        member: ["Model.$query"],
        joins: [{ argument: 0 }, { chained: "transacting" }],
        sentByChain: true,
      },
      {
        member: ["Model.$relatedQuery"],
        joins: [{ argument: 1 }, { chained: "transacting" }],
        sentByChain: true,
      },
    ],
  },
  hiddenRollback: { option: "client", databases: ["pg", "pg-native", "postgres", "postgresql"] },
  handles: [
    { type: "Transaction", proves: true },
    { type: "TransactionOrKnex", proves: false },
  ],
  hooks: [
    {
      methods: [
        "$beforeInsert",
        "$afterInsert",
        "$beforeUpdate",
        "$afterUpdate",
        "$beforeDelete",
        "$afterDelete",
        "beforeInsert",
        "afterInsert",
        "beforeUpdate",
        "afterUpdate",
        "beforeDelete",
        "afterDelete",
      ],
      extends: "Model",
      onlyInCallersTransaction: true,
    },
  ],
  reads: [
    {
      member: ["QueryBuilder.findOne", "QueryBuilder.findById", "QueryBuilder.first", "QueryBuilder.where"],
      table: "chain",
    },
  ],
  inserts: [
    {
      member: ["QueryBuilder.insert", "QueryBuilder.insertAndFetch"],
      table: "chain",
      instead: "`.onConflict(…).ignore()` or `.merge()`",
    },
  ],
  stores: [
    {
      member: [
        "QueryBuilder.insert",
        "QueryBuilder.insertAndFetch",
        "QueryBuilder.insertGraph",
        "QueryBuilder.insertGraphAndFetch",
        "QueryBuilder.upsertGraph",
        "QueryBuilder.upsertGraphAndFetch",
      ],
      slot: { argument: 0 },
    },
  ],
};
