/** Prisma's own time limit for a transaction, which rolls back and lets the function run on. */
import { setTimeout as sleep } from "node:timers/promises";
import { PrismaPg } from "@prisma/adapter-pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { prismaDatabase } from "../../src/databases/prisma.js";
import { RolledBackError } from "../../src/errors.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { PrismaClient, type Prisma } from "./prisma/generated/postgresql/client.js";
import { listenedPgPool, onPostgres, pgInUse, type Opened } from "./subjects/subject.js";

const impatient = onPostgres("prisma with a short limit", (place) => {
  const pool = listenedPgPool(place);
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: place.schema }) });
  return {
    database: prismaDatabase(prisma, { timeout: 0.1 }),
    on: () => Promise.reject(new Error("not used")),
    inUse: () => pgInUse(pool),
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  };
});

describe.skipIf(!impatient.available)("on PostgreSQL", () => {
  let opened: Opened;
  let transactions: TransactionManager;
  let ran: string[];

  beforeAll(async () => {
    opened = await impatient.open();
    transactions = createTransactionManager(opened.database);
    await opened.database.query("create table conformance (id integer not null primary key)");
  });
  beforeEach(() => {
    ran = [];
  });
  afterAll(() => opened.close());

  async function overTime(then: (handle: Prisma.TransactionClient) => Promise<unknown>): Promise<unknown> {
    const run = transactions.run(async (tx) => {
      tx.afterCommit(() => ran.push("committed"));
      tx.afterRollback(() => ran.push("rolled back"));
      const handle = tx.handle as Prisma.TransactionClient;
      await handle.conformance.create({ data: { id: 1 } });
      await sleep(300);
      await then(handle);
    });
    const error = await run.catch((reason: unknown) => reason);
    const { rows } = await opened.database.query("select id from conformance");
    expect(rows).toEqual([]);
    expect(ran).toEqual(["rolled back"]);
    expect(opened.inUse()).toBe(0);
    return error;
  }

  test("a function that outlives the limit commits nothing, although all its statements had succeeded", async () => {
    expect(await overTime(() => Promise.resolve())).toBeInstanceOf(RolledBackError);
  });

  test("a statement after the limit fails with Prisma's error", async () => {
    const error = await overTime((handle) => handle.conformance.create({ data: { id: 2 } }));
    expect(error).toMatchObject({ code: "P2028" });
  });
});
