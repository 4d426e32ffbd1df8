import type { Library } from "./vocabulary.js";

/** Runs the callback again on transient errors. `writeTransaction` and `readTransaction` are those of 4. */
export const neo4jDriver: Library = {
  name: "Neo4j driver",
  packages: ["neo4j-driver", "neo4j-driver-core", "neo4j-driver-lite"],
  values: {
    Driver: ["driver()", "*.driver()"],
    Session: "Driver.session()",
    RxSession: "Driver.rxSession()",
    Transaction: "Session.beginTransaction()",
  },
  transactions: [
    {
      open: ["Session.executeWrite", "Session.executeRead", "RxSession.executeWrite", "RxSession.executeRead"],
      callback: 0,
      handle: 0,
      handleType: "ManagedTransaction",
      reruns: true,
    },
    {
      open: [
        "Session.writeTransaction",
        "Session.readTransaction",
        "RxSession.writeTransaction",
        "RxSession.readTransaction",
      ],
      callback: 0,
      handle: 0,
      handleType: "Transaction",
      reruns: true,
    },
  ],
  manual: [
    {
      begin: "Session.beginTransaction",
      handle: "result",
      commit: ["Transaction.commit", "TransactionPromise.commit"],
      rollback: ["Transaction.rollback", "Transaction.close", "TransactionPromise.rollback"],
    },
  ],
  handles: [{ type: ["ManagedTransaction", "Transaction", "RxManagedTransaction", "RxTransaction"], proves: true }],
};
