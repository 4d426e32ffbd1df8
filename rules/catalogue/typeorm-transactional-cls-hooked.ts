import type { Library } from "./vocabulary.js";

/** The forerunner of typeorm-transactional, with the same names. */
export const typeormTransactionalClsHooked: Library = {
  name: "typeorm-transactional-cls-hooked",
  packages: ["typeorm-transactional-cls-hooked"],
  proxies: ["typeorm"],
  transactions: [
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
