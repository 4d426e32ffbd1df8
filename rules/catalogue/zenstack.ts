import type { Library } from "./vocabulary.js";

/** Version 3 stands on Kysely. Version 2 enhances a Prisma client, whose own entry covers `$transaction`. */
export const zenstack: Library = {
  name: "ZenStack",
  packages: ["@zenstackhq/orm", "@zenstackhq/runtime"],
  importedFrom: ["@zenstackhq/server"],
  together: "queued",
  values: {
    ClientContract: [
      "ClientContract.$use()",
      "ClientContract.$setAuth()",
      "ZenStackClient.$use()",
      "ZenStackClient.$setAuth()",
    ],
    DbClientContract: ["enhance()", "createEnhancement()"],
    ModelOperations: ["ClientContract.*", "TransactionClientContract.*", "ZenStackClient.*"],
  },
  transactions: [
    {
      open: ["ClientContract.$transaction", "ZenStackClient.$transaction", "DbClientContract.$transaction"],
      callback: 0,
      handle: 0,
      handleType: "TransactionClientContract",
    },
  ],
  sql: [
    {
      member: [
        "ClientContract.$executeRaw",
        "ClientContract.$executeRawUnsafe",
        "ClientContract.$queryRaw",
        "ClientContract.$queryRawUnsafe",
      ],
      on: "pool",
    },
  ],
  beside: { idle: ["$connect", "$disconnect", "$use", "$setAuth"] },
  // A client is assignable to it.
  handles: [{ type: "TransactionClientContract", proves: false }],
  hooks: [
    {
      registeredBy: ["definePlugin", "ClientContract.$use", "ZenStackClient.$use"],
      hook: { argument: 0, path: "onEntityMutation.beforeEntityMutation" },
    },
    {
      registeredBy: ["definePlugin", "ClientContract.$use", "ZenStackClient.$use"],
      hook: { argument: 0, path: "onQuery" },
      onlyInCallersTransaction: true,
    },
  ],
  stores: [
    { member: ["*.create", "*.createMany", "*.createManyAndReturn"], slot: { argument: 0, path: "data" } },
    { member: "*.upsert", slot: { argument: 0, path: "where" } },
  ],
};
