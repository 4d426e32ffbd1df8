import { randomBytes } from "node:crypto";
import type { QueuePolicy, Queues, TransactionalQueues } from "../../src/queues/queues.js";

/** A queue adapter on its real server, as the tests use it. */
export interface OpenedQueues {
  readonly queues: Queues;
  /** Of the keys in Redis. */
  readonly prefix?: string;
  /** Makes a queue with the lease of its policy, where that is not the adapter's to do. */
  prepare?(policy: QueuePolicy): Promise<void>;
  /** How many jobs of a queue are kept as failed. */
  failed(queue: string): Promise<number>;
  close(): Promise<void>;
}

export interface QueueSubject {
  readonly name: string;
  /** False when the server is not there. The tests are then skipped, and fail where `CI` is set. */
  readonly available: boolean;
  /** How long after the end of a lease another worker has the job at the latest, in seconds. */
  readonly expiryTakes: number;
  /** The queue itself does not notice that a message was sent before. */
  readonly repeats?: true;
  /** The queue has no delay for a message of its own. */
  readonly knowsNoDelay?: true;
  open(): Promise<OpenedQueues>;
}

/** Queues in the business database. */
export interface TransactionalSubject {
  readonly name: string;
  /** A name that it takes for no queue. */
  readonly refusedName: string;
  open(): Promise<{
    readonly queues: TransactionalQueues;
    /** The jobs of a queue that are there, in no order. */
    stored(queue: string): Promise<readonly { readonly id: string; readonly orderId: number }[]>;
    close(): Promise<void>;
  }>;
}

export const inCi = process.env["CI"] !== undefined;

/** A name that no other run has. */
export const ownName = () => `aftercommit_${process.pid.toString()}_${randomBytes(4).toString("hex")}`;

export const postgres = { host: "127.0.0.1", port: 5432, user: "postgres", database: "test" };
