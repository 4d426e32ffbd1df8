import type { JobId } from "./job-id.js";
import type { Message } from "./queues/queues.js";

/** What became of the request for a job. */
export interface Receipt {
  /** The job's id, the same in every delivery of this message. */
  readonly id: JobId;

  /**
   * What is known by now:
   * - "staged": the transaction has not committed (yet), or an outbox has the job and its relay decides;
   * - "enqueued": the queue has confirmed it;
   * - "deduplicated": it was not sent, because `existing` waits or runs (`unique`);
   * - "superseded": it was not sent, because `existing` was asked for later (`debounce`).
   */
  readonly outcome: "staged" | "enqueued" | "deduplicated" | "superseded";

  /** Of "deduplicated" and "superseded": the job that is there instead; none where it had just ended. */
  readonly existing: JobId | undefined;
}

interface Settled {
  readonly outcome: Receipt["outcome"];
  readonly existing: JobId | undefined;
}

const settled = new WeakMap<Message, Settled>();

const staged: Settled = { outcome: "staged", existing: undefined };
const enqueued: Settled = { outcome: "enqueued", existing: undefined };

export function receiptOf(message: Message): Receipt {
  return {
    id: message.id,
    get outcome() {
      return (settled.get(message) ?? staged).outcome;
    },
    get existing() {
      return settled.get(message)?.existing;
    },
  };
}

/** Messages that their queue has confirmed. */
export function confirmReceipts(messages: readonly Message[]): void {
  for (const message of messages) settled.set(message, enqueued);
}

/** A message that was not sent, and the job that is there instead. */
export function settleReceipt(message: Message, outcome: Settled["outcome"], existing: JobId | undefined): void {
  settled.set(message, { outcome, existing });
}
