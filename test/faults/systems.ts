import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { Queue as BullQueue } from "bullmq";
import { ledgerDdl, outboxDdl, type Dialect } from "aftercommit";
import { startFauxqs } from "fauxqs";
import { Logger, runMigrations } from "graphile-worker";
import { Redis } from "ioredis";
import mysql from "mysql2/promise";
import pg from "pg";
import { postgresPort, subjects } from "../databases/subjects.js";
import { bullmq } from "../queues/subjects.js";
import { openSqs, server, startBoss, urlOf, type DatabasePlace, type Place, type QueuesPlace } from "./places.ts";
import { sqliteQueuesDdl } from "./sqlite-queues.ts";

export const redisPort = 6379;
const mysqlPort = 3306;

/** A database and a queue on which a shop can be opened, by several processes at once. */
export interface System {
  readonly name: string;
  readonly available: boolean;
  /** How many random schedules are run on it by default, and how many at once: each is up to five processes. */
  readonly schedules: number;
  readonly lanes: number;
  open(): Promise<OpenedSystem>;
}

export interface OpenedSystem extends Omit<OpenedQueuesPart, "place"> {
  readonly place: Place;
}

/** What a trial asks of a queue library, past the adapter. */
interface OpenedQueuesPart {
  readonly place: QueuesPlace;
  /** Makes a queue, where that is not the adapter's to do. */
  prepare(queue: string): Promise<void>;
  /** Forgets the jobs that were done, so that a message that is sent again is run again. */
  forgetDone(queue: string): Promise<void>;
  /** How many jobs of a queue are not done, and how many of them are given up. */
  notDone(queue: string): Promise<{ readonly waiting: number; readonly failed: number }>;
  /** How many messages were sent although the queue had them already, as far as it knows. */
  sentAgain(queue: string): Promise<number>;
  close(): Promise<void>;
}

interface OpenedDatabasePart {
  readonly place: DatabasePlace;
  close(): Promise<void>;
}

const ownName = () => `aftercommit_faults_${process.pid.toString()}_${randomBytes(4).toString("hex")}`;
const nothing = () => Promise.resolve();

const tables = (dialect: Dialect) =>
  `${outboxDdl(dialect)} ${ledgerDdl(dialect)}
   CREATE TABLE orders (id integer PRIMARY KEY);
   CREATE TABLE deliveries (order_id integer NOT NULL);
   CREATE TABLE effects (order_id integer NOT NULL);`;

async function onPostgres(sql: string, port = postgresPort): Promise<void> {
  const admin = new pg.Client({ ...server, port });
  await admin.connect();
  await admin.query(sql);
  await admin.end();
}

async function openPostgres(kind: "pg" | "prisma" | "drizzle", port = postgresPort, durable = false) {
  const schema = ownName();
  await onPostgres(`CREATE SCHEMA ${schema}; SET search_path = ${schema}; ${tables("postgres")}`, port);
  return {
    place: { kind, port, schema, durable },
    close: () => onPostgres(`DROP SCHEMA ${schema} CASCADE`, port),
  } satisfies OpenedDatabasePart;
}

async function openMysql(): Promise<OpenedDatabasePart> {
  const database = ownName();
  const admin = await mysql.createConnection({
    ...{ host: server.host, port: mysqlPort, user: "root", multipleStatements: true },
  });
  await admin.query(`CREATE DATABASE ${database}; USE ${database}; ${tables("mysql")}`);
  return {
    place: { kind: "mysql2", port: mysqlPort, database },
    close: async () => {
      await admin.query(`DROP DATABASE ${database}`);
      await admin.end();
    },
  };
}

function makeFile(file: string, ddl: string) {
  const db = new BetterSqlite3(file);
  db.pragma("journal_mode = wal");
  db.exec(ddl);
  return db;
}

function openSqlite(): Promise<OpenedDatabasePart> {
  const folder = mkdtempSync(join(tmpdir(), "aftercommit-faults-"));
  const file = join(folder, "shop.db");
  makeFile(file, tables("sqlite")).close();
  return Promise.resolve({
    place: { kind: "better-sqlite3", file },
    close: () => {
      rmSync(folder, { recursive: true });
      return Promise.resolve();
    },
  });
}

function openBullmq(): Promise<OpenedQueuesPart> {
  const prefix = ownName();
  const connection = new Redis({ host: server.host, port: redisPort, maxRetriesPerRequest: null });
  const queues = new Map<string, BullQueue>();
  const queueOf = (name: string) => {
    const queue = queues.get(name) ?? new BullQueue(name, { connection, prefix });
    queues.set(name, queue);
    return queue;
  };
  return Promise.resolve({
    place: { kind: "bullmq", port: redisPort, prefix },
    prepare: nothing,
    forgetDone: async (queue) => {
      await queueOf(queue).clean(0, 0, "completed");
    },
    notDone: async (queue) => {
      const counts = await queueOf(queue).getJobCounts("waiting", "active", "delayed", "prioritized", "failed");
      const { failed = 0, ...others } = counts;
      return { failed, waiting: Object.values(others).reduce((sum, count) => sum + count, 0) };
    },
    sentAgain: async (queue) => {
      const events = await connection.xrange(`${prefix}:${queue}:events`, "-", "+");
      return events.filter(([, fields]) => fields.includes("duplicated")).length;
    },
    close: async () => {
      for (const queue of queues.values()) await queue.close();
      const scan = connection.scanStream({ match: `${prefix}:*`, count: 1000 }) as AsyncIterable<string[]>;
      for await (const keys of scan) if (keys.length > 0) await connection.unlink(...keys);
      connection.disconnect();
    },
  });
}

async function openPgBoss(): Promise<OpenedQueuesPart> {
  const schema = ownName();
  const boss = await startBoss(schema);
  return {
    place: { kind: "pg-boss", schema },
    prepare: nothing,
    forgetDone: async (queue) => {
      const done = (await boss.findJobs(queue)).filter(({ state }) => state === "completed");
      const ids = done.map(({ id }) => id);
      if (ids.length > 0) await boss.deleteJob(queue, ids);
    },
    notDone: async (queue) => {
      if ((await boss.getQueue(queue)) === null) return { waiting: 0, failed: 0 };
      const states = (await boss.findJobs(queue)).map(({ state }) => state);
      const failed = states.filter((state) => state === "failed").length;
      return { failed, waiting: states.filter((state) => state !== "completed").length - failed };
    },
    sentAgain: () => Promise.resolve(0),
    close: async () => {
      await boss.stop({ graceful: false });
      await onPostgres(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
}

async function openGraphileWorker(): Promise<OpenedQueuesPart> {
  const schema = ownName();
  const pool = new pg.Pool({ ...server, max: 2 });
  pool.on("error", () => undefined).on("connect", (client) => client.on("error", () => undefined));
  await runMigrations({ pgPool: pool, schema, logger: new Logger(() => () => undefined) });
  return {
    place: { kind: "graphile-worker", schema },
    prepare: nothing,
    // It keeps none.
    forgetDone: nothing,
    notDone: async (queue) => {
      const { rows } = await pool.query<{ waiting: number; failed: number }>(
        `SELECT count(*) FILTER (WHERE failed)::integer AS failed, count(*) FILTER (WHERE NOT failed)::integer AS waiting
         FROM (SELECT attempts = max_attempts AND last_error IS NOT NULL AND locked_at IS NULL AS failed
           FROM ${schema}.jobs WHERE task_identifier = $1) AS job`,
        [queue],
      );
      return rows[0] ?? { waiting: 0, failed: 0 };
    },
    sentAgain: () => Promise.resolve(0),
    close: async () => {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    },
  };
}

async function openSqsQueues(): Promise<OpenedQueuesPart> {
  const fake = await startFauxqs({ port: 0, logger: false });
  const endpoint = fake.address;
  const client = await openSqs(endpoint);
  const counts = async (queue: string) => {
    const { Attributes = {} } = await client.getQueueAttributes({
      QueueUrl: urlOf(endpoint, queue),
      AttributeNames: ["All"],
    });
    const present = ["", "NotVisible", "Delayed"] as const;
    return present.reduce((sum, kind) => sum + Number(Attributes[`ApproximateNumberOfMessages${kind}`] ?? 0), 0);
  };
  return {
    place: { kind: "sqs", endpoint },
    prepare: async (queue) => {
      await client.createQueue({ QueueName: `${queue}-dead` });
      const { Attributes } = await client.getQueueAttributes({
        QueueUrl: urlOf(endpoint, `${queue}-dead`),
        AttributeNames: ["QueueArn"],
      });
      const redrive = { deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount: 1000 };
      await client.createQueue({
        QueueName: queue,
        Attributes: { VisibilityTimeout: "1", RedrivePolicy: JSON.stringify(redrive) },
      });
    },
    // It keeps none.
    forgetDone: nothing,
    notDone: async (queue) => ({ waiting: await counts(queue), failed: await counts(`${queue}-dead`) }),
    sentAgain: () => Promise.resolve(0),
    close: async () => {
      client.destroy();
      await fake.stop();
    },
  };
}

function openSqliteQueues(): Promise<OpenedQueuesPart> {
  const folder = mkdtempSync(join(tmpdir(), "aftercommit-faults-"));
  const file = join(folder, "queues.db");
  const queues = makeFile(file, sqliteQueuesDdl);
  const countIn = (queue: string, state: string) =>
    queues
      .prepare<string[], number>("SELECT count(*) FROM messages WHERE queue = ? AND state = ?")
      .pluck()
      .get(queue, state) ?? 0;
  return Promise.resolve({
    place: { kind: "sqlite", file },
    prepare: nothing,
    forgetDone: async (queue) => {
      await Promise.resolve(queues.prepare("DELETE FROM messages WHERE queue = ? AND state = 'completed'").run(queue));
    },
    notDone: (queue) => Promise.resolve({ waiting: countIn(queue, "waiting"), failed: countIn(queue, "failed") }),
    sentAgain: (queue) =>
      Promise.resolve(
        queues
          .prepare<string[], number>("SELECT coalesce(sum(sent - 1), 0) FROM messages WHERE queue = ?")
          .pluck()
          .get(queue) ?? 0,
      ),
    close: () => {
      queues.close();
      rmSync(folder, { recursive: true });
      return Promise.resolve();
    },
  });
}

const isThere = (name: string) => subjects.some((subject) => subject.name === name && subject.available);

/** A database on which the shop keeps its orders, and whether it is there. */
const databases = {
  pg: { available: isThere("pg"), open: () => openPostgres("pg") },
  prisma: { available: isThere("pg"), open: () => openPostgres("prisma") },
  drizzle: { available: isThere("pg"), open: () => openPostgres("drizzle") },
  mysql2: { available: isThere("mysql2"), open: openMysql },
  "better-sqlite3": { available: true, open: openSqlite },
} as const;

/** A new queue library: its opening here and in `places.ts`, and a line in `everySystem`. */
const queueLibraries = {
  bullmq: { available: bullmq.available, open: openBullmq },
  "pg-boss": { available: isThere("pg"), open: openPgBoss },
  "graphile-worker": { available: isThere("pg"), open: openGraphileWorker },
  sqs: { available: true, open: openSqsQueues },
  "a queue of its own": { available: true, open: openSqliteQueues },
} as const;

async function together(
  database: Promise<OpenedDatabasePart>,
  queues: Promise<OpenedQueuesPart>,
): Promise<OpenedSystem> {
  const [data, line] = await Promise.all([database, queues]);
  return {
    ...line,
    place: { database: data.place, queues: line.place },
    close: async () => {
      await line.close();
      await data.close();
    },
  };
}

/** @param durable for a server that is killed: what it has confirmed must still be there when it is back */
export function openPgAndBullmq(port: number, durable = false): Promise<OpenedSystem> {
  return together(openPostgres("pg", port, durable), openBullmq());
}

function system(
  database: keyof typeof databases,
  queues: keyof typeof queueLibraries,
  { schedules, lanes }: Pick<System, "schedules" | "lanes"> = { schedules: 4, lanes: 4 },
): System {
  const [data, line] = [databases[database], queueLibraries[queues]];
  return {
    name: `${database} and ${queues}`,
    available: data.available && line.available,
    schedules,
    lanes,
    open: () => together(data.open(), line.open()),
  };
}

/** One of each dialect: where every step is tried. */
export const systems: readonly System[] = [
  system("pg", "bullmq", { schedules: 40, lanes: 6 }),
  system("better-sqlite3", "a queue of its own", { schedules: 40, lanes: 6 }),
  system("mysql2", "bullmq", { schedules: 6, lanes: 6 }),
];

/** Queues that live in the business database. */
export const queueInTheDatabase: readonly System[] = [system("pg", "pg-boss"), system("pg", "graphile-worker")];

const all = process.env["FAULT_SYSTEMS"] === "all";

/** Every database and every queue at least once; with FAULT_SYSTEMS=all each with each. */
export const everySystem: readonly System[] = all
  ? (Object.keys(databases) as (keyof typeof databases)[]).flatMap((database) =>
      (Object.keys(queueLibraries) as (keyof typeof queueLibraries)[]).map((queues) => system(database, queues)),
    )
  : [...systems, system("prisma", "pg-boss"), system("drizzle", "graphile-worker"), system("pg", "sqs")];
