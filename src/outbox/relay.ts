import { requireSeconds, type Seconds } from "../duration.js";
import { ConfigurationError } from "../errors.js";
import { requireCount } from "./checked-input.js";
import { insideOf, type Outbox } from "./outbox.js";
import type { GivenUp, LaneOptions, RelayErrorContext } from "./lane-options.js";
import { Lane } from "./relay-lane.js";
import { unfailing, warn } from "../unfailing.js";
import { Bell, Slots } from "./waiting.js";

export interface RelayOptions {
  readonly outbox: Outbox;
  /** How many rows are taken and sent together at most. Default 500. */
  readonly batch?: number;
  /** How often it looks for rows when nothing tells it of any, in seconds. Default 1. */
  readonly pollEvery?: Seconds;
  /** Whether to hear PostgreSQL's NOTIFY, which keeps one connection. Default: where the database can. */
  readonly listen?: boolean;
  /** How long other relays leave taken rows alone, in seconds. At least twice `sendTimeout`. Default 60. */
  readonly lease?: Seconds;
  /** How long to wait until the queue confirms, in seconds. Default 20. */
  readonly sendTimeout?: Seconds;
  /**
   * After so many failures a row is given up, if the queue has confirmed other rows meanwhile: an outage gives up
   * nothing. Default 10. See `outbox.list({ state: "failed" })`.
   */
  readonly tries?: number;
  /** The wait after the first failure, and the longest, in seconds; it doubles in between. Default 0.5 and 30. */
  readonly backoff?: { readonly first?: Seconds; readonly longest?: Seconds };
  /** How many statements it runs at once at most, each on a connection of the pool. Default 2. */
  readonly connections?: number;
  /** Deletes rows that were dispatched longer ago than so many seconds, once a minute. Default: never. */
  readonly keepFor?: Seconds;
  /** Told of whatever fails; the relay goes on by itself. Default: a warning of the process. */
  readonly onError?: (error: unknown, about: RelayErrorContext) => void;
  /** Told of each row that is given up, once that is written down. Default: a warning of the process. */
  readonly onGivenUp?: (row: GivenUp) => void;
}

export interface Relay {
  /**
   * Verifies the table, and begins to send the rows of every queue that the outbox serves in this process, now or
   * later.
   *
   * @throws ConfigurationError when the table is not right, or the relay was started before
   */
  start(): Promise<void>;

  /** Takes no more rows. Resolves when those that were taken are sent and marked, or given back (OB-15). */
  stop(): Promise<void>;

  /**
   * Stops at the first of these signals, default SIGTERM and SIGINT. If nobody else listens to it, the signal then ends
   * the process as it does by default.
   */
  stopOn(...signals: readonly StopSignal[]): Relay;
}

export type StopSignal = "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGQUIT";

/** How often rows that are old enough are deleted. */
const pruneEvery: Seconds = 60;

/**
 * Sends what is in an outbox, at least once, from as many processes as wanted: each row is taken by one relay at a time,
 * in a short transaction, and marked only when its queue has confirmed it. A relay that dies leaves its rows to the
 * others when its lease ends; one that was merely too slow marks nothing any more.
 *
 * @throws ConfigurationError for options that cannot be right
 */
export function createRelay(options: RelayOptions): Relay {
  const { database, table, wakeUp, resendAfter, onQueue } = insideOf(options.outbox);
  const { outbox, listen = true, keepFor, connections = 2 } = options;
  const onError = unfailing(options.onError ?? warn);
  const laneOptions = { ...checkedOptions(options, onError), resendAfter };
  const slots = new Slots(requireCount(connections, "`connections`"));
  if (keepFor !== undefined) requireSeconds(keepFor, "`keepFor`");
  const lanes = new Map<string, Lane>();
  const bell = new Bell();
  const ending = new AbortController();
  const loops: Promise<void>[] = [];
  const undo: (() => void)[] = [];
  let started = false;
  let stopped: Promise<void> | undefined;

  const isStopped = () => ending.signal.aborted;
  const wake = (queue: string) => {
    lanes.get(queue)?.wake();
  };

  /** Keeps a subscription alive. After each new one every lane looks, since it may have missed something. */
  const keepListening = async (channel: string) => {
    for (let failures = 0; !isStopped(); failures += 1) {
      if (failures > 0) await bell.silence(Math.min(2 ** Math.min(failures - 1, 10), 30));
      if (isStopped()) return;
      try {
        let end: () => void = () => undefined;
        const over = new Promise<void>((resolve) => {
          end = resolve;
        });
        const stop = await database.listen?.(channel, wake, (error) => {
          onError(error, { doing: "listen" });
          end();
        });
        failures = 0;
        for (const lane of lanes.values()) lane.wake();
        ending.signal.addEventListener("abort", end);
        if (isStopped()) end();
        await over;
        await stop?.();
      } catch (error) {
        onError(error, { doing: "listen" });
      }
    }
  };

  const keepPruning = async (olderThan: Seconds) => {
    while (!isStopped()) {
      await outbox.prune({ olderThan, signal: ending.signal }).catch((error: unknown) => {
        onError(error, { doing: "prune" });
      });
      await bell.silence(pruneEvery);
    }
  };

  const relay: Relay = {
    async start() {
      if (started) throw new ConfigurationError("This relay was started before. Create another one.");
      started = true;
      await outbox.verify();
      if (isStopped()) return;
      undo.push(
        onQueue((destination) => {
          lanes.set(destination.policy.name, new Lane(destination, table, slots, laneOptions));
        }),
        wakeUp.onCommitted(wake),
      );
      if (listen && wakeUp.channel !== undefined) loops.push(keepListening(wakeUp.channel));
      if (keepFor !== undefined) loops.push(keepPruning(keepFor));
    },

    stop() {
      stopped ??= (async () => {
        for (const end of undo) end();
        ending.abort();
        bell.end();
        await Promise.all([...[...lanes.values()].map((lane) => lane.stop()), ...loops]);
      })();
      return stopped;
    },

    stopOn(...signals) {
      for (const signal of signals.length === 0 ? (["SIGTERM", "SIGINT"] as const) : signals) {
        process.once(signal, () => {
          void relay.stop().finally(() => {
            if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
          });
        });
      }
      return relay;
    },
  };
  return relay;
}

function checkedOptions(options: RelayOptions, onError: LaneOptions["onError"]): Omit<LaneOptions, "resendAfter"> {
  const { batch = 500, pollEvery = 1, lease = 60, sendTimeout = 20, tries = 10, backoff = {} } = options;
  const { first = 0.5, longest = 30 } = backoff;
  requireSeconds(lease, "`lease`");
  requireSeconds(sendTimeout, "`sendTimeout`");
  if (lease < sendTimeout * 2) {
    throw new ConfigurationError(
      `The relay's \`lease\` (${lease} s) must be at least twice its \`sendTimeout\` (${sendTimeout} s), or another relay ` +
        "takes rows that this one is still sending.",
    );
  }
  return {
    batch: requireCount(batch, "`batch`"),
    pollEvery: requireSeconds(pollEvery, "`pollEvery`"),
    lease,
    sendTimeout,
    tries: requireCount(tries, "`tries`"),
    backoff: {
      first: requireSeconds(first, "`backoff.first`"),
      longest: requireSeconds(longest, "`backoff.longest`"),
    },
    onError,
    onGivenUp: unfailing(options.onGivenUp ?? warnGivenUp),
  };
}

function warnGivenUp({ queue, id, attempts }: GivenUp): void {
  process.emitWarning(
    `Job ${id} of queue "${queue}" was given up after ${attempts} attempts to send it. ` +
      "See `outbox.list`; send it again with `outbox.requeue`, or delete it with `outbox.discard`.",
  );
}
