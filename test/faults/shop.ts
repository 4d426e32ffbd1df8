/** The program whose processes are killed: it takes orders, and does the job of each. For children and for tests. */
import {
  createLedger,
  createOutbox,
  createRelay,
  createTransactionManager,
  defineConnection,
  execute,
  idempotencyKey,
  startWorker,
  afterCommit,
  type Database,
  type Queues,
  type Relay,
  type StandardSchema,
  type Worker,
} from "aftercommit";
import { betterSqlite3Database } from "aftercommit/databases/better-sqlite3";
import { pgDatabase } from "aftercommit/databases/pg";
import { sqliteQueues } from "./sqlite-queues.ts";

/** Where a shop keeps its data; what a child is told. */
export type Place =
  | {
      readonly kind: "pg";
      readonly port: number;
      readonly schema: string;
      readonly redisPort: number;
      /** Whether a commit is on the disk when it is confirmed: slower, and needed only where the server is killed. */
      readonly durable: boolean;
    }
  | { readonly kind: "sqlite"; readonly file: string };

/** How the job of an order leaves it. */
export type Mode = "relay" | "immediate" | "marked by jobs" | "after commit";

/** What becomes of one order. Inner work that is rolled back has the order's number plus `ghost`. */
export interface Operation {
  readonly order: number;
  readonly fate:
    "commits" | "is rolled back" | "commits, and a savepoint is rolled back" | "commits at the second attempt";
  /** How many jobs ask for its effect. */
  readonly jobs: number;
}

/** The number of what was rolled back inside an order that is committed. */
export const ghost = 500;

/** How long a relay keeps what it has taken, and a dispatcher what it sends itself, in seconds. */
const shortLease = 0.5;

const payload: StandardSchema<{ orderId: number }> = {
  "~standard": { version: 1, vendor: "faults", validate: (value) => ({ value: value as { orderId: number } }) },
};

export const queuesFile = (file: string) => `${file}.queues`;

class NotThisTime extends Error {}

interface Opened {
  readonly database: Database;
  readonly queues: () => Promise<Queues>;
  readonly close: () => Promise<void>;
}

async function open(place: Place): Promise<Opened> {
  if (place.kind === "sqlite") {
    const { default: BetterSqlite3 } = await import("better-sqlite3");
    const openFile = (file: string) => {
      const db = new BetterSqlite3(file, { timeout: 20_000 });
      db.pragma("journal_mode = wal");
      db.pragma("synchronous = off");
      return db;
    };
    const db = openFile(place.file);
    // A file of their own, as Redis is one: sending must not end up in a transaction that happens to be open.
    const queuesDb = openFile(queuesFile(place.file));
    return {
      database: betterSqlite3Database(db, { busyTimeout: 20 }),
      queues: () => Promise.resolve(sqliteQueues(queuesDb)),
      close: () => {
        db.close();
        queuesDb.close();
        return Promise.resolve();
      },
    };
  }
  const { port, schema, redisPort, durable } = place;
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    host: "127.0.0.1",
    port,
    user: "postgres",
    database: "test",
    max: 3,
    options: `-c search_path=${schema} -c synchronous_commit=${durable ? "on" : "off"}`,
  });
  pool.on("error", () => undefined);
  let queues: Queues | undefined;
  return {
    database: pgDatabase(pool),
    // Only who sends or works needs the library, which takes longest to load.
    queues: async () => {
      const { bullmqQueues } = await import("aftercommit/queues/bullmq");
      const connection = { host: "127.0.0.1", port: redisPort, retryStrategy: () => 50 };
      return (queues = bullmqQueues({ connection, prefix: schema, sendTimeout: 1 }));
    },
    close: async () => {
      await queues?.close();
      await pool.end();
    },
  };
}

const noQueues: Queues = {
  library: "none",
  send: () => Promise.reject(new Error("this process sends nothing")),
  effectiveLease: ({ retryAfter }) => Promise.resolve(retryAfter),
  work: () => Promise.reject(new Error("this process works on nothing")),
  close: () => Promise.resolve(),
};

export type Shop = Awaited<ReturnType<typeof openShop>>;

/**
 * @param options.sends false for a process that only writes rows
 * @param options.lease longer for a test in which nothing dies
 */
export async function openShop(
  place: Place,
  queueName: string,
  mode: Mode,
  { sends = true, lease = shortLease }: { readonly sends?: boolean; readonly lease?: number | undefined } = {},
) {
  const { database, queues, close } = await open(place);
  const transactions = createTransactionManager(database);
  const ledger = createLedger({ transactions });
  const outbox = createOutbox({
    transactions,
    ...(mode === "immediate" ? { immediate: { grace: lease } } : {}),
    ...(mode === "marked by jobs" ? { markedByJob: { resendAfter: lease } } : {}),
    onError: () => undefined,
  });
  const shipments = defineConnection({ queues: sends ? await queues() : noQueues, retryAfter: 1 }).queue(queueName, {
    payload,
    timeout: 0.8,
    // Whatever is killed how often: no job is given up.
    tries: 1000,
    repeatSafety: { by: "ledger" },
    delivery: mode === "after commit" ? afterCommit() : outbox,
  });

  return {
    database,
    transactions,
    outbox,
    shipments,

    async perform({ order, fate, jobs }: Operation): Promise<void> {
      let attempt = 0;
      const run = transactions.run(
        async (tx) => {
          attempt += 1;
          if (fate === "commits at the second attempt" && attempt === 1) {
            await execute(tx, `INSERT INTO orders (id) VALUES (${order + ghost})`);
            await shipments.enqueue(tx, { orderId: order + ghost });
            if (database.dialect === "sqlite") throw Object.assign(new Error("busy"), { code: "SQLITE_BUSY" });
            await execute(tx, "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$");
          }
          await execute(tx, `INSERT INTO orders (id) VALUES (${order})`);
          for (let job = 0; job < jobs; job += 1) await shipments.enqueue(tx, { orderId: order });
          if (fate === "commits, and a savepoint is rolled back") {
            const inner = tx.savepoint(async (frame) => {
              await execute(frame, `INSERT INTO orders (id) VALUES (${order + ghost})`);
              await shipments.enqueue(frame, { orderId: order + ghost });
              throw new NotThisTime();
            });
            await inner.catch(ignoreNotThisTime);
          }
          if (fate === "is rolled back") throw new NotThisTime();
        },
        { attempts: 3 },
      );
      await run.catch(ignoreNotThisTime);
    },

    relay(): Relay {
      return createRelay({
        outbox,
        batch: 3,
        pollEvery: 0.03,
        lease,
        sendTimeout: lease / 2,
        tries: 1000,
        connections: 1,
        backoff: { first: 0.02, longest: 0.2 },
        onError: () => undefined,
      });
    },

    worker(): Promise<Worker> {
      return startWorker(
        shipments,
        async ({ id, payload: { orderId } }) => {
          await database.query(`INSERT INTO deliveries (order_id) VALUES (${orderId})`);
          await transactions.run(
            async (tx) => {
              await ledger.once(tx, idempotencyKey("ship", orderId), () =>
                execute(tx, `INSERT INTO effects (order_id) VALUES (${orderId})`),
              );
              if (mode === "marked by jobs") await outbox.complete(tx, id);
            },
            { attempts: 5 },
          );
        },
        { onError: () => undefined, onFailed: () => undefined },
      );
    },

    close,
  };
}

function ignoreNotThisTime(error: unknown): void {
  if (!(error instanceof NotThisTime)) throw error;
}
