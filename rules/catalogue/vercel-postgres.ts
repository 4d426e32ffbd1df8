import type { Library } from "./vocabulary.js";

/** As pg, of which its classes are heirs. The exported `sql` is a pool: BEGIN there opens nothing. */
export const vercelPostgres: Library = {
  name: "@vercel/postgres",
  packages: ["@vercel/postgres"],
  together: "queued",
  values: {
    VercelPool: ["db", "sql", "createPool()"],
    VercelPoolClient: ["VercelPool.connect()"],
    VercelClient: ["createClient()"],
  },
  sql: [
    {
      member: [
        "VercelClientBase.sql",
        "VercelPoolClient.sql",
        "VercelPoolClient.query",
        "VercelClient.sql",
        "VercelClient.query",
      ],
      on: "connection",
    },
    { member: ["sql", "VercelPool.sql", "VercelPool.query"], on: "pool", instead: "const client = await db.connect()" },
  ],
  beside: { idle: ["connect", "end"] },
  handles: [{ type: ["VercelPoolClient", "VercelClient"], proves: false }],
  stores: [
    {
      member: ["sql", "VercelPool.sql", "VercelClientBase.sql", "VercelPoolClient.sql", "VercelClient.sql"],
      slot: { argument: 1 },
      andFollowing: true,
      insertsIn: 0,
    },
    {
      member: ["VercelPool.query", "VercelPoolClient.query", "VercelClient.query"],
      slot: { argument: 1 },
      insertsIn: 0,
    },
  ],
};
