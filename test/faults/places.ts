/** Where a shop keeps its data, and how it is opened there. For children and for tests: no test framework, and what a
 * process does not need is not loaded, because most of a child's time goes into starting. */
import type { Database, Queues } from "aftercommit";
import { sqliteQueues } from "./sqlite-queues.ts";

export type DatabasePlace =
  | {
      readonly kind: "pg" | "prisma" | "drizzle";
      readonly port: number;
      readonly schema: string;
      /** Whether a commit is on the disk when it is confirmed: slower, and needed only where the server is killed. */
      readonly durable: boolean;
    }
  | { readonly kind: "mysql2"; readonly port: number; readonly database: string }
  | { readonly kind: "better-sqlite3"; readonly file: string };

export type QueuesPlace =
  | { readonly kind: "bullmq"; readonly port: number; readonly prefix: string }
  | { readonly kind: "pg-boss" | "graphile-worker"; readonly schema: string }
  | { readonly kind: "sqs"; readonly endpoint: string }
  /** A file of its own, as Redis is one: sending must not end up in a transaction that happens to be open. */
  | { readonly kind: "sqlite"; readonly file: string };

/** What a child is told. */
export interface Place {
  readonly database: DatabasePlace;
  readonly queues: QueuesPlace;
}

export interface OpenedDatabase {
  readonly database: Database;
  close(): Promise<void>;
}

export interface OpenedQueues {
  readonly queues: Queues;
  close(): Promise<void>;
}

export const server = { host: "127.0.0.1", user: "postgres", database: "test" };

export async function openDatabase(place: DatabasePlace): Promise<OpenedDatabase> {
  switch (place.kind) {
    case "better-sqlite3": {
      const { betterSqlite3Database } = await import("aftercommit/databases/better-sqlite3");
      const db = await openFile(place.file);
      return {
        database: betterSqlite3Database(db, { busyTimeout: 20 }),
        close: () => Promise.resolve(void db.close()),
      };
    }
    case "mysql2": {
      const { default: mysql } = await import("mysql2/promise");
      const { mysql2Database } = await import("aftercommit/databases/mysql2");
      const pool = mysql.createPool({
        ...{ host: server.host, port: place.port, user: "root", database: place.database },
        connectionLimit: 3,
      });
      return { database: mysql2Database(pool), close: () => pool.end() };
    }
    default: {
      const pool = await poolOf(place);
      const opened = await onPool(place, pool);
      return {
        database: opened.database,
        close: async () => {
          await opened.close();
          await pool.end();
        },
      };
    }
  }
}

type PostgresPlace = Extract<DatabasePlace, { readonly durable: boolean }>;

async function poolOf({ port, schema, durable }: PostgresPlace) {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    ...server,
    port,
    max: 3,
    options: `-c search_path=${schema} -c synchronous_commit=${durable ? "on" : "off"}`,
  });
  // Prisma and Drizzle put no listener on the clients that they take.
  pool.on("error", () => undefined).on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

async function onPool({ kind, schema }: PostgresPlace, pool: Awaited<ReturnType<typeof poolOf>>) {
  const nothing = () => Promise.resolve();
  switch (kind) {
    case "pg": {
      const { pgDatabase } = await import("aftercommit/databases/pg");
      return { database: pgDatabase(pool), close: nothing };
    }
    case "drizzle": {
      const { drizzle } = await import("drizzle-orm/node-postgres");
      const { drizzleDatabase } = await import("aftercommit/databases/drizzle");
      return { database: drizzleDatabase(drizzle(pool)), close: nothing };
    }
    case "prisma": {
      const { PrismaPg } = await import("@prisma/adapter-pg");
      const { PrismaClient } = await import("../databases/prisma/generated/postgresql/client.ts");
      const { prismaDatabase } = await import("aftercommit/databases/prisma");
      const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema }) });
      return { database: prismaDatabase(prisma), close: () => prisma.$disconnect() };
    }
  }
}

export async function openQueues(place: QueuesPlace): Promise<OpenedQueues> {
  switch (place.kind) {
    case "sqlite": {
      const db = await openFile(place.file);
      return { queues: sqliteQueues(db), close: () => Promise.resolve(void db.close()) };
    }
    case "bullmq": {
      const { bullmqQueues } = await import("aftercommit/queues/bullmq");
      const connection = { host: server.host, port: place.port, retryStrategy: () => 50 };
      const queues = bullmqQueues({ connection, prefix: place.prefix, sendTimeout: 1 });
      return { queues, close: () => queues.close() };
    }
    case "pg-boss": {
      const { pgBossQueues } = await import("aftercommit/queues/pg-boss");
      const boss = await startBoss(place.schema);
      const queues = pgBossQueues({ boss, schema: place.schema, pollingInterval: 0.1 });
      return {
        queues,
        close: async () => {
          await queues.close();
          await boss.stop({ graceful: false });
        },
      };
    }
    case "graphile-worker": {
      const { default: pg } = await import("pg");
      const { graphileWorkerQueues } = await import("aftercommit/queues/graphile-worker");
      const pool = new pg.Pool({ ...server, max: 2 });
      pool.on("error", () => undefined).on("connect", (client) => client.on("error", () => undefined));
      const queues = graphileWorkerQueues({ pool, schema: place.schema, pollingInterval: 0.05 });
      return {
        queues,
        close: async () => {
          await queues.close();
          await pool.end();
        },
      };
    }
    case "sqs": {
      const { sqsQueues } = await import("aftercommit/queues/sqs");
      const client = await openSqs(place.endpoint);
      const queues = sqsQueues({ client, queueUrl: (queue) => urlOf(place.endpoint, queue) });
      return {
        queues,
        close: async () => {
          await queues.close();
          client.destroy();
        },
      };
    }
  }
}

/** pg-boss with the shortest intervals that it takes. */
export async function startBoss(schema: string) {
  const { PgBoss } = await import("pg-boss");
  const boss = new PgBoss({
    ...{ ...server, schema, max: 2, schedule: false, useListenNotify: false },
    ...{ superviseIntervalSeconds: 1, monitorIntervalSeconds: 1 },
  });
  boss.on("error", () => undefined).on("warning", () => undefined);
  return boss.start();
}

export async function openSqs(endpoint: string) {
  const { SQS } = await import("@aws-sdk/client-sqs");
  return new SQS({ endpoint, region: "us-east-1", credentials: { accessKeyId: "test", secretAccessKey: "test" } });
}

export const urlOf = (endpoint: string, queue: string) => `${endpoint}/000000000000/${queue}`;

async function openFile(file: string) {
  const { default: BetterSqlite3 } = await import("better-sqlite3");
  const db = new BetterSqlite3(file, { timeout: 20_000 });
  db.pragma("journal_mode = wal");
  db.pragma("synchronous = off");
  return db;
}
