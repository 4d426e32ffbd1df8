import type { Seconds } from "../duration.js";
import type { LockEntry, LockStore } from "../locks/lock-store.js";
import { sleep } from "./sleep.js";

/** What is to become of a value; `undefined` leaves it as it is. */
export interface Next {
  /** `undefined` removes it. */
  readonly value: string | undefined;
  readonly ttl: Seconds;
}

/** So many others have changed the value meanwhile: something is wrong, and it is the store that fails. */
const mostTries = 100;

/**
 * Changes a value that several processes change: reads it, lets `next` decide, and does both again when somebody was
 * faster.
 *
 * @returns what was there before
 */
export async function updateValue(
  store: LockStore,
  key: string,
  next: (current: LockEntry | undefined) => Next | undefined,
): Promise<LockEntry | undefined> {
  let current = await store.read(key);
  for (let tries = 1; tries <= mostTries; tries += 1) {
    const wanted = next(current);
    if (wanted === undefined) return current;
    const answer = await store.compareAndSet(key, { from: current?.value, to: wanted.value, ttl: wanted.ttl });
    if (answer.changed) return current;
    current = answer.current;
    if (tries > 3) await sleep((Math.random() * Math.min(tries, 20)) / 1000);
  }
  throw new Error(`the value of "${key}" in ${store.library} changed ${mostTries} times while it was to be changed`);
}
