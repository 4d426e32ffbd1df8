import type { Library } from "./vocabulary.js";

/** The client is generated: into `node_modules/.prisma`, or (always by Prisma 7's own generator) into the project. */
export const prisma: Library = {
  name: "Prisma",
  packages: ["@prisma/client", ".prisma"],
  clientNames: ["prisma"],
  generated: {
    containers: [
      "PrismaClient",
      "TransactionClient",
      "*Delegate",
      // A custom output has a copy of the runtime's types.
      "DynamicClientExtensionThisBuiltin",
      "ClientOtherOps",
      "ITXClientDenyList",
    ],
    fileContains: "PrismaPromise",
  },
  together: "queued",
  values: {
    PrismaClient: ["PrismaClient.$extends()"],
    DynamicClientExtensionThisBuiltin: ["PrismaClient.$extends()"],
    Delegate: ["PrismaClient.*", "TransactionClient.*"],
  },
  transactions: [
    {
      // The array form of `$transaction` takes no function, and so runs no code of the caller's.
      open: [
        "PrismaClient.$transaction",
        "TransactionClient.$transaction",
        "DynamicClientExtensionThisBuiltin.$transaction",
      ],
      callback: 0,
      handle: 0,
      handleType: "TransactionClient",
    },
  ],
  sql: [
    {
      member: [
        "PrismaClient.$executeRaw",
        "PrismaClient.$executeRawUnsafe",
        "PrismaClient.$queryRaw",
        "PrismaClient.$queryRawUnsafe",
        "ClientOtherOps.$executeRaw",
        "ClientOtherOps.$executeRawUnsafe",
        "ClientOtherOps.$queryRaw",
        "ClientOtherOps.$queryRawUnsafe",
      ],
      on: "pool",
      instead: "prisma.$transaction(async (tx) => …)",
      batched: true,
    },
  ],
  beside: { idle: ["$connect", "$disconnect", "$on", "$use", "$extends"] },
  handles: [
    // `Prisma.TransactionClient` is `Omit<PrismaClient, ITXClientDenyList>`, and a PrismaClient is assignable to it.
    { type: ["TransactionClient", "ITXClientDenyList"], proves: false },
  ],
  hiddenRollback: { option: "activeProvider|provider", databases: ["postgresql", "cockroachdb"] },
  hooks: [
    {
      registeredBy: ["PrismaClient.$extends", "DynamicClientExtensionThisBuiltin.$extends"],
      hook: { argument: 0, path: "query.*.*" },
      onlyInCallersTransaction: true,
    },
    {
      registeredBy: ["PrismaClient.$extends", "DynamicClientExtensionThisBuiltin.$extends"],
      hook: { argument: 0, path: "query.*" },
      onlyInCallersTransaction: true,
    },
    { registeredBy: "PrismaClient.$use", hook: { argument: 0 }, onlyInCallersTransaction: true },
  ],
  insertIgnores: [
    {
      member: ["*.createMany", "*.createManyAndReturn"],
      when: { argument: 0, path: "skipDuplicates" },
      // A generated client says which database it is for.
      as: {
        option: "activeProvider",
        databases: { mysql: "INSERT IGNORE", postgresql: "ON CONFLICT", cockroachdb: "ON CONFLICT" },
      },
    },
  ],
  reads: [{ member: ["*.findFirst", "*.findUnique", "*.findMany", "*.count"], table: "receiver" }],
  inserts: [
    {
      member: ["*.create", "*.createMany", "*.createManyAndReturn"],
      table: "receiver",
      instead: "`upsert`, `createMany` with `skipDuplicates`, or a `catch` for `P2002`",
    },
  ],
  stores: [
    { member: ["*.create", "*.createMany", "*.createManyAndReturn"], slot: { argument: 0, path: "data" } },
    // What `upsert` finds its row by decides whether a retry meets the first row; its `create` part does not.
    { member: "*.upsert", slot: { argument: 0, path: "where" } },
    { member: ["*.update", "*.updateMany"], slot: { argument: 0, path: "where" }, finds: true },
    {
      member: [
        "PrismaClient.$executeRaw",
        "TransactionClient.$executeRaw",
        "PrismaClient.$executeRawUnsafe",
        "TransactionClient.$executeRawUnsafe",
      ],
      slot: { argument: 1 },
      andFollowing: true,
      insertsIn: 0,
    },
  ],
};
