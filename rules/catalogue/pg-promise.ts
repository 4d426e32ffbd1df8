import type { Library } from "./vocabulary.js";

const containers = ["IBaseProtocol", "IDatabase", "ITask", "IConnected"];
const queries = ["none", "one", "oneOrNone", "many", "manyOrNone", "any", "result", "query", "multi", "multiResult"];

export const pgPromise: Library = {
  name: "pg-promise",
  packages: ["pg-promise"],
  together: "queued",
  values: {
    IMain: "default()",
    IDatabase: "IMain.()",
    IConnected: "IDatabase.connect()",
  },
  transactions: [
    {
      open: containers.flatMap((container) => [`${container}.tx`, `${container}.txIf`]),
      callback: "last",
      handle: 0,
      handleType: "ITask",
    },
  ],
  sql: [
    {
      member: ["ITask", "IConnected"].flatMap((container) => queries.map((query) => `${container}.${query}`)),
      on: "connection",
    },
    {
      member: queries.map((query) => `IDatabase.${query}`),
      on: "pool",
      instead: "db.tx(async (t) => …)",
      size: "max",
    },
    { member: queries.map((query) => `IBaseProtocol.${query}`), on: "pool" },
  ],
  hiddenRollback: {},
  beside: { idle: "connect" },
  // The same type serves `task`, which opens nothing.
  handles: [{ type: "ITask", proves: false }],
  stores: [
    {
      member: containers.flatMap((container) => queries.map((query) => `${container}.${query}`)),
      slot: { argument: 1 },
      insertsIn: 0,
    },
  ],
};
