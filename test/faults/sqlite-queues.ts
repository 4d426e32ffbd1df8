import { setTimeout as sleep } from "node:timers/promises";
import type { JobId, Message, Queues, Settlement } from "aftercommit";
import type BetterSqlite3 from "better-sqlite3";

interface StoredMessage {
  readonly id: JobId;
  readonly payload: string;
  readonly occurred_at: string;
  readonly attempt: number;
}

export const sqliteQueuesDdl = `CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  queue TEXT NOT NULL,
  payload TEXT NOT NULL,
  occurred_at TEXT NOT NULL,
  available_at REAL NOT NULL,
  sent INTEGER NOT NULL DEFAULT 1,
  attempt INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'waiting'
)`;

const now = "unixepoch('subsec')";

/** How often a worker looks for messages. */
const everyMs = 20;

/**
 * Queues in an SQLite file that processes share: at least once, with a lease that ends, and a settlement that counts
 * only from the present holder. A completed message stays, so its id is known when it is sent again.
 */
export function sqliteQueues(db: BetterSqlite3.Database): Queues {
  const insert = db.prepare(
    `INSERT INTO messages (id, queue, payload, occurred_at, available_at) VALUES (?, ?, ?, ?, ${now} + ?) ` +
      "ON CONFLICT (id) DO UPDATE SET sent = sent + 1",
  );
  const take = db.prepare<[number, string], StoredMessage>(
    `UPDATE messages SET attempt = attempt + 1, available_at = ${now} + ? WHERE id = (SELECT id FROM messages ` +
      `WHERE queue = ? AND state = 'waiting' AND available_at <= ${now} ORDER BY available_at LIMIT 1) ` +
      "RETURNING id, payload, occurred_at, attempt",
  );
  const settle = db.prepare(
    `UPDATE messages SET state = ?, available_at = ${now} + ? WHERE id = ? AND attempt = ? AND state = 'waiting'`,
  );
  const stateAfter = { complete: "completed", fail: "failed", retry: "waiting", postpone: "waiting" } as const;

  return {
    library: "sqlite",

    send({ name }, messages) {
      for (const { id, payload, occurredAt, delay = 0 } of messages) {
        insert.run(id, name, payload, occurredAt.toISOString(), delay);
      }
      return Promise.resolve();
    },

    effectiveLease: ({ retryAfter }) => Promise.resolve(retryAfter),

    work({ name, retryAfter }, { concurrency, onError }, handle) {
      let working = true;
      const workOne = async ({ id, payload, occurred_at, attempt }: StoredMessage) => {
        const message: Message = { id, payload, occurredAt: new Date(occurred_at) };
        const lease = new AbortController();
        const timer = setTimeout(() => {
          lease.abort();
        }, retryAfter * 1000);
        const settlement: Settlement = await handle({ message, attempt, leaseLost: lease.signal });
        clearTimeout(timer);
        settle.run(stateAfter[settlement.do], settlement.do === "retry" ? settlement.delay : 0, id, attempt);
      };
      const loop = async () => {
        while (working) {
          try {
            const taken = take.get(retryAfter, name);
            await (taken === undefined ? sleep(everyMs) : workOne(taken));
          } catch (error) {
            onError(error);
            await sleep(everyMs);
          }
        }
      };
      const loops = Array.from({ length: concurrency }, loop);
      return Promise.resolve({
        stop: async () => {
          working = false;
          await Promise.all(loops);
        },
      });
    },

    close: () => Promise.resolve(),
  };
}
