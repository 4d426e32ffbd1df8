import type { Library } from "./vocabulary.js";

/** `batch([…])` and `migrate([…])` are atomic, but run no code of the caller's. */
export const libsql: Library = {
  name: "libSQL client",
  packages: ["@libsql/client", "@libsql/core"],
  importedFrom: ["@tursodatabase/serverless"],
  values: {
    Client: "createClient()",
    Transaction: ["Client.transaction()"],
  },
  manual: [
    {
      begin: "*.transaction",
      handle: "result",
      commit: "*.commit",
      rollback: ["*.rollback", "*.close"],
    },
  ],
  sql: [{ member: ["Client.execute", "Client.executeMultiple"], on: "pool" }],
  beside: { idle: ["close", "sync"] },
  handles: [{ type: ["Transaction", "HttpTransaction", "WsTransaction", "Sqlite3Transaction"], proves: true }],
  stores: [
    { member: ["Client.execute", "Transaction.execute"], slot: { argument: 1 }, insertsIn: 0 },
    { member: ["Client.execute", "Transaction.execute"], slot: { argument: 0, path: "args" } },
  ],
};
