import type { Library } from "./vocabulary.js";

const whats = ["Create", "Update", "Save", "Delete"];
const registrars = ["QueryHooks", "BaseTableInstance", "InitHooks"];
const hooksNamed = (when: string, then: string) =>
  registrars.flatMap((registrar) => whats.map((what) => `${registrar}.${when}${what}${then}`));

/** No handle is passed: queries join by AsyncLocalStorage. pqb is the query builder below, with the names without `$`. */
export const orchidOrm: Library = {
  name: "Orchid ORM (orchid-orm, pqb)",
  packages: ["orchid-orm", "pqb"],
  importedFrom: ["rake-db"],
  values: {
    OrchidORMMethods: ["orchidORM()", "orchidORMWithAdapter()", "bundleOrchidORM()"],
    OrchidORM: ["orchidORM()", "orchidORMWithAdapter()", "bundleOrchidORM()"],
    Db: ["createDb()", "createDbWithAdapter()", "OrchidORMMethods.$qb", "OrchidORM.$qb"],
    QueryCreate: ["OrchidORM.*", "Db.()"],
  },
  transactions: [
    {
      open: [
        "OrchidORMMethods.$transaction",
        "OrchidORM.$transaction",
        "QueryTransaction.transaction",
        "Db.transaction",
      ],
      callback: "last",
    },
    {
      open: [
        "OrchidORMMethods.$ensureTransaction",
        "OrchidORM.$ensureTransaction",
        "QueryTransaction.ensureTransaction",
        "Db.ensureTransaction",
      ],
      callback: 0,
    },
  ],
  hooks: [
    // A query with such a hook opens a transaction if there is none.
    { registeredBy: hooksNamed("after", ""), hook: { argument: "last" } },
    { registeredBy: hooksNamed("before", ""), hook: { argument: "last" } },
  ],
  afterCommit: [
    {
      member: [
        "OrchidORMMethods.$afterCommit",
        "OrchidORM.$afterCommit",
        "QueryTransaction.afterCommit",
        "Db.afterCommit",
      ],
      callback: 0,
    },
    { member: hooksNamed("after", "Commit"), callback: "last" },
  ],
  stores: [
    {
      member: ["QueryCreate.create", "QueryCreate.createMany", "QueryCreate.insert", "QueryCreate.insertMany"],
      slot: { argument: 0 },
    },
  ],
};
