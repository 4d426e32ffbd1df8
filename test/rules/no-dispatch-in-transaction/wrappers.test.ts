import { noDispatchInTransaction as rule } from "../../../rules/no-dispatch-in-transaction.js";
import { lintCases } from "../lint-cases.js";

const queue = `import { Queue } from "bullmq"; const queue = new Queue("mail");`;
const prisma = `import { PrismaClient, type Prisma } from "@prisma/client"; const prisma = new PrismaClient();`;

lintCases("Wrappers: functions of the project that open a transaction", rule, {
  "one that hands its parameter to the library": `${queue} ${prisma}
export async function withTx<T>(work: (tx: Prisma.TransactionClient) => Promise<T>): Promise<T> { return prisma.$transaction(work); }
export async function place() {
  await withTx(async (tx) => {
    await queue.add("mail", {}); // report
  });
  await queue.add("mail", {});
}`,
  "one that calls its parameter inside": `${queue} ${prisma}
const inTransaction = async <T>(work: (tx: Prisma.TransactionClient) => Promise<T>) => prisma.$transaction(async (tx) => { const result = await work(tx); return result; });
export async function place() {
  await inTransaction(async (tx) => {
    await queue.add("mail", {}); // report
  });
}`,
  "one that goes through another": `${queue} ${prisma}
function withTx<T>(work: (tx: Prisma.TransactionClient) => Promise<T>) { return prisma.$transaction(work); }
function withAudit<T>(name: string, work: (tx: Prisma.TransactionClient) => Promise<T>) { return withTx(async (tx) => work(tx)); }
export async function place() {
  await withAudit("place", async (tx) => {
    await queue.add("mail", {}); // report
  });
}`,
  "one that takes an object with the function": `${queue} ${prisma}
async function run<T>(options: { name: string; work: (tx: Prisma.TransactionClient) => Promise<T>; after?: () => Promise<unknown> }) {
  const result = await prisma.$transaction((tx) => options.work(tx));
  await options.after?.();
  return result;
}
export async function place() {
  await run({
    name: "place",
    work: async (tx) => {
      await queue.add("mail", {}); // report
    },
    after: async () => { await queue.add("mail", {}); },
  });
}`,
  "one with a destructured object": `${queue} ${prisma}
async function run<T>({ work, onCommit }: { work: (tx: Prisma.TransactionClient) => Promise<T>; onCommit: () => Promise<unknown> }) {
  const result = await prisma.$transaction(async (tx) => work(tx));
  await onCommit();
  return result;
}
export async function place() {
  await run({
    work: async (tx) => {
      await queue.add("mail", {}); // report
    },
    onCommit: async () => queue.add("mail", {}),
  });
}`,
  "one that begins and commits by hand": `${queue}
import { Pool, type PoolClient } from "pg"; const pool = new Pool();
async function transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}
export async function place() {
  await transaction(async (client) => {
    await queue.add("mail", {}); // report
  });
  await queue.add("mail", {});
}`,
  "one that calls its parameter after the commit": `${queue}
import { Pool } from "pg"; const pool = new Pool();
async function committed(after: () => Promise<unknown>) {
  const client = await pool.connect();
  await client.query("BEGIN");
  await client.query("COMMIT");
  await after();
}
export const place = () => committed(async () => { await queue.add("mail", {}); });`,
  "one made by a factory": `${queue} ${prisma}
const makeTransaction = (client: PrismaClient) => async <T>(work: (tx: Prisma.TransactionClient) => Promise<T>) => client.$transaction(work);
const transaction = makeTransaction(prisma);
export async function place() {
  await transaction(async (tx) => {
    await queue.add("mail", {}); // report
  });
}`,
  "a method of a base class": `${queue}
import { DataSource, type EntityManager } from "typeorm";
abstract class Repository {
  constructor(protected readonly dataSource: DataSource) {}
  protected transact<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> { return this.dataSource.transaction(work); }
}
export class Orders extends Repository {
  async place() {
    await this.transact(async (manager) => {
      await queue.add("mail", {}); // report
    });
  }
}`,
  "a method of an injected unit of work": {
    "main.ts": `${queue} import { UnitOfWork } from "./unit-of-work.js";
export class Orders {
  constructor(private readonly work: UnitOfWork) {}
  async place() {
    await this.work.run(async () => {
      await queue.add("mail", {}); // report typed
    });
    await this.work.read(async () => { await queue.add("mail", {}); });
  }
}`,
    "unit-of-work.ts": `import { DataSource, type EntityManager } from "typeorm";
export class UnitOfWork {
  constructor(private readonly dataSource: DataSource) {}
  run<T>(work: (manager: EntityManager) => Promise<T>) { return this.dataSource.transaction("SERIALIZABLE", async (manager) => work(manager)); }
  read<T>(work: () => Promise<T>) { return work(); }
}`,
  },
  "an interface with one known implementation": {
    "main.ts": `${queue} import type { Transactions } from "./transactions.js";
export class Orders {
  constructor(private readonly transactions: Transactions) {}
  async place() {
    await this.transactions.transactional(async () => {
      await queue.add("mail", {}); // report typed
    });
  }
}`,
    "transactions.ts": `import { DataSource } from "typeorm";
export interface Transactions { transactional<T>(work: () => Promise<T>): Promise<T>; }
export class TypeormTransactions implements Transactions {
  constructor(private readonly dataSource: DataSource) {}
  transactional<T>(work: () => Promise<T>) { return this.dataSource.transaction(() => work()); }
}`,
  },
  "a decorator of the project": {
    "main.ts": `${queue} import { InTransaction } from "./in-transaction.js";
export class Orders {
  @InTransaction()
  async place() {
    await queue.add("mail", {}); // report typed
  }
}`,
    "in-transaction.ts": `${prisma}
export function InTransaction(): MethodDecorator {
  return (target, key, descriptor: PropertyDescriptor) => {
    const original = descriptor.value;
    descriptor.value = async function (...args: unknown[]) {
      return prisma.$transaction(async () => original.apply(this, args));
    };
    return descriptor;
  };
}`,
  },
  "re-exported under another name, behind a path alias": {
    "main.ts": `${queue} import { atomically } from "@case/database/index.js";
export async function place() {
  await atomically(async () => {
    await queue.add("mail", {}); // report typed
  });
}`,
    "database/index.ts": `export { withTransaction as atomically } from "./transaction.js";`,
    "database/transaction.ts": `import knexLib, { type Knex } from "knex"; const knex = knexLib({});
export async function withTransaction<T>(work: (trx: Knex.Transaction) => Promise<T>) { return knex.transaction(work); }`,
  },
  "functions that begin and end the transaction": `${queue}
import { DataSource, type QueryRunner } from "typeorm"; const dataSource = new DataSource({} as never);
async function begin(runner: QueryRunner) { await runner.connect(); await runner.startTransaction(); }
async function commit(runner: QueryRunner) { await runner.commitTransaction(); await runner.release(); }
export async function place() {
  const runner = dataSource.createQueryRunner();
  await begin(runner);
  await queue.add("mail", {}); // report
  await commit(runner);
  await queue.add("mail", {});
}`,
  "a class that keeps the transaction": `${queue}
import { Sequelize, type Transaction } from "sequelize";
class UnitOfWork {
  private transaction?: Transaction;
  constructor(private readonly sequelize: Sequelize) {}
  async start() { this.transaction = await this.sequelize.transaction(); }
  async complete() { await this.transaction!.commit(); }
}
export async function place(sequelize: Sequelize) {
  const work = new UnitOfWork(sequelize);
  await work.start();
  await queue.add("mail", {}); // report
  await work.complete();
  await queue.add("mail", {});
}`,
  "one that retries": `${queue} ${prisma}
async function retry<T>(work: () => Promise<T>): Promise<T> { for (;;) { try { return await work(); } catch { /* again */ } } }
export async function place() {
  await retry(() => prisma.$transaction(async (tx) => {
    await queue.add("mail", {}); // report
  }));
  await retry(async () => { await queue.add("mail", {}); });
}`,
  "one that runs its parameter with and without a transaction is none": `${queue} ${prisma}
async function measured<T>(work: () => Promise<T>) { const started = Date.now(); try { return await work(); } finally { console.log(Date.now() - started); } }
export const place = () => measured(async () => { await queue.add("mail", {}); });`,
});

lintCases("Wrappers: HTTP middleware", rule, {
  "a middleware of Koa that runs `next` inside": {
    "main.ts": `${queue} import Router from "@koa/router"; import { transaction } from "./transaction.js"; const router = new Router();
router.post("/orders", transaction(), async (ctx: unknown) => {
  await queue.add("mail", {}); // report typed
});
router.get("/orders", async (ctx: unknown) => { await queue.add("mail", {}); });`,
    "transaction.ts": `import { Sequelize } from "sequelize"; const sequelize = new Sequelize("x");
export function transaction() {
  return async function transactionMiddleware(ctx: { state: Record<string, unknown> }, next: () => Promise<void>) {
    await sequelize.transaction(async (t) => {
      ctx.state.transaction = t;
      return next();
    });
  };
}`,
  },
  "one that is named without a call, in one file": `${queue} ${prisma}
import express from "express"; const app = express();
const inTransaction = async (req: unknown, res: unknown, next: () => unknown) => { await prisma.$transaction(async (tx) => { await next(); }); };
const before = async (req: unknown, res: unknown) => { await queue.add("before", {}); };
app.post("/orders", before, inTransaction, async (req: unknown, res: unknown) => {
  await queue.add("mail", {}); // report
});`,
  "a middleware that opens nothing around `next`": `${queue} ${prisma}
import express from "express"; const app = express();
const logged = async (req: unknown, res: unknown, next: () => unknown) => { await prisma.$transaction(async (tx) => { await tx.order.findMany(); }); await next(); };
app.post("/orders", logged, async (req: unknown, res: unknown) => { await queue.add("mail", {}); });`,
});
