import { checkedControls } from "./controls/checked-controls.js";
import type { OnControl } from "./controls/control-events.js";
import type {
  DebounceOptions,
  RateLimitOptions,
  ThrottleErrorsOptions,
  UniqueOptions,
  WithoutOverlappingOptions,
} from "./controls/control-options.js";
import { controlsOf } from "./controls/queue-controls.js";
import type { Delivery, SameTransaction } from "./delivery.js";
import { requireSeconds, type Compare, type Seconds } from "./duration.js";
import { insideOfService, type KeyedService, type ReviewedService } from "./effects/service.js";
import { ConfigurationError } from "./errors.js";
import { createQueue, type Queue, type RepeatSafety } from "./queue.js";
import { longestRedelivery } from "./ledger/retention.js";
import type { LockStore } from "./locks/lock-store.js";
import type { QueuePolicy, Queues, TransactionalQueues } from "./queues/queues.js";
import { refuseSecondCopy } from "./single-copy.js";
import { unpackPayload, type InputOf, type OutputOf, type StandardSchema } from "./standard-schema.js";

/** A sentence instead of the timeout, when it is a literal that is not below the lease. */
type CheckedTimeout<Timeout extends number, RetryAfter extends number> =
  Compare<Timeout, RetryAfter> extends "=" | ">"
    ? `The timeout (${Timeout}) must be below the connection's retryAfter (${RetryAfter}): a job that runs longer is given to a second worker while the first still runs.`
    : Timeout;

type LockWord = "unique" | "lock" | "without-overlapping" | "debounce";

type CheckedBy<By> = By extends LockWord
  ? "A lock only saves work: it expires, and its holder can lose it. Say what makes running the job twice equal to running it once: ledger, overwrite, external-key or review."
  : By extends RepeatSafety["by"]
    ? By
    : RepeatSafety["by"];

type CheckedRepeatSafety<By extends string> = {
  readonly by: CheckedBy<By>;
} & ("tolerated" extends By ? { readonly reason: string } : { readonly reason?: string }) &
  ("review" extends By
    ? { readonly service: ReviewedService }
    : {
        readonly service?: "external-key" extends By
          ? KeyedService
          : "A service goes with external-key, where it takes keys, or with review.";
      });

/** `UniqueFor` is `unique.for`, by which the compiler knows without the payload's type whether `unique` was given. */
type CheckedDebounce<UniqueFor, Payload> = [UniqueFor] extends [never]
  ? DebounceOptions<Payload>
  : "A queue is unique or debounced, not both: unique drops the later jobs, debounce the earlier ones.";

type CheckedDelivery<Given, Adapter> = Given extends SameTransaction
  ? Adapter extends TransactionalQueues
    ? Given
    : "Only a queue that lives in the business database can be written in the same transaction. Use an outbox."
  : Given;

interface Common<
  Schema extends StandardSchema,
  Timeout extends number,
  RetryAfter extends number,
  By extends string,
  UniqueFor extends number,
> {
  /** Any Standard Schema: zod, valibot, arktype … The payload is checked at enqueue and again at the worker. */
  readonly payload: Schema;
  /** How long a handler may run, in seconds. */
  readonly timeout: CheckedTimeout<Timeout, RetryAfter>;
  /** How often a job may be started in all. Default 1; with `retryFor` as often as queues can count, 32,767. */
  readonly tries?: number;
  /**
   * For how many seconds after its operation happened (`occurredAt`) a job may be started. Later it has failed, without
   * being started (AT-03). Default: there is no such time. On SQS it needs `tries`, below the `maxReceiveCount` there.
   */
  readonly retryFor?: Seconds;
  /** Seconds before the second start, the third, …; the last entry repeats. Default: none. */
  readonly backoff?: Seconds | readonly Seconds[];
  /** How running the job twice equals running it once: queues deliver at least once. */
  readonly repeatSafety: CheckedRepeatSafety<By>;
  /** Drops jobs that are asked for while one like them waits or runs. Saves work, and decides nothing. */
  readonly unique?: UniqueOptions<OutputOf<Schema>> & { readonly for: UniqueFor };
  /** Runs only the last of several jobs that are asked for in quick succession. */
  readonly debounce?: CheckedDebounce<UniqueFor, OutputOf<Schema>>;
  /** Keeps two jobs of one id from running at the same time, as long as its lock lives. */
  readonly withoutOverlapping?: WithoutOverlappingOptions<OutputOf<Schema>>;
  /** Lets only so many jobs of one id start in a time. */
  readonly rateLimit?: RateLimitOptions<OutputOf<Schema>> | readonly RateLimitOptions<OutputOf<Schema>>[];
  /** Starts no job of an id for a while after many errors. */
  readonly throttleErrors?: ThrottleErrorsOptions<OutputOf<Schema>>;
  /** Where the controls keep what they know. Default: the connection's. */
  readonly locks?: LockStore;
}

/** A queue needs a delivery of its own where its connection has none. */
type DeliveryOption<Given, Adapter, Default> = [Default] extends [undefined]
  ? { readonly delivery: CheckedDelivery<Given, Adapter> }
  : { readonly delivery?: CheckedDelivery<Given, Adapter> };

export interface QueueConnection<Adapter extends Queues, RetryAfter extends number, Default> {
  readonly queues: Adapter;
  readonly retryAfter: RetryAfter;

  /**
   * Defines a queue. Do it once a queue, in a module that use cases and workers import.
   *
   * @throws ConfigurationError when the definition cannot be right, for what the types could not see
   */
  queue<
    Schema extends StandardSchema,
    const Timeout extends number,
    const By extends string,
    Given extends Delivery,
    UniqueFor extends number = never,
  >(
    name: string,
    options: Common<Schema, Timeout, RetryAfter, By, UniqueFor> & DeliveryOption<Given, Adapter, Default>,
  ): Queue<InputOf<Schema>, OutputOf<Schema>>;
}

/**
 * Says which queue library carries the jobs, and its lease.
 *
 * @param options.retryAfter seconds after which the queue gives a job that was not completed to another worker
 * @param options.delivery the delivery of the queues that name none of their own, usually the outbox
 * @param options.locks where the controls of its queues keep what they know, unless a queue has its own
 * @param options.onControl told what the controls do, and when their store does not answer. Default: a warning of the
 *   process in the second case
 */
export function defineConnection<
  Adapter extends Queues,
  const RetryAfter extends number,
  Default extends Delivery | undefined = undefined,
>(options: {
  readonly queues: Adapter;
  readonly retryAfter: RetryAfter;
  readonly delivery?: Default;
  readonly locks?: LockStore;
  readonly onControl?: OnControl;
}): QueueConnection<Adapter, RetryAfter, Default> {
  const { queues, retryAfter, delivery: defaultDelivery, onControl } = options;
  refuseSecondCopy();
  requireSeconds(retryAfter, "`retryAfter`");
  const names = new Set<string>();

  return {
    queues,
    retryAfter,

    queue(name, given) {
      const checked = checkedOptions(name, given, retryAfter);
      if (names.has(name)) throw new ConfigurationError(`Queue "${name}" is defined twice on this connection.`);
      const delivery = (given.delivery ?? defaultDelivery) as Delivery | undefined;
      if (delivery === undefined) {
        throw new ConfigurationError(
          `Queue "${name}" has no delivery. Give it, or its connection, one: \`createOutbox({ transactions })\` ` +
            "(never lost), `afterCommit()` (lost when the process dies after the commit) or `sameTransaction()`.",
        );
      }
      const { unique, debounce, withoutOverlapping, rateLimit, throttleErrors } = given;
      const controls = checkedControls(
        { unique, debounce: debounce as DebounceOptions | undefined, withoutOverlapping, rateLimit, throttleErrors },
        checked.policy,
      );
      const policy = {
        ...checked.policy,
        ...(unique !== undefined && queues.sendUnique !== undefined
          ? { uniqueUntil: unique.until ?? "processed" }
          : {}),
      };
      const queue = createQueue({
        ...checked,
        policy,
        schema: given.payload,
        queues,
        delivery,
        controls: controlsOf(controls, {
          policy,
          queues,
          locks: given.locks ?? options.locks,
          onControl,
          unpack: (message) => unpackPayload(name, given.payload, message.payload) as Promise<never>,
        }),
      });
      names.add(name);
      return queue;
    },
  };
}

/** The largest number of the queues that count in two bytes (Graphile Worker). */
const mostTries = 32_767;

/** The checks that the types make for literals, for everything and everybody else. */
function checkedOptions(
  name: string,
  given: {
    timeout: unknown;
    tries?: number;
    retryFor?: Seconds;
    backoff?: Seconds | readonly Seconds[];
    repeatSafety: unknown;
  },
  retryAfter: Seconds,
) {
  const wrong = (what: string) => new ConfigurationError(`Queue ${JSON.stringify(name)}: ${what}`);
  if (name === "") throw wrong("a queue needs a name.");
  const timeout = requireSeconds(given.timeout, `The \`timeout\` of queue "${name}"`);
  if (timeout >= retryAfter) {
    throw wrong(
      `the timeout (${timeout}) must be below the connection's retryAfter (${retryAfter}), or a job that runs longer ` +
        "is given to a second worker while the first still runs.",
    );
  }
  const { retryFor, backoff = [] } = given;
  if (retryFor !== undefined) requireSeconds(retryFor, `The \`retryFor\` of queue "${name}"`);
  const { tries = retryFor === undefined ? 1 : mostTries } = given;
  if (!Number.isInteger(tries) || tries < 1) throw wrong(`\`tries\` must be a whole number from 1, not ${tries}.`);
  const waits = typeof backoff === "number" ? [backoff] : backoff;
  for (const wait of waits) {
    if (!Number.isFinite(wait) || wait < 0) throw wrong(`\`backoff\` must be seconds from 0, not ${String(wait)}.`);
  }
  const policy = {
    ...{ name, timeout, retryAfter, tries, backoff: waits },
    ...(retryFor === undefined ? {} : { retryFor }),
  };
  const repeatSafety = checkedRepeatSafety(given.repeatSafety, wrong);
  checkService(repeatSafety, policy, wrong);
  return { policy, repeatSafety };
}

const answers: ReadonlySet<string> = new Set<RepeatSafety["by"]>([
  "ledger",
  "overwrite",
  "external-key",
  "review",
  "tolerated",
]);

function checkedRepeatSafety(given: unknown, wrong: (what: string) => ConfigurationError): RepeatSafety {
  const { by, reason } = (given ?? {}) as { by?: string; reason?: string };
  if (by === undefined || !answers.has(by)) {
    throw wrong(
      `\`repeatSafety\` must say how running the job twice equals running it once: by ${[...answers].join(", ")}; not ` +
        `${String(by)}. A lock is no answer: it expires, and its holder can lose it.`,
    );
  }
  if (by === "tolerated" && (reason === undefined || reason.trim() === "")) {
    throw wrong('`repeatSafety: { by: "tolerated" }` needs a `reason`.');
  }
  return given as RepeatSafety;
}

/** Compares the queue's settings with those of the service that its jobs call. */
function checkService(
  { by, service }: { readonly by: string; readonly service?: KeyedService | ReviewedService },
  policy: QueuePolicy,
  wrong: (what: string) => ConfigurationError,
): void {
  if (service === undefined) {
    if (by !== "review") return;
    throw wrong(
      '`repeatSafety: { by: "review" }` needs the `service` that its jobs call (`effects.service(name, { timeout })`): ' +
        "its record is what a person reviews.",
    );
  }
  insideOfService(service);
  const keysKeptFor = "keysKeptFor" in service ? service.keysKeptFor : undefined;
  if (by !== (keysKeptFor === undefined ? "review" : "external-key")) {
    throw wrong(
      `service "${service.name}" ${keysKeptFor === undefined ? "takes no" : "takes an"} idempotency key, so its jobs are ` +
        `repeat-safe by "${keysKeptFor === undefined ? "review" : "external-key"}", not by "${by}".`,
    );
  }
  if (service.timeout >= policy.timeout) {
    throw wrong(
      `the timeout (${policy.timeout}) must be above that of a call to service "${service.name}" (${service.timeout}), or ` +
        "the job ends before its call.",
    );
  }
  if (keysKeptFor === undefined) return;
  const longest = longestRedelivery(policy);
  if (keysKeptFor > longest + service.timeout) return;
  throw wrong(
    `it can go on delivering a job for ${longest} s, but service "${service.name}" forgets keys after ${keysKeptFor} s ` +
      "(`keysKeptFor`), and would take a later request for another operation. Lower `tries` or `backoff`.",
  );
}
