import type { Library } from "./vocabulary.js";

/** The callback gets `step`, not a handle. The action of `executeTransaction` is text that the server runs. */
export const arangojs: Library = {
  name: "arangojs",
  packages: ["arangojs"],
  values: {
    Database: ["Database.database()", "arangojs()"],
    Transaction: ["Database.beginTransaction()", "Database.transaction()"],
    DocumentCollection: ["Database.collection()", "Database.createCollection()"],
    EdgeCollection: "Database.createEdgeCollection()",
  },
  transactions: [{ open: "Database.withTransaction", callback: 1 }],
  manual: [
    {
      begin: "Database.beginTransaction",
      handle: "result",
      commit: "Transaction.commit",
      rollback: "Transaction.abort",
    },
  ],
  handles: [{ type: "Transaction", proves: true }],
  stores: [{ member: ["*.save", "*.saveAll", "*.import"], slot: { argument: 0 } }],
};
