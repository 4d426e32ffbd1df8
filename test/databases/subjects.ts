import { betterSqlite3Subject } from "./subjects/better-sqlite3.js";
import { drizzleOnMysql, drizzleOnNodePostgres, drizzleOnPostgres, drizzleOnSqlite } from "./subjects/drizzle.js";
import { knexOnMysql, knexOnPostgres } from "./subjects/knex.js";
import { kyselyOnMysql, kyselyOnPostgres } from "./subjects/kysely.js";
import { mariadbSubject } from "./subjects/mariadb.js";
import { mikroOrmOnPostgres } from "./subjects/mikro-orm.js";
import { mysql2Subject } from "./subjects/mysql2.js";
import { nodeSqliteSubject } from "./subjects/node-sqlite.js";
import { pgSubject } from "./subjects/pg.js";
import { pgliteSubject } from "./subjects/pglite.js";
import { postgresSubject } from "./subjects/postgres.js";
import { prismaOnMysql, prismaOnPostgres } from "./subjects/prisma.js";
import { sequelizeOnMysql, sequelizeOnPostgres } from "./subjects/sequelize.js";
import type { Subject } from "./subjects/subject.js";
import { typeormOnMysql, typeormOnPostgres } from "./subjects/typeorm.js";

/** One driver for each kind of database: what a test of something else than an adapter runs on. */
export const subjects: readonly Subject[] = [pgSubject, mysql2Subject, betterSqlite3Subject, pgliteSubject];

/** With the libraries that most programs use above them: for the suites whose statements the core sends. */
export const driversAndMostUsed: readonly Subject[] = [
  ...subjects,
  prismaOnPostgres,
  prismaOnMysql,
  drizzleOnNodePostgres,
  knexOnPostgres,
  typeormOnPostgres,
  typeormOnMysql,
];

/** Every adapter, on every kind of database that it knows. */
export const everySubject: readonly Subject[] = [
  ...subjects,
  prismaOnPostgres,
  prismaOnMysql,
  drizzleOnNodePostgres,
  drizzleOnPostgres,
  drizzleOnMysql,
  drizzleOnSqlite,
  knexOnPostgres,
  knexOnMysql,
  kyselyOnPostgres,
  kyselyOnMysql,
  typeormOnPostgres,
  typeormOnMysql,
  postgresSubject,
  nodeSqliteSubject,
  sequelizeOnPostgres,
  sequelizeOnMysql,
  mikroOrmOnPostgres,
  mariadbSubject,
];

export { postgresPort, type Opened, type Subject } from "./subjects/subject.js";
