import type { Library } from "./vocabulary.js";

export const planetscaleDatabase: Library = {
  name: "PlanetScale serverless driver",
  packages: ["@planetscale/database"],
  values: { Connection: ["connect()", "Client.connection()"] },
  transactions: [
    { open: ["Client.transaction", "Connection.transaction"], callback: 0, handle: 0, handleType: "Transaction" },
  ],
  sql: [{ member: "Client.execute", on: "pool", instead: "client.transaction(async (tx) => …)" }],
  beside: {},
  handles: [{ type: ["Transaction", "Tx"], proves: true }],
  stores: [
    {
      member: ["Client.execute", "Connection.execute", "Transaction.execute", "Tx.execute"],
      slot: { argument: 1 },
      insertsIn: 0,
    },
  ],
};
