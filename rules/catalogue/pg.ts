import type { Library } from "./vocabulary.js";

/** No callback form: BEGIN and COMMIT are texts. */
export const pg: Library = {
  name: "pg (node-postgres)",
  packages: ["pg", "pg-pool", "pg-native"],
  together: "queued",
  values: {
    PoolClient: ["Pool.connect()"],
    Client: "Client",
    Pool: "Pool",
  },
  sql: [
    { member: ["ClientBase.query", "Client.query", "PoolClient.query"], on: "connection" },
    { member: "Pool.query", on: "pool", instead: "const client = await pool.connect()", size: "max" },
  ],
  hiddenRollback: {},
  beside: { idle: ["connect", "end"] },
  handles: [{ type: ["PoolClient", "ClientBase"], proves: false }],
  stores: [
    {
      member: ["ClientBase.query", "Client.query", "PoolClient.query", "Pool.query"],
      slot: { argument: 1 },
      insertsIn: 0,
    },
  ],
  deadlines: [
    {
      member: ["Pool.query", "ClientBase.query", "Client.query"],
      setBy: ["new Pool", "new Client"],
      slot: [
        { argument: 0, path: "query_timeout" },
        { argument: 0, path: "statement_timeout" },
      ],
      unit: "ms",
      isNet: true,
    },
  ],
};
