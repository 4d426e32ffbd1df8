/** Each adapter's `tx.handle` is the library's own handle, so functions that take one need no cast. */
import type { EntityManager as MikroOrmManager, MikroORM } from "@mikro-orm/postgresql";
import type { BetterSQLite3Database, drizzle as drizzleOnSqlite } from "drizzle-orm/better-sqlite3";
import type { drizzle as drizzleOnMysql2 } from "drizzle-orm/mysql2";
import type { drizzle as drizzleOnPg } from "drizzle-orm/node-postgres";
import type { drizzle as drizzleOnPostgresJs } from "drizzle-orm/postgres-js";
import type { Knex } from "knex";
import type { Kysely, Transaction as KyselyTransaction } from "kysely";
import type { Pool as MariadbPool, PoolConnection } from "mariadb";
import type postgres from "postgres";
import type { Sequelize, Transaction as SequelizeTransaction } from "sequelize";
import type { DataSource, EntityManager } from "typeorm";
import type { Database } from "../../src/databases/database.js";
import { drizzleDatabase } from "../../src/databases/drizzle.js";
import { knexDatabase } from "../../src/databases/knex.js";
import { kyselyDatabase } from "../../src/databases/kysely.js";
import { mariadbDatabase } from "../../src/databases/mariadb.js";
import { mikroOrmDatabase } from "../../src/databases/mikro-orm.js";
import { postgresDatabase } from "../../src/databases/postgres.js";
import { prismaDatabase } from "../../src/databases/prisma.js";
import { sequelizeDatabase } from "../../src/databases/sequelize.js";
import { typeormDatabase } from "../../src/databases/typeorm.js";
import type { Prisma, PrismaClient } from "../databases/prisma/generated/postgresql/client.js";

interface Shop {
  readonly orders: { readonly id: number };
}

type Is<Given, Wanted> = [Given] extends [Wanted] ? ([Wanted] extends [Given] ? true : false) : false;
/** What a library's own transaction gives to its callback. */
type GivenBy<Transaction extends (work: never) => unknown> = Parameters<Parameters<Transaction>[0]>[0];
type HandleOf<D> = D extends Database<infer Handle> ? Handle : never;

declare const libraries: {
  readonly prisma: PrismaClient;
  readonly drizzleOnPg: ReturnType<typeof drizzleOnPg<Record<string, never>>>;
  readonly drizzleOnPostgresJs: ReturnType<typeof drizzleOnPostgresJs<Record<string, never>>>;
  readonly drizzleOnMysql2: ReturnType<typeof drizzleOnMysql2<Record<string, never>>>;
  readonly drizzleOnSqlite: ReturnType<typeof drizzleOnSqlite<Record<string, never>>>;
  readonly knex: Knex;
  readonly kysely: Kysely<Shop>;
  readonly typeorm: DataSource;
  readonly postgres: postgres.Sql;
  readonly sequelize: Sequelize;
  readonly mikroOrm: MikroORM;
  readonly mariadb: MariadbPool;
};

const extended = (prisma: PrismaClient) =>
  prisma.$extends({ client: { hello: () => "hello" }, model: { conformance: { first: () => 1 } } });

export const databases = {
  prisma: prismaDatabase(libraries.prisma),
  extendedPrisma: prismaDatabase(extended(libraries.prisma)),
  drizzleOnPg: drizzleDatabase(libraries.drizzleOnPg),
  drizzleOnPostgresJs: drizzleDatabase(libraries.drizzleOnPostgresJs),
  drizzleOnMysql2: drizzleDatabase(libraries.drizzleOnMysql2),
  drizzleOnSqlite: drizzleDatabase(libraries.drizzleOnSqlite),
  knex: knexDatabase(libraries.knex),
  kysely: kyselyDatabase(libraries.kysely),
  typeorm: typeormDatabase(libraries.typeorm),
  postgres: postgresDatabase(libraries.postgres),
  sequelize: sequelizeDatabase(libraries.sequelize),
  mikroOrm: mikroOrmDatabase(libraries.mikroOrm),
  mariadb: mariadbDatabase(libraries.mariadb),
};

type Handles = { readonly [Name in keyof typeof databases]: HandleOf<(typeof databases)[Name]> };

export const exact: {
  readonly prisma: Is<Handles["prisma"], Prisma.TransactionClient>;
  readonly drizzleOnPg: Is<Handles["drizzleOnPg"], GivenBy<typeof libraries.drizzleOnPg.transaction>>;
  readonly drizzleOnPostgresJs: Is<
    Handles["drizzleOnPostgresJs"],
    GivenBy<typeof libraries.drizzleOnPostgresJs.transaction>
  >;
  readonly drizzleOnMysql2: Is<Handles["drizzleOnMysql2"], GivenBy<typeof libraries.drizzleOnMysql2.transaction>>;
  readonly knex: Is<Handles["knex"], Knex.Transaction>;
  readonly kysely: Is<Handles["kysely"], KyselyTransaction<Shop>>;
  readonly typeorm: Is<Handles["typeorm"], EntityManager>;
  readonly postgres: Is<Handles["postgres"], postgres.TransactionSql>;
  readonly sequelize: Is<Handles["sequelize"], SequelizeTransaction>;
  readonly mikroOrm: Is<Handles["mikroOrm"], MikroORM["em"]>;
  readonly mariadb: Is<Handles["mariadb"], PoolConnection>;
} = {
  prisma: true,
  drizzleOnPg: true,
  drizzleOnPostgresJs: true,
  drizzleOnMysql2: true,
  knex: true,
  kysely: true,
  typeorm: true,
  postgres: true,
  sequelize: true,
  mikroOrm: true,
  mariadb: true,
};

/** Functions of an application, which know nothing of this package. */
declare function onSqlite(db: BetterSQLite3Database): Promise<void>;
declare function onMikroOrm(em: MikroOrmManager): Promise<void>;

export async function use(handles: Handles): Promise<void> {
  await onSqlite(handles.drizzleOnSqlite);
  await onMikroOrm(handles.mikroOrm);
  await handles.prisma.conformance.create({ data: { id: 1 } });
  await handles.extendedPrisma.conformance.create({ data: { id: handles.extendedPrisma.conformance.first() } });
  await handles.knex("orders").insert({ id: 1 });
  await handles.postgres`insert into orders values (1)`;
}
