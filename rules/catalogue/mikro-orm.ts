import type { Library } from "./vocabulary.js";

/** Versions 5 to 7. Inside `transactional` the global EntityManager resolves to the transaction's fork. */
export const mikroOrm: Library = {
  name: "MikroORM",
  packages: ["@mikro-orm/core", "@mikro-orm/decorators", "@mikro-orm/sql", "@mikro-orm/knex", "@mikro-orm/mongodb"],
  importedFrom: [
    "@mikro-orm/better-sqlite",
    "@mikro-orm/libsql",
    "@mikro-orm/mariadb",
    "@mikro-orm/mssql",
    "@mikro-orm/mysql",
    "@mikro-orm/nestjs",
    "@mikro-orm/oracledb",
    "@mikro-orm/postgresql",
    "@mikro-orm/sqlite",
  ],
  together: "queued",
  values: {
    MikroORM: ["MikroORM.init()", "MikroORM.initSync()"],
    EntityManager: [
      "MikroORM.em",
      "EntityManager.fork()",
      "EntityRepository.getEntityManager()",
      "EntityRepository.em",
      "RequestContext.getEntityManager()",
      "TransactionContext.getEntityManager()",
      "EventArgs.em",
      "FlushEventArgs.em",
    ],
    EntityRepository: ["EntityManager.getRepository()"],
  },
  transactions: [
    {
      open: ["EntityManager.transactional", "SqlEntityManager.transactional", "MongoEntityManager.transactional"],
      callback: 0,
      handle: 0,
      handleType: "EntityManager",
      outsideWhen: ["NOT_SUPPORTED", "NEVER", "SUPPORTS", "not_supported", "never", "supports"],
    },
    { open: ["Connection.transactional", "AbstractSqlConnection.transactional"], callback: 0, handle: 0 },
  ],
  manual: [
    {
      begin: ["EntityManager.begin", "SqlEntityManager.begin", "MongoEntityManager.begin"],
      handle: "receiver",
      commit: ["EntityManager.commit", "SqlEntityManager.commit", "MongoEntityManager.commit"],
      rollback: ["EntityManager.rollback", "SqlEntityManager.rollback", "MongoEntityManager.rollback"],
      rollbackAfterCommit: "An open transaction is required for this operation",
    },
  ],
  sql: [
    {
      member: [
        "SqlEntityManager.execute",
        "EntityManager.execute",
        "AbstractSqlConnection.execute",
        "Connection.execute",
      ],
      on: "pool",
    },
  ],
  decorators: [
    {
      decorator: "@Transactional",
      outside: ["NOT_SUPPORTED", "NEVER", "not_supported", "never"],
      unknown: ["SUPPORTS", "supports"],
    },
  ],
  handles: [{ type: ["EntityManager", "SqlEntityManager", "MongoEntityManager"], proves: false }],
  hooks: [
    {
      methodDecorator: [
        "@BeforeCreate",
        "@AfterCreate",
        "@BeforeUpdate",
        "@AfterUpdate",
        "@BeforeUpsert",
        "@AfterUpsert",
        "@BeforeDelete",
        "@AfterDelete",
      ],
    },
    {
      methods: [
        "beforeCreate",
        "afterCreate",
        "beforeUpdate",
        "afterUpdate",
        "beforeUpsert",
        "afterUpsert",
        "beforeDelete",
        "afterDelete",
        "beforeFlush",
        "onFlush",
        "afterTransactionStart",
        "beforeTransactionCommit",
        "beforeTransactionRollback",
      ],
      implements: "EventSubscriber",
      classDecorator: "@Subscriber",
    },
    // A flush commits its own transaction before this; only a caller's is still open.
    {
      methods: "afterFlush",
      implements: "EventSubscriber",
      classDecorator: "@Subscriber",
      onlyInCallersTransaction: true,
    },
  ],
  afterCommitMethods: [
    {
      methods: "afterTransactionCommit",
      implements: "EventSubscriber",
      classDecorator: "@Subscriber",
      everyLevel: {
        outermost: "!event.transaction?.savepointName",
        since: { package: "@mikro-orm/core", version: "7.0.0" },
      },
    },
    { methods: "afterTransactionRollback", implements: "EventSubscriber", classDecorator: "@Subscriber" },
  ],
  reads: [
    { member: ["EntityRepository.findOne", "EntityRepository.count", "EntityRepository.find"], table: "receiver" },
    { member: ["EntityManager.findOne", "EntityManager.count", "EntityManager.find"], table: 0 },
  ],
  inserts: [
    {
      member: ["EntityRepository.create", "EntityRepository.insert"],
      table: "receiver",
      instead: "`upsert`, or a `catch` for `UniqueConstraintViolationException`",
    },
    {
      member: ["EntityManager.create", "EntityManager.insert"],
      table: 0,
      instead: "`upsert`, or a `catch` for `UniqueConstraintViolationException`",
    },
  ],
  stores: [
    {
      member: [
        "EntityRepository.create",
        "EntityRepository.insert",
        "EntityRepository.insertMany",
        "EntityManager.persist",
        "EntityManager.persistAndFlush",
        "EntityRepository.persist",
        "EntityRepository.persistAndFlush",
      ],
      slot: { argument: 0 },
    },
    {
      // `persistOnCreate`, the default since 6, stores what `create` makes.
      member: ["EntityManager.create", "EntityManager.insert", "EntityManager.insertMany"],
      slot: { argument: 1 },
    },
    {
      member: ["EntityRepository.upsert", "EntityRepository.upsertMany"],
      slot: { argument: 0 },
      meetsUnique: true,
    },
    { member: ["EntityManager.upsert", "EntityManager.upsertMany"], slot: { argument: 1 }, meetsUnique: true },
    { member: ["SqlEntityManager.execute", "EntityManager.execute"], slot: { argument: 1 }, insertsIn: 0 },
  ],
};
