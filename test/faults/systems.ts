import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { Queue as BullQueue } from "bullmq";
import { ledgerDdl, outboxDdl } from "aftercommit";
import { Redis } from "ioredis";
import pg from "pg";
import { postgresPort, subjects } from "../databases/subjects.js";
import { bullmq } from "../queues/subjects.js";
import { sqliteQueuesDdl } from "./sqlite-queues.ts";
import { queuesFile, type Place } from "./shop.ts";

export const redisPort = 6379;

/** A database and a queue on which a shop can be opened, by several processes at once. */
export interface System {
  readonly name: string;
  readonly available: boolean;
  open(): Promise<OpenedSystem>;
}

export interface OpenedSystem {
  readonly place: Place;
  /** Forgets the jobs that were done, so that a message that is sent again is run again. */
  forgetDone(queue: string): Promise<void>;
  /** How many jobs of a queue are not done, and how many of them are given up. */
  notDone(queue: string): Promise<{ readonly waiting: number; readonly failed: number }>;
  /** How many messages were sent although the queue had them already. */
  sentAgain(queue: string): Promise<number>;
  close(): Promise<void>;
}

const tables = (dialect: "postgres" | "sqlite") =>
  `${outboxDdl(dialect)} ${ledgerDdl(dialect)}
   CREATE TABLE orders (id integer PRIMARY KEY);
   CREATE TABLE deliveries (order_id integer NOT NULL);
   CREATE TABLE effects (order_id integer NOT NULL);`;

/** @param durable for a server that is killed: what it has confirmed must still be there when it is back */
export async function openPgAndBullmq(port: number, durable = false): Promise<OpenedSystem> {
  const schema = `aftercommit_faults_${process.pid.toString()}_${randomBytes(4).toString("hex")}`;
  const administer = async (sql: string) => {
    const admin = new pg.Client({ host: "127.0.0.1", port, user: "postgres", database: "test" });
    await admin.connect();
    await admin.query(sql);
    await admin.end();
  };
  await administer(`CREATE SCHEMA ${schema}; SET search_path = ${schema}; ${tables("postgres")}`);
  const connection = new Redis({ host: "127.0.0.1", port: redisPort, maxRetriesPerRequest: null });
  const queues = new Map<string, BullQueue>();
  const queueOf = (name: string) => {
    const queue = queues.get(name) ?? new BullQueue(name, { connection, prefix: schema });
    queues.set(name, queue);
    return queue;
  };
  return {
    place: { kind: "pg", port, schema, redisPort, durable },
    forgetDone: async (queue) => {
      await queueOf(queue).clean(0, 0, "completed");
    },
    notDone: async (queue) => {
      const counts = await queueOf(queue).getJobCounts("waiting", "active", "delayed", "prioritized", "failed");
      const { failed = 0, ...others } = counts;
      return { failed, waiting: Object.values(others).reduce((sum, count) => sum + count, 0) };
    },
    sentAgain: async (queue) => {
      const events = await connection.xrange(`${schema}:${queue}:events`, "-", "+");
      return events.filter(([, fields]) => fields.includes("duplicated")).length;
    },
    close: async () => {
      for (const queue of queues.values()) await queue.close();
      const scan = connection.scanStream({ match: `${schema}:*`, count: 1000 }) as AsyncIterable<string[]>;
      for await (const keys of scan) if (keys.length > 0) await connection.unlink(...keys);
      connection.disconnect();
      await administer(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
}

const pgAndBullmq: System = {
  name: "pg and bullmq",
  available: bullmq.available && subjects.some(({ name, available }) => name === "pg" && available),
  open: () => openPgAndBullmq(postgresPort),
};

const sqliteAndOwnQueue: System = {
  name: "better-sqlite3 and a queue of its own",
  available: true,
  open() {
    const folder = mkdtempSync(join(tmpdir(), "aftercommit-faults-"));
    const file = join(folder, "shop.db");
    const make = (name: string, ddl: string) => {
      const db = new BetterSqlite3(name);
      db.pragma("journal_mode = wal");
      db.exec(ddl);
      return db;
    };
    make(file, tables("sqlite")).close();
    const queues = make(queuesFile(file), sqliteQueuesDdl);
    const countIn = (queue: string, state: string) =>
      queues
        .prepare<string[], number>("SELECT count(*) FROM messages WHERE queue = ? AND state = ?")
        .pluck()
        .get(queue, state) ?? 0;
    return Promise.resolve({
      place: { kind: "sqlite", file },
      forgetDone: async (queue) => {
        await Promise.resolve(
          queues.prepare("DELETE FROM messages WHERE queue = ? AND state = 'completed'").run(queue),
        );
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
  },
};

export const systems: readonly System[] = [pgAndBullmq, sqliteAndOwnQueue];
