import type { Library } from "./vocabulary.js";

/** `sql.transaction(…)` is no opener: it takes queries, or a function that builds them before anything is sent. */
export const neon: Library = {
  name: "Neon serverless driver",
  packages: ["@neondatabase/serverless"],
  together: "queued",
  values: {
    NeonQueryFunction: "neon()",
    PoolClient: "Pool.connect()",
  },
  sql: [
    { member: ["ClientBase_2.query", "ClientBase.query", "Client.query", "PoolClient.query"], on: "connection" },
    {
      member: ["Pool.query", "Pool_2.query"],
      on: "pool",
      instead: "const client = await pool.connect()",
      size: "max",
    },
    {
      member: ["NeonQueryFunction.query", "NeonQueryFunction.()"],
      on: "pool",
      instead: "sql.transaction([…])",
      batched: true,
    },
  ],
  beside: { idle: ["connect", "end"] },
  handles: [{ type: "PoolClient", proves: false }],
  stores: [
    {
      member: [
        "ClientBase_2.query",
        "ClientBase.query",
        "Client.query",
        "PoolClient.query",
        "Pool.query",
        "Pool_2.query",
        "NeonQueryFunction.query",
      ],
      slot: { argument: 1 },
      insertsIn: 0,
    },
    { member: "NeonQueryFunction.()", slot: { argument: 1 }, andFollowing: true, insertsIn: 0 },
  ],
};
