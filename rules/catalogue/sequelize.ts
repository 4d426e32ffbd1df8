import type { Library } from "./vocabulary.js";

const hooks = [
  "beforeCreate",
  "afterCreate",
  "beforeUpdate",
  "afterUpdate",
  "beforeSave",
  "afterSave",
  "beforeUpsert",
  "afterUpsert",
  "beforeDestroy",
  "afterDestroy",
  "beforeRestore",
  "afterRestore",
  "beforeBulkCreate",
  "afterBulkCreate",
  "beforeBulkUpdate",
  "afterBulkUpdate",
  "beforeBulkDestroy",
  "afterBulkDestroy",
  "beforeBulkRestore",
  "afterBulkRestore",
];

/** Versions 4 to 6. Statements join only with `{ transaction }`, or by `Sequelize.useCLS`. */
export const sequelize: Library = {
  name: "Sequelize",
  packages: ["sequelize"],
  importedFrom: ["sequelize-typescript"],
  together: "queued",
  values: {
    Transaction: "Sequelize.transaction()",
    Model: ["Sequelize.define()", "Sequelize.model()", "Model.init()", "Model.scope()", "Model.schema()"],
    Sequelize: "Model.sequelize",
    QueryInterface: "Sequelize.getQueryInterface()",
  },
  transactions: [{ open: "Sequelize.transaction", callback: "last", handle: 0, handleType: "Transaction" }],
  manual: [
    {
      begin: "Sequelize.transaction",
      handle: "result",
      withoutCallback: true,
      commit: "Transaction.commit",
      rollback: "Transaction.rollback",
      rollbackAfterCommit: "Transaction cannot be rolled back because it has been finished with state: commit",
    },
  ],
  sql: [{ member: "Sequelize.query", on: "pool" }],
  beside: {
    unless: "useCLS",
    madeBy: ["new Sequelize"],
    idle: ["authenticate", "close", "sync"],
    statements: [
      {
        member: [
          "findAll",
          "findOne",
          "findAndCountAll",
          "findOrCreate",
          "findOrBuild",
          "findCreateFind",
          "count",
          "destroy",
          "restore",
          "save",
          "reload",
        ].map((name) => `Model.${name}`),
        joins: { option: { argument: 0, path: "transaction" } },
      },
      {
        member: [
          "create",
          "bulkCreate",
          "upsert",
          "update",
          "findByPk",
          "increment",
          "decrement",
          "max",
          "min",
          "sum",
        ].map((name) => `Model.${name}`),
        joins: { option: { argument: 1, path: "transaction" } },
      },
      { member: "Sequelize.query", joins: { option: { argument: 1, path: "transaction" } } },
    ],
  },
  handles: [{ type: "Transaction", proves: true }],
  hooks: [
    {
      registeredBy: ["Model.addHook", "Hooks.addHook", "Sequelize.addHook"],
      hook: { argument: "last" },
      event: { argument: 0, oneOf: hooks },
      onlyInCallersTransaction: true,
    },
    {
      // Upsert and restore have none.
      registeredBy: hooks
        .filter((hook) => !/Upsert|Restore/.test(hook))
        .flatMap((hook) => [`Model.${hook}`, `Sequelize.${hook}`]),
      hook: { argument: "last" },
      onlyInCallersTransaction: true,
    },
    { registeredBy: "Model.init", hook: { argument: 1, path: "hooks.*" }, onlyInCallersTransaction: true },
    { registeredBy: "Sequelize.define", hook: { argument: 2, path: "hooks.*" }, onlyInCallersTransaction: true },
  ],
  hiddenRollback: { option: "dialect", databases: ["postgres"] },
  afterCommit: [
    // Runs at the commit of its own Transaction, so of a savepoint too, and even where COMMIT failed (#14902).
    {
      member: "Transaction.afterCommit",
      callback: 0,
      unreliable: {
        runs: "where COMMIT failed",
        instead: "send behind `await sequelize.transaction(…)`, which rejects when COMMIT fails",
      },
    },
  ],
  insertIgnores: [
    {
      member: ["Model.bulkCreate", "Model.create"],
      when: { argument: 1, path: "ignoreDuplicates" },
      as: {
        option: "dialect",
        databases: {
          mysql: "INSERT IGNORE",
          mariadb: "INSERT IGNORE",
          sqlite: "INSERT OR IGNORE",
          postgres: "ON CONFLICT",
        },
      },
    },
  ],
  reads: [{ member: ["Model.findOne", "Model.findByPk", "Model.findAll", "Model.count"], table: "receiver" }],
  inserts: [
    {
      member: ["Model.create", "Model.bulkCreate"],
      table: "receiver",
      instead: "`findOrCreate`, `upsert`, or a `catch` for `UniqueConstraintError`",
    },
  ],
  stores: [
    {
      member: ["Model.update", "Model.increment", "Model.decrement"],
      slot: { argument: 1, path: "where" },
      finds: true,
    },
    {
      member: ["Model.create", "Model.bulkCreate", "Model.build", "Model.bulkBuild", "new Model"],
      slot: { argument: 0 },
    },
    { member: "Model.upsert", slot: { argument: 0 }, meetsUnique: true },
    { member: ["Model.findOrCreate", "Model.findCreateFind"], slot: { argument: 0, path: "where" } },
    { member: "QueryInterface.bulkInsert", slot: { argument: 1 } },
    { member: "QueryInterface.insert", slot: { argument: 2 } },
    { member: "Sequelize.query", slot: { argument: 1, path: "replacements" }, insertsIn: 0 },
    { member: "Sequelize.query", slot: { argument: 1, path: "bind" }, insertsIn: 0 },
  ],
};
