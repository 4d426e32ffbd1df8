import type { Library } from "./vocabulary.js";

/** Databases and transactions by dialect: those that declare `transaction`, then what drivers call theirs. */
const postgres = [
  "PgDatabase",
  "PgTransaction",
  "AwsDataApiPgDatabase",
  "AwsDataApiTransaction",
  "BunSQLDatabase",
  "BunSQLTransaction",
  "NeonDatabase",
  "NeonHttpDatabase",
  "NeonTransaction",
  "NetlifyDbDatabase",
  "NetlifyDbTransaction",
  "NodePgDatabase",
  "NodePgTransaction",
  "PgliteDatabase",
  "PgliteTransaction",
  "PgProxyTransaction",
  "PgRemoteDatabase",
  "PostgresJsDatabase",
  "PostgresJsTransaction",
  "VercelPgDatabase",
  "VercelPgTransaction",
  "XataHttpDatabase",
  "XataTransaction",
];
const mysql = [
  "MySqlDatabase",
  "MySqlTransaction",
  "MySql2Database",
  "MySql2Transaction",
  "MySqlProxyTransaction",
  "MySqlRemoteDatabase",
  "PlanetScaleDatabase",
  "PlanetScaleTransaction",
  "TiDBServerlessDatabase",
  "TiDBServerlessTransaction",
];
const sqlite = [
  "BaseSQLiteDatabase",
  "SQLiteTransaction",
  "BetterSQLite3Database",
  "BetterSQLiteTransaction",
  "BunSQLiteDatabase",
  "D1Transaction",
  "DrizzleD1Database",
  "DrizzleSqliteDODatabase",
  "ExpoSQLiteDatabase",
  "ExpoSQLiteTransaction",
  "LibSQLDatabase",
  "LibSQLTransaction",
  "OPSQLiteDatabase",
  "OPSQLiteTransaction",
  "SQLiteBunTransaction",
  "SQLiteDOTransaction",
  "SQLiteProxyTransaction",
  "SQLJsDatabase",
  "SQLJsTransaction",
  "SqliteRemoteDatabase",
];
const singlestore = [
  "SingleStoreDatabase",
  "SingleStoreTransaction",
  "SingleStoreDriverDatabase",
  "SingleStoreDriverTransaction",
  "SingleStoreProxyTransaction",
  "SingleStoreRemoteDatabase",
];
const gel = ["GelDatabase", "GelTransaction", "GelJsDatabase", "GelDbTransaction"];

/** What 1.0 adds to them (read in rc.5). In the Effect ones the callback returns an Effect. */
const postgresInOne = [
  "PgAsyncDatabase",
  "PgAsyncTransaction",
  "PostgresDatabase",
  "PostgresHttpDatabase",
  "PostgresAuroraDatabase",
  "CockroachDatabase",
  "CockroachTransaction",
  "NodeCockroachDatabase",
  "PgEffectDatabase",
  "PgEffectTransaction",
  "EffectPgDatabase",
];
const mysqlInOne = [
  "MySqlAsyncDatabase",
  "MySqlAsyncTransaction",
  "BunMySqlDatabase",
  "MySqlEffectDatabase",
  "MySqlEffectTransaction",
  "EffectMysql2Database",
];
const sqliteInOne = [
  "SQLiteAsyncDatabase",
  "SQLiteAsyncTransaction",
  "ExpoSQLiteAsyncDatabase",
  "NodeSQLiteDatabase",
  "SQLiteBunDatabase",
  "SQLiteCloudDatabase",
  "TursoDatabaseDatabase",
  "SQLiteEffectDatabase",
  "SQLiteEffectTransaction",
];
const sqlserverInOne = ["MsSqlDatabase", "MsSqlTransaction", "NodeMsSqlDatabase"];

const everything = [
  postgres,
  mysql,
  sqlite,
  singlestore,
  gel,
  postgresInOne,
  mysqlInOne,
  sqliteInOne,
  sqlserverInOne,
].flat();
const transactionOf = (container: string) => `${container}.transaction`;
const insertOf = (container: string) => `${container}.insert()`;

export const drizzleOrm: Library = {
  name: "Drizzle ORM",
  packages: ["drizzle-orm"],
  together: "queued",
  pipelinesOver: ["postgres", "bun"],
  values: {
    // Every driver's function is called `drizzle`; which dialect it makes is in the path of the import.
    PgDatabase: ["drizzle()", "withReplicas()"],
    MySqlDatabase: "drizzle()",
    BaseSQLiteDatabase: "drizzle()",
    PgInsertBuilder: postgres.map(insertOf),
    MySqlInsertBuilder: mysql.map(insertOf),
    SQLiteInsertBuilder: sqlite.map(insertOf),
    SingleStoreInsertBuilder: singlestore.map(insertOf),
    GelInsertBuilder: gel.map(insertOf),
  },
  transactions: [
    { open: postgres.map(transactionOf), callback: 0, handle: 0, handleType: "PgTransaction" },
    { open: mysql.map(transactionOf), callback: 0, handle: 0, handleType: "MySqlTransaction" },
    {
      open: sqlite.map(transactionOf),
      callback: 0,
      handle: 0,
      handleType: "SQLiteTransaction",
      sharesConnection: true,
    },
    { open: singlestore.map(transactionOf), callback: 0, handle: 0, handleType: "SingleStoreTransaction" },
    { open: gel.map(transactionOf), callback: 0, handle: 0, handleType: "GelTransaction" },
    { open: postgresInOne.map(transactionOf), callback: 0, handle: 0, handleType: "PgAsyncTransaction" },
    { open: mysqlInOne.map(transactionOf), callback: 0, handle: 0, handleType: "MySqlAsyncTransaction" },
    {
      open: sqliteInOne.map(transactionOf),
      callback: 0,
      handle: 0,
      handleType: "SQLiteAsyncTransaction",
      sharesConnection: true,
    },
    { open: sqlserverInOne.map(transactionOf), callback: 0, handle: 0, handleType: "MsSqlTransaction" },
  ],
  sql: [
    { member: "*.execute", on: "pool" },
    // SQLite drivers hold one connection.
    { member: ["BaseSQLiteDatabase.run", "SQLiteAsyncDatabase.run"], on: "connection" },
  ],
  beside: {},
  hiddenRollback: {
    handles: [...postgres, "PgAsyncTransaction"].filter((name) => name.endsWith("Transaction")),
    unless: ["postgres", "bun"],
  },
  handles: [{ type: everything.filter((container) => container.endsWith("Transaction")), proves: true }],
  insertIgnores: [{ member: ["MySqlInsertBuilder.ignore", "SingleStoreInsertBuilder.ignore"], as: "INSERT IGNORE" }],
  reads: [
    {
      member: [
        "PgSelectBuilder.from",
        "MySqlSelectBuilder.from",
        "SQLiteSelectBuilder.from",
        "SingleStoreSelectBuilder.from",
        "GelSelectBuilder.from",
      ],
      table: 0,
    },
    { member: ["RelationalQueryBuilder.findFirst", "RelationalQueryBuilder.findMany"], table: "receiver" },
  ],
  inserts: [
    {
      member: [
        "PgInsertBuilder.values",
        "MySqlInsertBuilder.values",
        "SQLiteInsertBuilder.values",
        "SingleStoreInsertBuilder.values",
        "GelInsertBuilder.values",
      ],
      table: "chain",
      instead: "`.onConflictDoNothing()` or `.onConflictDoUpdate(…)`",
    },
  ],
  stores: [
    {
      member: [
        "PgInsertBuilder.values",
        "MySqlInsertBuilder.values",
        "SQLiteInsertBuilder.values",
        "SingleStoreInsertBuilder.values",
        "GelInsertBuilder.values",
        "CockroachInsertBuilder.values",
        "MsSqlInsertBuilder.values",
      ],
      slot: { argument: 0 },
    },
  ],
};
