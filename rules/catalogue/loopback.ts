import type { Library } from "./vocabulary.js";

/** `observe` is mixed in at run time, and in no type. */
export const loopback: Library = {
  name: "LoopBack (@loopback/repository, loopback-datasource-juggler)",
  packages: ["@loopback/repository", "loopback-datasource-juggler"],
  values: {
    Transaction: [
      "DefaultTransactionalRepository.beginTransaction()",
      "TransactionalRepository.beginTransaction()",
      "DataSource.beginTransaction()",
    ],
    DataSource: "DefaultCrudRepository.dataSource",
  },
  manual: [
    {
      begin: "*.beginTransaction",
      handle: "result",
      commit: "Transaction.commit",
      rollback: "Transaction.rollback",
    },
  ],
  handles: [{ type: "Transaction", proves: true }],
  afterCommit: [
    { member: "Transaction.observe", event: "after commit", callback: 1 },
    { member: "Transaction.observe", event: "after rollback", callback: 1, after: "rollback" },
    { member: "Transaction.observe", event: "timeout", callback: 1, after: "rollback" },
  ],
  hooks: [
    {
      registeredBy: ["ModelBase.observe", "ObserverMixin.observe"],
      hook: { argument: 1 },
      event: {
        argument: 0,
        oneOf: ["before save", "persist", "after save", "before delete", "after delete"],
      },
      onlyInCallersTransaction: true,
    },
    {
      registeredBy: "Transaction.observe",
      hook: { argument: 1 },
      event: { argument: 0, oneOf: ["before commit", "before rollback"] },
    },
  ],
  stores: [
    {
      member: [
        "CrudRepository.create",
        "CrudRepository.createAll",
        "EntityCrudRepository.save",
        "DefaultCrudRepository.create",
        "DefaultCrudRepository.createAll",
        "DefaultCrudRepository.save",
        "DefaultTransactionalRepository.create",
        "DefaultTransactionalRepository.createAll",
        "DefaultTransactionalRepository.save",
        "PersistedModel.create",
        "PersistedModel.createAll",
        "PersistedModel.upsert",
      ],
      slot: { argument: 0 },
    },
    { member: ["DefaultCrudRepository.execute", "DataSource.execute"], slot: { argument: 1 }, insertsIn: 0 },
  ],
};
