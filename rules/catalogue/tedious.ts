import type { Library } from "./vocabulary.js";

/** Callbacks only. */
export const tedious: Library = {
  name: "tedious",
  packages: ["tedious"],
  transactions: [{ open: ["Connection.transaction", "Connection.beginTransaction"], callback: 0 }],
  manual: [
    {
      // Promisified by the project.
      begin: "Connection.beginTransaction",
      handle: "receiver",
      withoutCallback: true,
      commit: "Connection.commitTransaction",
      rollback: "Connection.rollbackTransaction",
    },
  ],
  afterCommit: [
    { member: "Connection.commitTransaction", callback: 0, after: "either" },
    { member: "Connection.rollbackTransaction", callback: 0, after: "rollback" },
  ],
};
