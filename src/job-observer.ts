import type { Destination } from "./delivery.js";
import { ConfigurationError } from "./errors.js";
import type { JobId } from "./job-id.js";
import type { Message, Settlement, TakenMessage } from "./queues/queues.js";

/** Who sends a message to its queue: the process that committed, a relay, or the transaction itself. */
export type Sender = "after commit" | "immediate" | "relay" | "same transaction";

/** Told of what happens to jobs, for `aftercommit/opentelemetry`. It never throws, and waits for nothing of its own. */
export interface JobObserver {
  /** A job is asked for. @returns what is to travel with its message */
  asked(destination: Destination, id: JobId): Message["meta"];
  /** Runs `send`, by which all of these are sent at once. */
  sending(
    sender: Sender,
    destination: Destination,
    messages: readonly Message[],
    send: () => Promise<void>,
  ): Promise<void>;
  /** The queue has them for good, as far as no control has left them out. */
  dispatched(sender: Sender, destination: Destination, messages: readonly Message[]): void;
  /** Runs `handle`, by which a worker handles a message that it took. */
  handling(destination: Destination, taken: TakenMessage, handle: () => Promise<Settlement>): Promise<Settlement>;
  /** A ledger has found that an operation was done already. */
  stoppedDuplicate(): void;
}

let present: JobObserver | undefined;

/** The observer of this process; none where nobody watches. */
export function jobObserver(): JobObserver | undefined {
  return present;
}

/**
 * @returns ends it
 * @throws ConfigurationError when there is one already
 */
export function observeJobs(observer: JobObserver): () => void {
  if (present !== undefined)
    throw new ConfigurationError("The jobs of this process are observed already. Start it once.");
  present = observer;
  return () => {
    if (present === observer) present = undefined;
  };
}

/** Sends messages, before the eyes of the observer where there is one. */
export async function sendObserved(
  sender: Sender,
  destination: Destination,
  messages: readonly Message[],
): Promise<void> {
  const send = () => destination.send(messages);
  if (present === undefined) return send();
  await present.sending(sender, destination, messages, send);
  jobObserver()?.dispatched(sender, destination, messages);
}
