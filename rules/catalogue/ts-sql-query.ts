import type { Library } from "./vocabulary.js";

const connections = [
  "AbstractConnection",
  "PostgreSqlConnection",
  "MySqlConnection",
  "MariaDBConnection",
  "SqliteConnection",
  "OracleConnection",
  "SqlServerConnection",
];
const on = (name: string) => connections.map((connection) => `${connection}.${name}`);

/** The connection itself is the handle. */
export const tsSqlQuery: Library = {
  name: "ts-sql-query",
  packages: ["ts-sql-query"],
  values: { InsertExpression: on("insertInto()") },
  transactions: [{ open: on("transaction"), callback: 0 }],
  manual: [
    {
      begin: on("beginTransaction"),
      handle: "receiver",
      commit: on("commit"),
      rollback: on("rollback"),
    },
  ],
  hooks: [{ registeredBy: on("executeBeforeNextCommit"), hook: { argument: 0 } }],
  afterCommit: [
    { member: on("executeAfterNextCommit"), callback: 0 },
    { member: on("executeAfterNextRollback"), callback: 0, after: "rollback" },
  ],
  stores: [
    {
      member: [
        "InsertExpression.values",
        "InsertExpression.set",
        "ExecutableInsertExpression.set",
        "MissingKeysInsertExpression.set",
        "ShapedInsertExpression.values",
        "ShapedInsertExpression.set",
      ],
      slot: { argument: 0 },
    },
  ],
};
