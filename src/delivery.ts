import type { Executor } from "./databases/database.js";
import { ConfigurationError } from "./errors.js";
import { jobObserver, sendObserved } from "./job-observer.js";
import type { Message, QueuePolicy, Queues } from "./queues/queues.js";
import type { Batch, WriteBatch } from "./staged-work.js";
import { scopeOf } from "./transaction-scope.js";
import type { Transaction } from "./transaction.js";

/** A queue as a delivery sees it. One object for the whole life of the queue, so it can be a key. */
export interface Destination {
  readonly policy: QueuePolicy;
  readonly queues: Queues;
  /** A control may leave messages out for which another job does the work. */
  readonly leavesOut: boolean;
  /** `queues.send`, with what the controls of the queue want. */
  send(messages: readonly Message[]): Promise<void>;
  /** `queues.sendWithin`, likewise. Missing where the queue, or one of its controls, cannot do that. */
  sendWithin?(executor: Executor, messages: readonly Message[]): Promise<void>;
  /** What was sent by `sendWithin` is committed. */
  committed(messages: readonly Message[]): void;
}

/**
 * How a job gets from a transaction to its queue. Chosen where the queue is defined, never in the use case.
 * `createOutbox` makes another one.
 */
export interface Delivery {
  readonly kind: "after commit" | "outbox" | "same transaction";

  /**
   * Called once for each queue that is defined with this delivery.
   *
   * @throws ConfigurationError when this delivery cannot serve the queue
   */
  serve?(destination: Destination): void;

  /**
   * Stages a message in the transaction: what happens to the transaction happens to the message. Called with a message
   * that is valid; the caller has checked nothing else.
   *
   * @throws ConfigurationError when `tx` cannot carry it: no transaction, or one of another database (OB-12, OB-13)
   * @throws TransactionClosedError
   */
  enqueue(tx: Transaction, destination: Destination, message: Message): void;
}

/** Sends all messages of a transaction for one queue together. The same function each time: it is the group. */
const sends = new WeakMap<Destination, Batch<Message>>();

export function sendTo(destination: Destination): Batch<Message> {
  let send = sends.get(destination);
  if (send === undefined) {
    send = (messages) => sendObserved("after commit", destination, messages);
    sends.set(destination, send);
  }
  return send;
}

/**
 * Sends when the outermost transaction has committed. The job is lost when the process dies between the COMMIT and the
 * sending, or when the queue is down then; `run` throws `AfterCommitError` in the second case (AC-10, AC-11).
 */
export function afterCommit(): Delivery {
  return {
    kind: "after commit",
    enqueue(tx, destination, message) {
      scopeOf(tx).afterCommitTogether(sendTo(destination), message);
    },
  };
}

/** The delivery of a queue that lives in the business database. Its type keeps it from other queues. */
export interface SameTransaction extends Delivery {
  readonly kind: "same transaction";
}

/**
 * Writes the job into the queue's own table, in the business transaction. For queues that live in the same database as
 * the transaction: the job exists if and only if the transaction commits, and needs no relay (F18).
 */
export function sameTransaction(): SameTransaction {
  interface Steps {
    readonly write: WriteBatch<Message>;
    readonly committed: Batch<Message>;
  }
  const steps = new WeakMap<Destination, Steps>();

  const stepsTo = (destination: Destination): Steps => {
    const known = steps.get(destination);
    if (known !== undefined) return known;
    const { policy, queues } = destination;
    if (queues.sendWithin === undefined) {
      throw new ConfigurationError(
        `Queue "${policy.name}" cannot be delivered in the same transaction: ${queues.library} does not live in the ` +
          "business database. Use an outbox.",
      );
    }
    if (destination.sendWithin === undefined) {
      throw new ConfigurationError(
        `Queue "${policy.name}" cannot be debounced or locked when its jobs are written in the same transaction: that is ` +
          "decided after the commit. Use an outbox or `afterCommit()`.",
      );
    }
    const made: Steps = {
      write(messages, executor) {
        const write = () => destination.sendWithin?.(executor, messages) ?? Promise.resolve();
        return jobObserver()?.sending("same transaction", destination, messages, write) ?? write();
      },
      committed: (messages) => {
        destination.committed(messages);
        jobObserver()?.dispatched("same transaction", destination, messages);
        return Promise.resolve();
      },
    };
    steps.set(destination, made);
    return made;
  };

  return {
    kind: "same transaction",
    serve(destination) {
      stepsTo(destination);
    },
    enqueue(tx, destination, message) {
      const scope = scopeOf(tx);
      const { write, committed } = stepsTo(destination);
      scope.beforeCommit(write, message);
      scope.afterCommitTogether(committed, message);
    },
  };
}
