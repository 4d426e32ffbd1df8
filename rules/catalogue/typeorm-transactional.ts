import type { Library } from "./vocabulary.js";

/** Repositories join by themselves: no handle is passed. NESTED opens another connection, but a transaction all the same. */
export const typeormTransactional: Library = {
  name: "typeorm-transactional",
  packages: ["typeorm-transactional"],
  proxies: ["typeorm"],
  transactions: [
    // SUPPORTS joins a transaction if there is one; alone it opens none.
    { open: "runInTransaction", callback: 0, outsideWhen: ["NEVER", "NOT_SUPPORTED", "SUPPORTS"] },
    {
      open: "wrapInTransaction",
      callback: 0,
      returnsFunction: true,
      outsideWhen: ["NEVER", "NOT_SUPPORTED", "SUPPORTS"],
    },
  ],
  decorators: [{ decorator: "@Transactional", outside: ["NEVER", "NOT_SUPPORTED"], unknown: "SUPPORTS" }],
  afterCommit: [
    { member: "runOnTransactionCommit", callback: 0 },
    { member: "runOnTransactionRollback", callback: 0, after: "rollback" },
    { member: "runOnTransactionComplete", callback: 0, after: "either" },
  ],
};
