import type { Library } from "./vocabulary.js";

/** A backend method runs in a transaction unless it says `transactional: false`. */
export const remult: Library = {
  name: "Remult",
  packages: ["remult"],
  values: {
    Remult: "remult",
    DataProvider: ["Remult.dataProvider", "createKnexDataProvider()"],
    SqlDatabase: ["createPostgresDataProvider()", "createPostgresConnection()", "SqlDatabase.getDb()"],
    Repository: ["repo()", "Remult.repo()"],
  },
  transactions: [{ open: "*.transaction", callback: 0, handle: 0, handleType: "DataProvider" }],
  decorators: [{ decorator: "@BackendMethod", offWhenFalse: "transactional" }],
  handles: [{ type: "DataProvider", proves: false }],
  hooks: [
    { registeredBy: "Entity", hook: { argument: 1, path: "saving" }, onlyInCallersTransaction: true },
    { registeredBy: "Entity", hook: { argument: 1, path: "saved" }, onlyInCallersTransaction: true },
    { registeredBy: "Entity", hook: { argument: 1, path: "deleting" }, onlyInCallersTransaction: true },
    { registeredBy: "Entity", hook: { argument: 1, path: "deleted" }, onlyInCallersTransaction: true },
  ],
  stores: [{ member: ["Repository.insert", "Repository.save", "Repository.upsert"], slot: { argument: 0 } }],
};
