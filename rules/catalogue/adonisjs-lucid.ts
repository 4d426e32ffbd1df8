import type { Library, UnreliableSlot } from "./vocabulary.js";

const clients = [
  "Database",
  "DatabaseContract",
  "QueryClient",
  "QueryClientContract",
  "TransactionClient",
  "TransactionClientContract",
  "LucidModel",
  "BaseModel",
  // The interface of a callable property: `QueryClientContract.transaction` is one.
  "TransactionFn",
];
const opens = clients.map((client) => `${client}.transaction`);
const handles = ["TransactionClientContract", "TransactionClient"];
const on = (name: string) => handles.map((handle) => `${handle}.${name}`);

const unreliable: UnreliableSlot = {
  runs: "where COMMIT failed",
  instead: "keep `trx.knexClient.executionPromise`, await it behind the transaction, and send then",
  unless: "executionPromise",
};

/** Over Knex, whose promise of a commit it trusts: hooks run even where COMMIT failed. */
export const adonisjsLucid: Library = {
  name: "AdonisJS Lucid",
  packages: ["@adonisjs/lucid"],
  importedFrom: ["@ioc:Adonis/Lucid"],
  together: "queued",
  values: {
    Database: "default",
    DatabaseContract: "default",
    QueryClientContract: ["Database.connection()", "DatabaseContract.connection()"],
    TransactionClientContract: [...opens.map((open) => `${open}()`), "Database.beginGlobalTransaction()"],
    InsertQueryBuilderContract: [
      "Database.table()",
      "Database.insertQuery()",
      "QueryClientContract.table()",
      "QueryClientContract.insertQuery()",
      "TransactionClientContract.table()",
      "TransactionClientContract.insertQuery()",
      "InsertQueryBuilderContract.table()",
    ],
  },
  transactions: [{ open: opens, callback: 0, handle: 0, handleType: "TransactionClientContract" }],
  manual: [
    {
      begin: opens,
      handle: "result",
      withoutCallback: true,
      commit: on("commit"),
      rollback: on("rollback"),
      provenBy: "$.knexClient.executionPromise",
    },
    {
      begin: ["Database.beginGlobalTransaction", "DatabaseContract.beginGlobalTransaction"],
      handle: "result",
      commit: [...on("commit"), "Database.commitGlobalTransaction"],
      rollback: [...on("rollback"), "Database.rollbackGlobalTransaction"],
    },
  ],
  sql: [
    {
      member: [
        "Database.rawQuery",
        "DatabaseContract.rawQuery",
        "QueryClient.rawQuery",
        "QueryClientContract.rawQuery",
      ],
      on: "pool",
    },
  ],
  beside: {
    statements: [
      {
        member: ["create", "createMany", "find", "findOrFail", "findMany", "first", "firstOrFail", "all"].map(
          (name) => `LucidModel.${name}`,
        ),
        joins: { option: { argument: "last", path: "client" } },
      },
      {
        member: ["findBy", "findByOrFail", "firstOrCreate", "updateOrCreate", "fetchOrCreateMany"].map(
          (name) => `LucidModel.${name}`,
        ),
        joins: { option: { argument: "last", path: "client" } },
      },
      {
        member: "LucidModel.query",
        joins: [{ option: { argument: 0, path: "client" } }, { chained: "useTransaction" }],
        sentByChain: true,
      },
    ],
  },
  handles: [{ type: handles, proves: true }],
  hooks: [
    {
      methodDecorator: [
        "@beforeCreate",
        "@afterCreate",
        "@beforeUpdate",
        "@afterUpdate",
        "@beforeSave",
        "@afterSave",
        "@beforeDelete",
        "@afterDelete",
      ],
      onlyInCallersTransaction: true,
    },
  ],
  afterCommit: [
    { member: on("after"), event: "commit", callback: 1, unreliable },
    { member: on("after"), event: "rollback", callback: 1, after: "rollback" },
    { member: [...on("on"), ...on("once")], event: "commit", callback: 1, unreliable },
    { member: [...on("on"), ...on("once")], event: "rollback", callback: 1, after: "rollback" },
  ],
  stores: [
    { member: ["*.create", "*.createMany", "*.createQuietly", "*.createManyQuietly"], slot: { argument: 0 } },
    { member: ["*.firstOrCreate", "*.updateOrCreate"], slot: { argument: 0 } },
    { member: ["*.insert", "*.multiInsert"], slot: { argument: 0 } },
    { member: "*.rawQuery", slot: { argument: 1 }, insertsIn: 0 },
  ],
};
