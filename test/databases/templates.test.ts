/** Libraries that take SQL as templates: a COMMIT in one is seen, too. */
import { sql as drizzleSql, type SQL } from "drizzle-orm";
import { sql as kyselySql, type Transaction as KyselyTransaction } from "kysely";
import type postgres from "postgres";
import type { EntityManager } from "typeorm";
import { expect, test } from "vitest";
import { ConfigurationError } from "../../src/errors.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import type { Prisma } from "./prisma/generated/postgresql/client.js";
import { drizzleOnNodePostgres } from "./subjects/drizzle.js";
import { kyselyOnPostgres } from "./subjects/kysely.js";
import { postgresSubject } from "./subjects/postgres.js";
import { prismaOnPostgres } from "./subjects/prisma.js";
import type { Subject } from "./subjects/subject.js";
import { typeormOnPostgres } from "./subjects/typeorm.js";

interface Case {
  readonly subject: Subject;
  readonly how: string;
  readonly commit: (handle: unknown) => PromiseLike<unknown>;
}

const cases: readonly Case[] = [
  { subject: postgresSubject, how: "sql`commit`", commit: (handle) => (handle as postgres.TransactionSql)`commit` },
  {
    subject: prismaOnPostgres,
    how: "$executeRaw`commit`",
    commit: (handle) => (handle as Prisma.TransactionClient).$executeRaw`commit`,
  },
  {
    subject: drizzleOnNodePostgres,
    how: "execute(sql`commit`)",
    commit: (handle) => (handle as { execute(query: SQL): Promise<unknown> }).execute(drizzleSql`commit`),
  },
  {
    subject: kyselyOnPostgres,
    how: "sql`commit`.execute(trx)",
    commit: (handle) => kyselySql`commit`.execute(handle as KyselyTransaction<unknown>),
  },
  {
    subject: typeormOnPostgres,
    how: "queryRunner.commitTransaction()",
    commit: async (handle) => (handle as EntityManager).queryRunner?.commitTransaction(),
  },
];

test.each(cases.filter(({ subject }) => subject.available))(
  "$subject.name: $how is refused",
  async ({ subject, commit }) => {
    const opened = await subject.open();
    try {
      await opened.database.query("create table templates (id integer)");
      const run = createTransactionManager(opened.database).run(async (tx) => {
        await opened.on(tx.handle, "insert into templates values (1)");
        await commit(tx.handle);
      });
      await expect(run).rejects.toThrow(ConfigurationError);
      expect((await opened.database.query("select id from templates")).rows).toEqual([]);
      expect(opened.inUse()).toBe(0);
    } finally {
      await opened.close();
    }
  },
);
