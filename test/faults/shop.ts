/** The program whose processes are killed: it takes orders, and does the job of each. For children and for tests. */
import {
  createLedger,
  createOutbox,
  createRelay,
  createTransactionManager,
  defineConnection,
  execute,
  idempotencyKey,
  sameTransaction,
  startWorker,
  afterCommit,
  type Delivery,
  type Queues,
  type Relay,
  type StandardSchema,
  type Worker,
} from "aftercommit";
import { openDatabase, openQueues, type Place } from "./places.ts";

/** How the job of an order leaves it. */
export type Mode = "relay" | "immediate" | "marked by jobs" | "after commit" | "same transaction";

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

class NotThisTime extends Error {}

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
  const data = await openDatabase(place.database);
  const { database } = data;
  const opened = sends ? await openQueues(place.queues) : undefined;
  const transactions = createTransactionManager(database);
  const ledger = createLedger({ transactions });
  const outbox = createOutbox({
    transactions,
    ...(mode === "immediate" ? { immediate: { grace: lease } } : {}),
    ...(mode === "marked by jobs" ? { markedByJob: { resendAfter: lease } } : {}),
    onError: () => undefined,
  });
  const shipments = defineConnection({ queues: opened?.queues ?? noQueues, retryAfter: 1 }).queue(queueName, {
    payload,
    timeout: 0.8,
    // Whatever is killed how often: no job is given up. SQS takes no more than a thousand.
    tries: 900,
    repeatSafety: { by: "ledger" },
    delivery: deliveryOf(mode, outbox),
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
            await execute(tx, fails[database.dialect]);
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

    close: async () => {
      await opened?.close();
      await data.close();
    },
  };
}

/** Statements that fail as a deadlock does. */
const fails = {
  postgres: "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$",
  mysql: "SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'again'",
};

function deliveryOf(mode: Mode, outbox: Delivery): Delivery {
  switch (mode) {
    case "after commit":
      return afterCommit();
    case "same transaction":
      // Its type keeps it from queues that live elsewhere; here the queue is known when it runs.
      return sameTransaction();
    default:
      return outbox;
  }
}

function ignoreNotThisTime(error: unknown): void {
  if (!(error instanceof NotThisTime)) throw error;
}
