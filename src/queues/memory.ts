import { setMaxListeners } from "node:events";
import type { Message, QueuePolicy, Queues, RunningWorker, Settlement, TakenMessage, WorkOptions } from "./queues.js";

/** A job that was given up, and why. */
export interface FailedMessage {
  readonly message: Message;
  readonly error: unknown;
}

export interface MemoryQueues extends Queues {
  /** Messages that wait for a worker, with those that are delayed. */
  waiting(queue: string): readonly Message[];
  /** Messages that were given up. */
  failed(queue: string): readonly FailedMessage[];
}

interface Entry {
  readonly message: Message;
  attempt: number;
  /** When it may be taken, in milliseconds. While it is taken: when its lease ends. */
  availableAt: number;
  /** Ends the lease of whoever has taken it. */
  lease: AbortController | undefined;
  /** Has the workers look again when it may be taken. */
  timer: NodeJS.Timeout | undefined;
}

interface Line {
  /** In the order in which the messages arrived. */
  readonly entries: Map<string, Entry>;
  readonly failed: FailedMessage[];
  readonly workers: Set<() => void>;
  /** Set while the workers are about to look. */
  looking: NodeJS.Immediate | undefined;
}

/** Above this a timer of Node fires at once. */
const longestTimerMs = 2 ** 31 - 1;

type Handle = (taken: TakenMessage) => Promise<Settlement>;

/**
 * Queues in the memory of this process, for tests and demonstrations. They behave like the real ones: at least once,
 * with a lease that ends, and a completion that counts only from the present holder.
 */
export function memoryQueues(): MemoryQueues {
  const lines = new Map<string, Line>();

  function line(name: string): Line {
    let known = lines.get(name);
    if (known === undefined) {
      lines.set(name, (known = { entries: new Map(), failed: [], workers: new Set(), looking: undefined }));
    }
    return known;
  }

  const lookIn = (of: Line) => {
    for (const look of of.workers) look();
  };

  /** Lets the workers of a queue look again, soon: once for everything that happens in this turn. */
  function wake(of: Line): void {
    of.looking ??= setImmediate(() => {
      of.looking = undefined;
      lookIn(of);
    });
  }

  /** Lets them look again when an entry may be taken. */
  function wakeFor(entry: Entry, within: Line): void {
    clearTimeout(entry.timer);
    const afterMs = entry.availableAt - Date.now();
    if (afterMs <= 0) wake(within);
    else entry.timer = setTimeout(lookWhenDue, Math.min(afterMs, longestTimerMs), entry, within);
  }

  function lookWhenDue(entry: Entry, within: Line): void {
    // A timer may fire a fraction of a millisecond early, and nobody else would look again.
    if (entry.availableAt > Date.now()) wakeFor(entry, within);
    else lookIn(within);
  }

  function take(from: Line, leaseMs: number): Entry | undefined {
    const now = Date.now();
    for (const entry of from.entries.values()) {
      if (entry.availableAt > now) continue;
      entry.lease?.abort();
      entry.lease = new AbortController();
      setMaxListeners(0, entry.lease.signal);
      entry.attempt += 1;
      entry.availableAt = now + leaseMs;
      wakeFor(entry, from);
      return entry;
    }
    return undefined;
  }

  function settle(within: Line, entry: Entry, settlement: Settlement): void {
    const { id } = entry.message;
    clearTimeout(entry.timer);
    switch (settlement.do) {
      case "complete":
        within.entries.delete(id);
        return;
      case "fail":
        within.entries.delete(id);
        within.failed.push({ message: entry.message, error: settlement.error });
        return;
      case "postpone":
      case "retry":
        if (settlement.do === "postpone") entry.attempt -= 1;
        entry.lease = undefined;
        entry.availableAt = Date.now() + settlement.delay * 1000;
        wakeFor(entry, within);
    }
  }

  async function handleOne(of: Line, entry: Entry, handle: Handle): Promise<void> {
    const { message, attempt, lease } = entry;
    if (lease === undefined) return;
    const settlement = await handle({ message, attempt, leaseLost: lease.signal });
    // Another worker has it by now, or had it and is done: what this one says does not count.
    if (entry.lease === lease && of.entries.get(message.id) === entry) settle(of, entry, settlement);
  }

  function work(policy: QueuePolicy, { concurrency, onError }: WorkOptions, handle: Handle): RunningWorker {
    const from = line(policy.name);
    const running = new Set<Promise<void>>();

    const look = () => {
      while (running.size < concurrency) {
        const entry = take(from, policy.retryAfter * 1000);
        if (entry === undefined) return;
        const handled = handleOne(from, entry, handle)
          .catch(onError)
          .finally(() => {
            running.delete(handled);
            wake(from);
          });
        running.add(handled);
      }
    };
    from.workers.add(look);
    wake(from);

    return {
      stop: async () => {
        from.workers.delete(look);
        await Promise.all(running);
      },
    };
  }

  return {
    library: "memory",

    send({ name }, messages) {
      const to = line(name);
      for (const message of messages) {
        if (to.entries.has(message.id)) continue;
        const availableAt = Date.now() + (message.delay ?? 0) * 1000;
        const entry: Entry = { message, attempt: 0, availableAt, lease: undefined, timer: undefined };
        to.entries.set(message.id, entry);
        wakeFor(entry, to);
      }
      return Promise.resolve();
    },

    effectiveLease: ({ retryAfter }) => Promise.resolve(retryAfter),
    work: (policy, options, handle) => Promise.resolve(work(policy, options, handle)),

    close() {
      for (const { entries, workers, looking } of lines.values()) {
        for (const { timer } of entries.values()) clearTimeout(timer);
        clearImmediate(looking);
        workers.clear();
      }
      return Promise.resolve();
    },

    waiting: (queue) =>
      [...line(queue).entries.values()].filter(({ lease }) => lease === undefined).map(({ message }) => message),
    failed: (queue) => line(queue).failed,
  };
}
