import { PrismaMariaDb } from "@prisma/adapter-mariadb";
import { PrismaPg } from "@prisma/adapter-pg";
import { prismaDatabase } from "../../../src/databases/prisma.js";
import { PrismaClient as MysqlClient } from "../prisma/generated/mysql/client.js";
import { PrismaClient as PostgresClient, type Prisma } from "../prisma/generated/postgresql/client.js";
import { listenedPgPool, onMysql, onPostgres, pgInUse } from "./subject.js";

const execute = async (handle: unknown, sql: string) => {
  await (handle as Prisma.TransactionClient).$executeRawUnsafe(sql);
};

export const prismaOnPostgres = onPostgres("prisma on pg", (place) => {
  const pool = listenedPgPool(place);
  const prisma = new PostgresClient({ adapter: new PrismaPg(pool, { schema: place.schema }) });
  return {
    database: prismaDatabase(prisma),
    on: execute,
    inUse: () => pgInUse(pool),
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  };
});

export const prismaOnMysql = onMysql("prisma on mariadb", ({ max, ...server }) => {
  const prisma = new MysqlClient({ adapter: new PrismaMariaDb({ ...server, connectionLimit: max }) });
  return {
    database: prismaDatabase(prisma),
    on: execute,
    inUse: () => 0,
    close: () => prisma.$disconnect(),
  };
});
