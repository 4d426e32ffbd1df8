import { Committed } from "./committed.js";
import { sendTo, type Delivery, type Destination } from "./delivery.js";
import type { QueueControls } from "./controls/queue-controls.js";
import type { RunningControls } from "./controls/running-controls.js";
import type { SendingControls } from "./controls/sending-controls.js";
import type { Executor } from "./databases/database.js";
import type { Seconds } from "./duration.js";
import type { KeyedService, ReviewedService } from "./effects/service.js";
import { CommitOutcomeUnknownError, RolledBackError } from "./errors.js";
import { newJobId } from "./job-id.js";
import { jobObserver } from "./job-observer.js";
import type { Message, QueuePolicy, Queues } from "./queues/queues.js";
import { confirmReceipts, receiptOf, type Receipt } from "./receipt.js";
import { packPayload, type InputOf, type OutputOf, type Packed, type StandardSchema } from "./standard-schema.js";
import type { Transaction } from "./transaction.js";
import { scopeOf, type TransactionScope } from "./transaction-scope.js";

export interface EnqueueOptions {
  /** Start no earlier than this many seconds after the job has reached the queue. */
  readonly delay?: Seconds;
  /** Jobs with the same key leave an outbox in the order in which they were enqueued. */
  readonly orderKey?: string;
  /** When the business operation happened. Default: now. */
  readonly occurredAt?: Date;
}

/** A queue as use cases know it: `Input` goes in, the handler gets `Output` (what the schema makes of it). */
export interface Queue<in Input = never, out Output = unknown> {
  readonly name: string;
  /** For the type checker only: what a handler gets. */
  readonly "~output"?: Output;

  /**
   * Asks for a job that is dispatched only if the transaction commits, by the queue's delivery. The payload is fixed
   * now: what happens to the object later does not matter (AC-12).
   *
   * @returns the job's id, and what became of the request as soon as that is known: controls (`unique`, `debounce`)
   *   decide after the commit
   * @throws InvalidPayloadError, InvalidKeyError, ConfigurationError, TransactionClosedError; nothing was written then
   */
  enqueue(tx: Transaction, payload: Input, options?: EnqueueOptions): Promise<Receipt>;

  /**
   * Dispatches a job about something that is committed. It resolves when the queue has confirmed the job. A pending
   * value (its `run` had joined a transaction) is sent after the outermost commit, or never (AC-09): then this resolves
   * at once. The job is lost when the process dies between the commit and this call; `enqueue` is not.
   *
   * @returns the job's id, and what became of the request
   * @throws InvalidPayloadError, InvalidKeyError
   * @throws LockStoreError when a control fails closed
   * @throws RolledBackError, CommitOutcomeUnknownError when the pending value's transaction has ended like that
   */
  dispatch(payload: Committed<Input>, options?: EnqueueOptions): Promise<Receipt>;
}

/** What a worker and a relay need of a queue besides. `definitionOf` gives it. */
export interface QueueDefinition<Output = unknown> extends Destination {
  readonly schema: StandardSchema<unknown, Output>;
  readonly repeatSafety: RepeatSafety;
  readonly delivery: Delivery;
  /** Of the queue's jobs when they run. Missing where there are none. */
  readonly controls: RunningControls<Output> | undefined;
}

/** How running the queue's job twice equals running it once. */
export type RepeatSafety =
  /** A unique constraint decides, in the transaction of the effect. */
  | { readonly by: "ledger" }
  /** The job writes the same values each time, whatever was there. */
  | { readonly by: "overwrite" }
  /**
   * The other service takes an idempotency key, and gets one that the business operation decided. With `service` the key
   * is pinned to the request, and the queue's settings are compared with how long the service keeps keys.
   */
  | { readonly by: "external-key"; readonly service?: KeyedService }
  /** The other service takes no key: it is asked once, and what became of a call without an answer is put before a person. */
  | { readonly by: "review"; readonly service: ReviewedService }
  /** Twice is no harm. */
  | { readonly by: "tolerated"; readonly reason: string };

const definitions = new WeakMap<object, QueueDefinition>();

/** The definition of a queue that `defineConnection(…).queue(…)` made. */
export function definitionOf<Output>(queue: Queue<never, Output>): QueueDefinition<Output> {
  const definition = definitions.get(queue);
  if (definition === undefined) throw new TypeError("This is no queue that `defineConnection(…).queue(…)` has made.");
  return definition as QueueDefinition<Output>;
}

interface Parts<Schema extends StandardSchema> {
  readonly schema: Schema;
  readonly policy: QueuePolicy;
  readonly queues: Queues;
  readonly repeatSafety: RepeatSafety;
  readonly delivery: Delivery;
  /** Made for this schema. */
  readonly controls: QueueControls<never> | undefined;
}

/** @internal Queues are made by a connection, which has checked the parts. */
export function createQueue<Schema extends StandardSchema>(
  parts: Parts<Schema>,
): Queue<InputOf<Schema>, OutputOf<Schema>> {
  const { policy, delivery } = parts;
  const controls = parts.controls as QueueControls<OutputOf<Schema>> | undefined;
  const schema = parts.schema as StandardSchema<unknown, OutputOf<Schema>>;
  const definition: QueueDefinition<OutputOf<Schema>> = {
    ...destinationOf(policy, parts.queues, controls?.sending),
    schema,
    repeatSafety: parts.repeatSafety,
    delivery,
    controls: controls?.running,
  };
  delivery.serve?.(definition);

  const messageOf = (
    { body, value }: Packed<OutputOf<Schema>>,
    { delay, orderKey, occurredAt }: EnqueueOptions,
  ): Message => {
    const id = newJobId();
    const meta = jobObserver()?.asked(definition, id);
    const message: Message = {
      id,
      payload: body,
      occurredAt: occurredAt ?? new Date(),
      ...(delay === undefined ? {} : { delay }),
      ...(orderKey === undefined ? {} : { orderKey }),
      ...(meta === undefined ? {} : { meta }),
    };
    controls?.sending?.remember(message, value);
    return message;
  };

  const queue: Queue<InputOf<Schema>, OutputOf<Schema>> = {
    name: policy.name,

    async enqueue(tx, payload, options = {}) {
      const packed = packPayload(policy.name, schema, payload);
      const message = messageOf(packed instanceof Promise ? await packed : packed, options);
      scopeOf(tx).countJob(policy.name);
      delivery.enqueue(tx, definition, message);
      return receiptOf(message);
    },

    async dispatch(committed, options = {}) {
      const message = messageOf(await packPayload(policy.name, schema, committed.value), options);
      const pending = stillOpen(Committed.joinedBy(committed));
      if (pending === undefined) await sendTo(definition)([message]);
      else pending.afterCommitTogether(sendTo(definition), message);
      return receiptOf(message);
    },
  };
  definitions.set(queue, definition);
  return queue;
}

/** Where messages go, past the controls where there are any. */
function destinationOf<Payload>(
  policy: QueuePolicy,
  queues: Queues,
  controls: SendingControls<Payload> | undefined,
): Destination {
  const base = { policy, queues, leavesOut: controls !== undefined };
  if (controls !== undefined) {
    return {
      ...base,
      send: (messages) => controls.send(messages),
      ...(policy.uniqueUntil === undefined
        ? {}
        : {
            sendWithin: (executor: Executor, messages: readonly Message[]) => controls.sendWithin(executor, messages),
          }),
      committed: (messages) => {
        controls.committed(messages);
      },
    };
  }
  return {
    ...base,
    async send(messages) {
      await queues.send(policy, messages);
      confirmReceipts(messages);
    },
    sendWithin: (executor, messages) => queues.sendWithin?.(executor, policy, messages) ?? Promise.resolve(),
    committed: confirmReceipts,
  };
}

/** The open transaction on which a committed value still depends, if any. */
function stillOpen(joined: TransactionScope | undefined): TransactionScope | undefined {
  let scope = joined;
  while (scope?.state === "released") scope = scope.parent;
  switch (scope?.state) {
    case "rolled back":
      throw new RolledBackError("The transaction that the value came from was rolled back. Nothing was dispatched.");
    case "unknown":
      throw new CommitOutcomeUnknownError("the transaction that the value came from has an unknown outcome");
    case "open":
    case "ending":
      return scope;
    default:
      return undefined;
  }
}
