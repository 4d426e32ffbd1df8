import type { Library } from "./vocabulary.js";

/** A mapper over Knex: its handle is Knex's `Transaction`. */
export const bookshelf: Library = {
  name: "Bookshelf",
  packages: ["bookshelf"],
  together: "queued",
  values: {
    Bookshelf: "default()",
    Model: ["Bookshelf.model()", "Bookshelf.Model", "Model.forge()", "Model.extend()"],
  },
  transactions: [{ open: "Bookshelf.transaction", callback: 0, handle: 0, handleType: "Transaction" }],
  hiddenRollback: { option: "client", databases: ["pg", "pg-native", "postgres", "postgresql"] },
  hooks: [
    {
      registeredBy: ["Events.on", "Model.on"],
      hook: { argument: 1 },
      event: {
        argument: 0,
        oneOf: ["creating", "created", "updating", "updated", "saving", "saved", "destroying", "destroyed"],
      },
      onlyInCallersTransaction: true,
    },
  ],
  stores: [
    { member: "Model.forge", slot: { argument: 0 } },
    { member: "Model.save", slot: { argument: 0 } },
    { member: "Collection.create", slot: { argument: 0 } },
  ],
};
