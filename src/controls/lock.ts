import { randomUUID } from "node:crypto";
import { requireSeconds, type Seconds } from "../duration.js";
import { AftercommitError, ConfigurationError } from "../errors.js";
import type { LockEntry, LockStore } from "../locks/lock-store.js";
import { sleep } from "./sleep.js";

export interface LockOptions {
  /** How long it lives at most, in seconds. There is no lock without an end: a process that dies frees nothing. */
  readonly for: Seconds;
  /** The token by which the owner is known, to release a lock in another process (LK-04). Default: a new one. */
  readonly owner?: string;
}

/** The lock was held by somebody else all the time. */
export class LockHeldError extends AftercommitError {
  constructor(name: string, waited: Seconds) {
    super(`The lock "${name}" was held by somebody else for ${waited} s. What it guards was not begun.`, {
      code: "AFTERCOMMIT_LOCK_HELD",
      state: "nothing written",
    });
  }
}

/** How often who waits tries again. */
const retryEvery: Seconds = 0.25;

/**
 * A lock by a name. It saves work and decides nothing: it ends after its time, whether or not its holder goes on, and
 * the holder gets no other sign of that. "Done already?" is a matter of a ledger.
 */
export class Lock {
  readonly name: string;
  readonly owner: string;
  readonly #store: LockStore;
  readonly #ttl: Seconds;

  /** @throws ConfigurationError without a time, or for a name that a store may not take */
  constructor(store: LockStore, name: string, { for: ttl, owner = randomUUID() }: LockOptions) {
    if (!/^[\x21-\x7e]{1,200}$/.test(name)) {
      throw new ConfigurationError(
        `A lock's name is up to 200 characters of ASCII without spaces, not ${JSON.stringify(name)}.`,
      );
    }
    this.#store = store;
    this.#ttl = requireSeconds(ttl, "`for`");
    this.name = name;
    this.owner = owner;
  }

  /** Tries once. True when this owner has it now, also when it had it before; that does not make it live longer. */
  async acquire(): Promise<boolean> {
    return (await this.take()) === undefined;
  }

  /** @internal Tries once. @returns who has it instead; nothing when this owner has it now */
  async take(): Promise<LockEntry | undefined> {
    for (;;) {
      const answer = await this.#store.compareAndSet(this.name, { from: undefined, to: this.owner, ttl: this.#ttl });
      if (answer.changed || answer.current?.value === this.owner) return undefined;
      // It ended between the two looks of the store.
      if (answer.current !== undefined) return answer.current;
    }
  }

  /** Gives it back if this owner still has it (LK-02). @returns whether it had it */
  async release(): Promise<boolean> {
    const answer = await this.#store.compareAndSet(this.name, { from: this.owner, to: undefined, ttl: this.#ttl });
    return answer.changed;
  }

  /**
   * Runs `work` under the lock, and gives it back whatever happens (LK-06).
   *
   * @param options.wait how many seconds to wait for it. Default 0
   * @throws LockHeldError when it was not to be had (LK-05); whatever `work` throws
   */
  async run<T>(work: () => Promise<T> | T, options: { readonly wait?: Seconds } = {}): Promise<T> {
    const { wait = 0 } = options;
    const until = Date.now() + wait * 1000;
    while (!(await this.acquire())) {
      const restMs = until - Date.now();
      if (restMs <= 0) throw new LockHeldError(this.name, wait);
      await sleep(Math.min(restMs / 1000, retryEvery));
    }
    try {
      return await work();
    } finally {
      await this.release();
    }
  }
}
