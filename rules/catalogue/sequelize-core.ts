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
  "beforeDestroyMany",
  "afterDestroyMany",
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

/** Version 7. Statements inside a callback join by AsyncLocalStorage. */
export const sequelizeCore: Library = {
  name: "Sequelize 7 (@sequelize/core)",
  packages: ["@sequelize/core"],
  together: "queued",
  values: {
    Transaction: ["Sequelize.startUnmanagedTransaction()", "Sequelize.getCurrentClsTransaction()"],
    Model: ["Sequelize.define()", "Sequelize.model()", "Model.init()", "Model.withScope()"],
    Sequelize: ["Model.sequelize", "Transaction.sequelize"],
    HookHandler: ["Model.hooks", "ModelTypeScript.hooks", "Sequelize.hooks", "SequelizeTypeScript.hooks"],
  },
  transactions: [
    {
      open: ["SequelizeTypeScript.transaction", "Sequelize.transaction"],
      callback: "last",
      handle: 0,
      handleType: "Transaction",
    },
  ],
  manual: [
    {
      begin: ["SequelizeTypeScript.startUnmanagedTransaction", "Sequelize.startUnmanagedTransaction"],
      handle: "result",
      commit: "Transaction.commit",
      rollback: "Transaction.rollback",
    },
  ],
  sql: [{ member: ["Sequelize.query", "Sequelize.queryRaw"], on: "pool" }],
  handles: [{ type: "Transaction", proves: true }],
  hooks: [
    {
      methodDecorator: hooks.map((hook) => `@${hook.charAt(0).toUpperCase()}${hook.slice(1)}`),
      onlyInCallersTransaction: true,
    },
    {
      registeredBy: "HookHandler.addListener",
      hook: { argument: 1 },
      event: { argument: 0, oneOf: hooks },
      onlyInCallersTransaction: true,
    },
    { registeredBy: "HookHandler.addListeners", hook: { argument: 0, path: "*" }, onlyInCallersTransaction: true },
    {
      registeredBy: ["Model.init", "ModelTypeScript.init"],
      hook: { argument: 1, path: "hooks.*" },
      onlyInCallersTransaction: true,
    },
    { registeredBy: "Sequelize.define", hook: { argument: 2, path: "hooks.*" }, onlyInCallersTransaction: true },
  ],
  hiddenRollback: { option: "dialect", databases: ["postgres"] },
  afterCommit: [
    // A hook on a savepoint's transaction never runs: that is another rule's business.
    { member: "Transaction.afterCommit", callback: 0 },
    { member: "Transaction.afterRollback", callback: 0, after: "rollback" },
    { member: "Transaction.afterTransaction", callback: 0, after: "either" },
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
    { member: ["Model.create", "Model.bulkCreate", "Model.build", "new Model"], slot: { argument: 0 } },
    { member: "Model.upsert", slot: { argument: 0 }, meetsUnique: true },
    { member: ["Model.findOrCreate", "Model.findCreateFind"], slot: { argument: 0, path: "where" } },
    { member: "Sequelize.query", slot: { argument: 1, path: "replacements" }, insertsIn: 0 },
    { member: "Sequelize.query", slot: { argument: 1, path: "bind" }, insertsIn: 0 },
  ],
};
