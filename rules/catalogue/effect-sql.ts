import type { Library } from "./vocabulary.js";

/** No callbacks: the transaction is an Effect, given or piped in. `afterCommit` is there since effect 4.0.6. */
export const effectSql: Library = {
  name: "Effect SQL (effect, @effect/sql)",
  packages: ["effect", "@effect/sql"],
  importedFrom: [
    "@effect/sql-clickhouse",
    "@effect/sql-d1",
    "@effect/sql-libsql",
    "@effect/sql-mssql",
    "@effect/sql-mysql2",
    "@effect/sql-pg",
    "@effect/sql-sqlite-bun",
    "@effect/sql-sqlite-do",
    "@effect/sql-sqlite-node",
    "@effect/sql-sqlite-react-native",
    "@effect/sql-sqlite-wasm",
  ],
  values: {
    // `const sql = yield* SqlClient.SqlClient`
    SqlClient: [
      "SqlClient",
      "SqlClient.SqlClient",
      "PgClient.PgClient",
      "PgClient.make()",
      "SqlClient.withoutTransforms()",
    ],
  },
  transactions: [{ open: "SqlClient.withTransaction", callback: 0, effect: true }],
  afterCommit: [{ member: "SqlClient.afterCommit", callback: 0, effect: true }],
  stores: [
    { member: ["Constructor.insert", "SqlClient.insert"], slot: { argument: 0 } },
    { member: ["Constructor.()", "SqlClient.()"], slot: { argument: 1 }, andFollowing: true, insertsIn: 0 },
    { member: ["Constructor.unsafe", "SqlClient.unsafe"], slot: { argument: 1 }, insertsIn: 0 },
  ],
};
