import type { Database, Executor } from "../databases/database.js";
import type { Delivery, Destination } from "../delivery.js";
import { requireSeconds, type Seconds } from "../duration.js";
import { ConfigurationError } from "../errors.js";
import { failPoint } from "../fail-points.js";
import type { JobId } from "../job-id.js";
import type { Message } from "../queues/queues.js";
import type { WriteBatch, Batch } from "../staged-work.js";
import type { TransactionManager } from "../transaction-manager.js";
import { scopeOf } from "../transaction-scope.js";
import type { Transaction } from "../transaction.js";
import { checkAge, checkedIds, requireCount } from "./checked-input.js";
import { defaultOutboxTable, outboxDdl } from "./ddl.js";
import { ImmediateDispatch } from "./immediate-dispatch.js";
import { OutboxAdministration, type ListOptions } from "./outbox-administration.js";
import { insertInto } from "./outbox-insert.js";
import type { OutboxBacklog, OutboxRow } from "./outbox-row.js";
import { OutboxStatements } from "./outbox-statements.js";
import { OutboxTable } from "./outbox-table.js";
import { unfailing, warn } from "../unfailing.js";
import { verifyOutboxTable } from "./verify.js";
import { WakeUp } from "./wake-up.js";

export interface OutboxOptions {
  readonly transactions: TransactionManager;
  /** The table's name, with a schema where wanted. Default "aftercommit_outbox". */
  readonly table?: string;
  /**
   * Send each job from this process right after its commit, and leave to relays only what is not marked as sent after
   * `grace` seconds (F17). A relay is still needed. Jobs with an `orderKey` always go through the relay.
   */
  readonly immediate?: {
    /** More than sending takes at worst; too short only means that a job is sent twice. Default 30. */
    readonly grace?: Seconds;
  };
  /**
   * Who marks a job's row as dispatched. Default: whoever has sent it, when the queue has confirmed it. With this option
   * the job itself, by `outbox.complete(tx, job.id)` in the transaction of its effect: then a job is not lost either when
   * the queue loses it, or gives it up.
   */
  readonly markedByJob?: {
    /** A job that is not marked so many seconds after it was sent is sent again: more than it waits and runs at worst. */
    readonly resendAfter: Seconds;
  };
  /** Told when an immediate dispatch fails; the relay sends the job later. Default: a warning of the process. */
  readonly onError?: (error: unknown) => void;
}

export interface PruneOutboxOptions {
  /** Rows that were dispatched longer ago than this many seconds are deleted. */
  readonly olderThan: Seconds;
  /** How many rows one statement deletes at most. Default 1,000. */
  readonly batchSize?: number;
  /** Stops after the present batch. */
  readonly signal?: AbortSignal;
}

export interface Outbox extends Delivery {
  readonly kind: "outbox";

  /**
   * Looks whether the table is right. Happens by itself with the first row and when a relay starts.
   *
   * @throws ConfigurationError that says what is missing, with the statements that make the table
   */
  verify(): Promise<void>;

  /** Rows in one state: those that wait in the order in which they are to be sent, the others with the latest first. */
  list(options: ListOptions): Promise<OutboxRow[]>;

  /** How much waits of each queue that it serves in this process, or has rows of, and for how long. For health checks. */
  backlog(): Promise<OutboxBacklog[]>;

  /**
   * Lets rows be sent again, whether they were given up, dispatched, or wait to be tried again. Their attempts are
   * counted anew. A queue that still has a job with the same id keeps the one that it has.
   *
   * @returns how many; rows that are being sent right now are not touched
   */
  requeue(ids: readonly JobId[]): Promise<number>;

  /** Deletes rows that were not dispatched. @returns how many; rows that are being sent right now are not touched */
  discard(ids: readonly JobId[]): Promise<number>;

  /**
   * Deletes dispatched rows, in small batches. A row says what was sent and lets it be sent again, so it must outlive
   * every redelivery of its job.
   *
   * @returns how many were deleted
   * @throws ConfigurationError when a job of a queue of this outbox may still be redelivered at that age (F20)
   */
  prune(options: PruneOutboxOptions): Promise<number>;

  /**
   * Marks the row of a job, in the transaction of the job's effect. For an outbox with `markedByJob`.
   *
   * @returns whether it was not marked before
   * @throws ConfigurationError when `tx` is not of the outbox's database (OB-12, OB-13)
   */
  complete(tx: Transaction, id: JobId): Promise<boolean>;

  /** Resolves when no immediate dispatch of this process is under way. For a graceful end. */
  idle(): Promise<void>;
}

/** What a relay needs of an outbox. */
export interface OutboxInside {
  readonly database: Database;
  readonly table: OutboxTable;
  readonly wakeUp: WakeUp;
  /** Set when jobs mark their rows: how long they have for it. */
  readonly resendAfter: Seconds | undefined;
  /** Calls back for each queue that this outbox serves, those to come included. Returns what ends it. */
  readonly onQueue: (listener: (destination: Destination) => void) => () => void;
}

const insides = new WeakMap<object, OutboxInside>();

/** @throws ConfigurationError when it was not made by `createOutbox` */
export function insideOf(outbox: Outbox): OutboxInside {
  const inside = insides.get(outbox);
  if (inside === undefined) throw new ConfigurationError("`outbox` must be what `createOutbox` has made.");
  return inside;
}

interface Item {
  readonly destination: Destination;
  readonly message: Message;
  /** Set when the statement that wrote the row also notified. */
  notified: boolean;
}

/**
 * The delivery that loses nothing: a job is a row of the business transaction, stored if and only if that commits, and
 * a relay sends it at least once, also when the queue is down at that moment (F16). Needs `createRelay`.
 *
 * @throws ConfigurationError for options that cannot be right
 */
export function createOutbox(options: OutboxOptions): Outbox {
  const { transactions, table: tableName = defaultOutboxTable, markedByJob } = options;
  const { database } = transactions;
  if (markedByJob !== undefined) requireSeconds(markedByJob.resendAfter, "`markedByJob.resendAfter`");
  // Refuses a name that cannot stand in SQL.
  outboxDdl(database.dialect, tableName);
  const statements = new OutboxStatements(database, tableName);
  const table = new OutboxTable(statements);
  const rows = new OutboxAdministration(statements);
  const wakeUp = new WakeUp(database, tableName);
  const insert = insertInto(database.dialect, tableName);
  const immediate = immediateOf(options, table);
  const destinations = new Map<string, Destination>();
  const listeners = new Set<(destination: Destination) => void>();
  let verified = false;

  const verify = async (executor: Executor) => {
    if (verified) return;
    await verifyOutboxTable(executor, database, tableName);
    verified = true;
  };

  const write: WriteBatch<Item> = async (items, executor) => {
    await verify(executor);
    await failPoint("outbox:before-insert");
    const notify = wakeUp.channelForStatement();
    await insert(executor, items.map(rowOf), { notify });
    for (const item of items) item.notified = notify !== undefined;
    await failPoint("outbox:after-insert");
  };

  const writeClaimed: WriteBatch<Item> = async (items, executor) => {
    await verify(executor);
    await failPoint("outbox:before-insert");
    const claim = immediate && { token: immediate.token, for: immediate.grace };
    await insert(executor, items.map(rowOf), { claim });
    await failPoint("outbox:after-insert");
  };

  const wake: Batch<Item> = async (items) => {
    await failPoint("outbox:after-commit");
    for (const [{ policy }, [first]] of byDestination(items)) wakeUp.committed(policy.name, first?.notified === true);
  };

  const dispatch: Batch<Item> = (items) => {
    for (const [destination, of] of byDestination(items)) {
      immediate?.dispatch(
        destination,
        of.map(({ message }) => message),
      );
    }
    return Promise.resolve();
  };

  const outbox: Outbox = {
    kind: "outbox",

    serve(destination) {
      const { name } = destination.policy;
      if (destinations.has(name)) {
        throw new ConfigurationError(
          `This outbox already serves a queue "${name}", of another connection. Its rows know a queue by its name: ` +
            "choose another name, or give the queue an outbox with a table of its own.",
        );
      }
      if (markedByJob !== undefined && destination.leavesOut) {
        throw new ConfigurationError(
          `Queue "${name}" is unique or debounced, and this outbox has \`markedByJob\`: the row of a job that is left ` +
            "out would never be marked, and be sent again and again. Choose one of the two.",
        );
      }
      destinations.set(name, destination);
      for (const listener of listeners) listener(destination);
    },

    enqueue(tx, destination, message) {
      const scope = scopeOf(tx, database);
      const item: Item = { destination, message, notified: false };
      const atOnce = immediate !== undefined && message.orderKey === undefined;
      scope.beforeCommit(atOnce ? writeClaimed : write, item);
      scope.afterCommitTogether(atOnce ? dispatch : wake, item);
    },

    verify: () => verifyOutboxTable(database, database, tableName),
    list: (listOptions) => rows.list(listOptions),

    async backlog() {
      const found = await rows.backlog();
      const idle = [...destinations.keys()].filter((queue) => !found.some((one) => one.queue === queue));
      return [...found, ...idle.map((queue) => ({ queue, waiting: 0, failed: 0, oldestAge: 0 }))];
    },

    async requeue(ids) {
      const count = ids.length === 0 ? 0 : await rows.requeue(checkedIds(ids));
      for (const queue of destinations.keys()) wakeUp.notify(queue);
      return count;
    },

    discard: async (ids) => (ids.length === 0 ? 0 : rows.discard(checkedIds(ids))),

    async prune(pruneOptions) {
      const { olderThan, batchSize = 1000, signal } = pruneOptions;
      checkAge(olderThan, destinations.values());
      requireCount(batchSize, "`batchSize`");
      let deleted = 0;
      while (signal?.aborted !== true) {
        const count = await rows.prune(olderThan, batchSize);
        deleted += count;
        if (count < batchSize) break;
      }
      return deleted;
    },

    async complete(tx, id) {
      const scope = scopeOf(tx, database);
      checkedIds([id]);
      return rows.complete(scope, id);
    },

    idle: async () => immediate?.idle(),
  };

  insides.set(outbox, {
    database,
    table,
    wakeUp,
    resendAfter: markedByJob?.resendAfter,
    onQueue(listener) {
      for (const destination of destinations.values()) listener(destination);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  });
  return outbox;
}

function rowOf({ destination, message }: Item) {
  return { queue: destination.policy.name, message };
}

function byDestination(items: readonly Item[]): Map<Destination, Item[]> {
  const groups = new Map<Destination, Item[]>();
  for (const item of items) {
    const group = groups.get(item.destination);
    if (group === undefined) groups.set(item.destination, [item]);
    else group.push(item);
  }
  return groups;
}

function immediateOf({ immediate, markedByJob, onError = warn }: OutboxOptions, table: OutboxTable) {
  if (immediate === undefined) return undefined;
  // Where jobs mark their rows, the relay must leave them the same time for it.
  const grace = requireSeconds(immediate.grace ?? markedByJob?.resendAfter ?? 30, "`immediate.grace`");
  return new ImmediateDispatch({ table, grace, marks: markedByJob === undefined, onError: unfailing(onError) });
}
