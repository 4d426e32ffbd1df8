import type { Seconds } from "../duration.js";
import type { JobId } from "../job-id.js";
import type { Message } from "../queues/queues.js";

/** A message as it is written: what the table needs of it. */
export interface NewRow {
  readonly queue: string;
  readonly message: Message;
}

/** A row that a relay has taken. */
export interface ClaimedRow {
  /** In which order rows were written. */
  readonly seq: number;
  readonly message: Message;
  /** How often sending it alone has failed so far. */
  readonly attempts: number;
}

/** What became of a row: it waits to be sent, was confirmed by its queue, or was given up. */
export type RowState = "waiting" | "dispatched" | "failed";

/** What an outbox has of one queue. */
export interface OutboxBacklog {
  readonly queue: string;
  /** How many rows wait to be sent, or are being sent. */
  readonly waiting: number;
  /** How many were given up. */
  readonly failed: number;
  /** For how long the oldest of those that wait has been there, in seconds; 0 where none does. */
  readonly oldestAge: Seconds;
}

/** A row as it is shown to people. */
export interface OutboxRow {
  readonly id: JobId;
  readonly queue: string;
  readonly state: RowState;
  /** JSON text. */
  readonly payload: string;
  readonly orderKey: string | undefined;
  /** How often sending it alone has failed. */
  readonly attempts: number;
  readonly lastError: string | undefined;
  readonly createdAt: Date;
  /** Of a waiting row: when a relay may take it. Later than now while it is being sent, or waits to be tried again. */
  readonly availableAt: Date | undefined;
  readonly dispatchedAt: Date | undefined;
  readonly failedAt: Date | undefined;
}
