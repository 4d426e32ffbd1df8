import { ConfigurationError } from "../errors.js";
import type { LockStore } from "../locks/lock-store.js";
import type { Message, QueuePolicy, Queues } from "../queues/queues.js";
import { unfailing } from "../unfailing.js";
import type { ControlContext } from "./control-context.js";
import type { ControlEvent, OnControl } from "./control-events.js";
import type { ControlOptions } from "./control-options.js";
import { Debounce } from "./debounce.js";
import { RunningControls } from "./running-controls.js";
import { SendingControls } from "./sending-controls.js";
import { UniqueLocks } from "./unique.js";

/** The controls of one queue. */
export interface QueueControls<Payload> {
  /** Missing where nothing is controlled when messages are sent. */
  readonly sending: SendingControls<Payload> | undefined;
  readonly running: RunningControls<Payload>;
}

export interface ControlParts<Payload> {
  readonly policy: QueuePolicy;
  readonly queues: Queues;
  readonly locks: LockStore | undefined;
  readonly onControl: OnControl | undefined;
  readonly unpack: (message: Message) => Promise<Payload>;
}

/**
 * @returns nothing for a queue without controls
 * @throws ConfigurationError for options that cannot be right
 */
export function controlsOf<Payload>(
  options: ControlOptions<Payload>,
  parts: ControlParts<Payload>,
): QueueControls<Payload> | undefined {
  const { policy, queues, locks, onControl = warnOfFailures, unpack } = parts;
  const named = Object.entries(options).filter(([, given]) => given !== undefined);
  if (named.length === 0) return undefined;
  const ownUnique = options.unique !== undefined && queues.sendUnique === undefined;
  const needs = named.map(([name]) => name).filter((name) => name !== "unique" || ownUnique);
  if (needs.length > 0 && locks === undefined) {
    throw new ConfigurationError(
      `Queue "${policy.name}": ${needs.map((name) => `\`${name}\``).join(" and ")} must know of jobs in other processes. ` +
        "Give the queue, or its connection, `locks`: `redisLocks(client)`, `databaseLocks({ database })` …",
    );
  }
  const context: ControlContext = {
    queue: policy.name,
    // Nothing asks it where the queue itself is unique and has no other control.
    store: locks ?? noStore,
    tell: unfailing(onControl),
  };
  const unique = options.unique && new UniqueLocks(context, options.unique);
  const debounce = options.debounce && new Debounce(context, options.debounce);
  const sends = unique !== undefined || debounce !== undefined;
  return {
    sending: sends ? new SendingControls({ policy, queues, context, unique, debounce, unpack }) : undefined,
    running: new RunningControls(context, options, ownUnique ? unique : undefined, debounce),
  };
}

const refuse = () => Promise.reject(new Error("this queue has no lock store"));
const noStore: LockStore = { library: "none", read: refuse, compareAndSet: refuse };

function warnOfFailures(event: ControlEvent): void {
  if (event.what !== "store failed") return;
  process.emitWarning(
    `The lock store of \`${event.control}\` of queue "${event.queue}" did not answer: ` +
      (event.error instanceof Error ? event.error.message : String(event.error)),
  );
}
