import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Destination } from "../delivery.js";
import type { Seconds } from "../duration.js";
import { failPoint } from "../fail-points.js";
import { sendObserved } from "../job-observer.js";
import type { Message } from "../queues/queues.js";
import type { OutboxTable } from "./outbox-table.js";
import { within } from "../time-limit.js";

interface Options {
  readonly table: OutboxTable;
  /** How long relays leave the rows to this process, in seconds. */
  readonly grace: Seconds;
  /** False where jobs mark their rows themselves. */
  readonly marks: boolean;
  readonly onError: (error: unknown) => void;
}

/** More messages than this are left to the relay: a queue that hangs must not fill the memory. */
const mostUnconfirmed = 1000;

/**
 * How long a row that was sent waits to be marked, in milliseconds: what is sent meanwhile is marked with it, and the
 * statement does not get in the way of the worker that is taking the job. Who dies meanwhile leaves it to the relay.
 */
const markAfterMs = 5;

/** How many rows are marked with one statement at most. */
const mostMarked = 1000;

/**
 * Sends messages right after their commit, and marks their rows. Its claim is in the rows since they were written, so
 * relays leave them alone for the grace time, and what this process marks later than a relay took it counts nothing
 * (F17).
 */
export class ImmediateDispatch {
  /** One for all rows of this process, so that rows of many transactions are marked together. */
  readonly token = randomUUID();
  readonly #options: Options;
  readonly #toMark: string[] = [];
  readonly #sending = new Set<Promise<void>>();
  #marking: Promise<void> | undefined;
  #unconfirmed = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  get grace(): Seconds {
    return this.#options.grace;
  }

  /** Starts to send; nobody waits for it, since nothing is lost when it fails (IC-03). */
  dispatch(destination: Destination, messages: readonly Message[]): void {
    if (this.#unconfirmed + messages.length > mostUnconfirmed) return;
    this.#unconfirmed += messages.length;
    const sending = this.#send(destination, messages)
      .catch(this.#options.onError)
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** Resolves when everything that was started is sent and marked, or has failed. */
  async idle(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending);
    await this.#marking;
  }

  async #send(destination: Destination, messages: readonly Message[]): Promise<void> {
    await failPoint("outbox:after-commit");
    const { name } = destination.policy;
    await within(this.#options.grace, `Sending to queue "${name}"`, this.#sendCounted(destination, messages));
    await failPoint("outbox:after-immediate-send");
    if (!this.#options.marks) return;
    for (const { id } of messages) this.#toMark.push(id);
    this.#marking ??= sleep(markAfterMs)
      .then(() => this.#mark())
      .finally(() => {
        this.#marking = undefined;
      });
  }

  /** They count until the queue answers, also where nobody waits for that any more: so long they are in memory. */
  async #sendCounted(destination: Destination, messages: readonly Message[]): Promise<void> {
    try {
      await sendObserved("immediate", destination, messages);
    } finally {
      this.#unconfirmed -= messages.length;
    }
  }

  async #mark(): Promise<void> {
    try {
      while (this.#toMark.length > 0) {
        // What other transactions send meanwhile is marked with the next statement.
        await this.#options.table.mark(this.#toMark.splice(0, mostMarked), this.token);
      }
    } catch (error) {
      // The relay sends them again after the grace time.
      this.#options.onError(error);
    }
  }
}
