import type { Library } from "./vocabulary.js";

/** One synchronous connection; BEGIN and COMMIT are texts. */
export const nodeSqlite: Library = {
  name: "node:sqlite",
  packages: ["node:sqlite"],
  values: {
    StatementSync: "DatabaseSync.prepare()",
    SQLTagStore: "DatabaseSync.createTagStore()",
  },
  sql: [
    { member: ["DatabaseSync.exec", "SQLTagStore.run", "SQLTagStore.get", "SQLTagStore.all"], on: "connection" },
    { member: "DatabaseSync.prepare", on: "connection", ranBy: ["run", "get", "all"] },
  ],
  stores: [
    {
      member: ["StatementSync.run", "StatementSync.get"],
      slot: { argument: 0 },
      andFollowing: true,
      insertsIn: "receiver",
    },
    { member: ["SQLTagStore.run", "SQLTagStore.get"], slot: { argument: 1 }, andFollowing: true, insertsIn: 0 },
  ],
};
