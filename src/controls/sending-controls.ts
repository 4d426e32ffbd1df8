import type { Executor } from "../databases/database.js";
import type { JobId } from "../job-id.js";
import type { Message, QueuePolicy, Queues } from "../queues/queues.js";
import { confirmReceipts, settleReceipt } from "../receipt.js";
import type { ControlContext } from "./control-context.js";
import type { Debounce } from "./debounce.js";
import type { UniqueLocks } from "./unique.js";

/** How many keys are asked for at once. */
const mostAtOnce = 32;

export interface SendingParts<Payload> {
  readonly policy: QueuePolicy;
  readonly queues: Queues;
  readonly context: ControlContext;
  readonly unique: UniqueLocks<Payload> | undefined;
  readonly debounce: Debounce<Payload> | undefined;
  /** The payload as a handler gets it. Rejects when it does not fit its schema. */
  readonly unpack: (message: Message) => Promise<Payload>;
}

/** A message that is not sent, and the job that is there instead. */
interface LeftOut {
  readonly message: Message;
  readonly existing: JobId | undefined;
}

/**
 * The controls of a queue at the moment its messages are sent: after the commit, or when a relay sends them. A rolled
 * back request has taken no lock and has superseded nothing (UQ-10, DB-10).
 */
export class SendingControls<Payload> {
  readonly #parts: SendingParts<Payload>;
  readonly #keys = new WeakMap<Message, string>();
  /** What `sendWithin` has left out, until its transaction has committed. */
  readonly #leftOutWithin = new WeakMap<Message, LeftOut>();

  constructor(parts: SendingParts<Payload>) {
    this.#parts = parts;
  }

  /** Finds out the key of a message now. @throws InvalidKeyError, and what `id` throws; nothing was staged then */
  remember(message: Message, payload: Payload): void {
    const key = this.#parts.unique?.keyOf(payload) ?? this.#parts.debounce?.keyOf(payload);
    if (key !== undefined) this.#keys.set(message, key);
  }

  async send(messages: readonly Message[]): Promise<void> {
    const { unique, debounce, queues } = this.#parts;
    const { keyed, plain } = await this.#byKey(messages);
    if (unique !== undefined && queues.sendUnique !== undefined) await this.#sendByQueue(keyed);
    else if (unique !== undefined) await this.#sendUnique(keyed, unique);
    else if (debounce !== undefined) await this.#sendDebounced(keyed, debounce);
    if (plain.length > 0) await queues.send(this.#parts.policy, plain);
    confirmReceipts(plain);
  }

  /** For queues that are unique by themselves and live in the business database. */
  async sendWithin(executor: Executor, messages: readonly Message[]): Promise<void> {
    const { queues, policy } = this.#parts;
    const { keyed, plain } = await this.#byKey(messages);
    for (const one of await this.#leftOutByQueue(keyed, executor)) this.#leftOutWithin.set(one.message, one);
    if (plain.length > 0) await queues.sendWithin?.(executor, policy, plain);
  }

  /** The transaction of `sendWithin` has committed. */
  committed(messages: readonly Message[]): void {
    const leftOut = messages.flatMap((message) => this.#leftOutWithin.get(message) ?? []);
    this.#tell("deduplicated", leftOut, messages);
  }

  async #sendByQueue(keyed: ReadonlyMap<string, readonly Message[]>): Promise<void> {
    this.#tell("deduplicated", await this.#leftOutByQueue(keyed), [...keyed.values()].flat());
  }

  async #leftOutByQueue(keyed: ReadonlyMap<string, readonly Message[]>, executor?: Executor): Promise<LeftOut[]> {
    const { queues, policy } = this.#parts;
    const messages = [...keyed].flatMap(([uniqueKey, of]) => of.map((message) => ({ message, uniqueKey })));
    if (messages.length === 0) return [];
    const refused = await queues.sendUnique?.(policy, messages, executor);
    return messages.flatMap(({ message }) =>
      refused?.has(message.id) === true ? [{ message, existing: refused.get(message.id) }] : [],
    );
  }

  async #sendUnique(keyed: ReadonlyMap<string, readonly Message[]>, unique: UniqueLocks<Payload>): Promise<void> {
    const claimed: { readonly key: string; readonly message: Message }[] = [];
    const leftOut: LeftOut[] = [];
    try {
      await inParallel([...keyed], async ([key, [first, ...others]]) => {
        if (first === undefined) return;
        const existing = await unique.claim(key, first.id);
        if (existing === undefined) claimed.push({ key, message: first });
        else leftOut.push({ message: first, existing });
        for (const message of others) leftOut.push({ message, existing: existing ?? first.id });
      });
      const messages = claimed.map(({ message }) => message);
      if (messages.length > 0) await this.#parts.queues.send(this.#parts.policy, messages);
    } catch (error) {
      // Sending them once more takes the locks anew; where nobody does, nothing must be locked out.
      await inParallel(claimed, ({ key, message }) => unique.release(key, message.id));
      throw error;
    }
    this.#tell("deduplicated", leftOut, [...keyed.values()].flat());
  }

  async #sendDebounced(keyed: ReadonlyMap<string, readonly Message[]>, debounce: Debounce<Payload>): Promise<void> {
    const leftOut: LeftOut[] = [];
    const prepared = await inParallel([...keyed], async ([key, of]) => {
      // Of those that are sent together only the last is needed.
      const last = of.reduce((a, b) => (b.id > a.id ? b : a));
      for (const message of of) if (message !== last) leftOut.push({ message, existing: last.id });
      return { key, ...(await debounce.prepare(key, last)) };
    });
    if (prepared.length > 0) {
      await this.#parts.queues.send(
        this.#parts.policy,
        prepared.map(({ message }) => message),
      );
    }
    await inParallel(prepared, async ({ key, message, plan }) => {
      if (plan !== undefined) await debounce.confirm(key, message, plan);
    });
    this.#tell("superseded", leftOut, [...keyed.values()].flat());
  }

  #tell(outcome: "deduplicated" | "superseded", leftOut: readonly LeftOut[], all: readonly Message[]): void {
    const { context } = this.#parts;
    confirmReceipts(all);
    for (const { message, existing } of leftOut) {
      const { id } = message;
      settleReceipt(message, outcome, existing);
      if (outcome === "deduplicated") context.tell({ what: outcome, queue: context.queue, id, existing });
      else if (existing !== undefined) context.tell({ what: outcome, queue: context.queue, id, by: existing });
    }
  }

  /** Messages by their key, in order. Those without one (a relay may meet old payloads) are sent as they are. */
  async #byKey(messages: readonly Message[]) {
    const keyed = new Map<string, Message[]>();
    const plain: Message[] = [];
    for (const message of messages) {
      const key = this.#keys.get(message) ?? (await this.#keyOf(message));
      const group = key === undefined ? plain : keyed.get(key);
      if (group !== undefined) group.push(message);
      else if (key !== undefined) keyed.set(key, [message]);
    }
    return { keyed, plain };
  }

  async #keyOf(message: Message): Promise<string | undefined> {
    try {
      const payload = await this.#parts.unpack(message);
      return this.#parts.unique?.keyOf(payload) ?? this.#parts.debounce?.keyOf(payload);
    } catch {
      // Its worker says what is wrong with it.
      return undefined;
    }
  }
}

/** In the order of the items, some of them at once. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += mostAtOnce) {
    const part = await Promise.allSettled(items.slice(from, from + mostAtOnce).map(work));
    for (const result of part) {
      if (result.status === "rejected") throw result.reason;
      results.push(result.value);
    }
  }
  return results;
}
