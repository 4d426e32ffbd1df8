import { ConfigurationError } from "./errors.js";
import type { Message, QueuePolicy, Queues } from "./queues/queues.js";
import type { Batch, WriteBatch } from "./staged-work.js";
import { scopeOf } from "./transaction-scope.js";
import type { Transaction } from "./transaction.js";

/** A queue as a delivery sees it. One object for the whole life of the queue, so it can be a key. */
export interface Destination {
  readonly policy: QueuePolicy;
  readonly queues: Queues;
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
    send = (messages) => destination.queues.send(destination.policy, messages);
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
  const writes = new WeakMap<Destination, WriteBatch<Message>>();

  const writeTo = (destination: Destination): WriteBatch<Message> => {
    const known = writes.get(destination);
    if (known !== undefined) return known;
    const { policy, queues } = destination;
    if (queues.sendWithin === undefined) {
      throw new ConfigurationError(
        `Queue "${policy.name}" cannot be delivered in the same transaction: ${queues.library} does not live in the ` +
          "business database. Use an outbox.",
      );
    }
    const write: WriteBatch<Message> = (messages, executor) =>
      queues.sendWithin?.(executor, policy, messages) ?? Promise.resolve();
    writes.set(destination, write);
    return write;
  };

  return {
    kind: "same transaction",
    serve(destination) {
      writeTo(destination);
    },
    enqueue(tx, destination, message) {
      scopeOf(tx).beforeCommit(writeTo(destination), message);
    },
  };
}
