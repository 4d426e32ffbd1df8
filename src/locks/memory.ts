import type { LockStore } from "./lock-store.js";

/**
 * Locks in the memory of this process, for tests and for programs of one process. Two processes know nothing of each
 * other's (LK-09): both get the lock.
 */
export function memoryLocks(): LockStore {
  const entries = new Map<string, { readonly value: string; readonly expiresAt: number }>();
  let writes = 0;

  const live = (key: string) => {
    const entry = entries.get(key);
    const remainingMs = (entry?.expiresAt ?? 0) - Date.now();
    return entry !== undefined && remainingMs > 0 ? { value: entry.value, remaining: remainingMs / 1000 } : undefined;
  };

  const prune = () => {
    for (const key of entries.keys()) if (live(key) === undefined) entries.delete(key);
  };

  return {
    library: "memory",

    read: (key) => Promise.resolve(live(key)),

    compareAndSet(key, { from, to, ttl }) {
      const current = live(key);
      if (current?.value !== from) return Promise.resolve({ changed: false, current });
      if (to === undefined) entries.delete(key);
      else entries.set(key, { value: to, expiresAt: Date.now() + ttl * 1000 });
      if ((writes += 1) % 1000 === 0) prune();
      return Promise.resolve({ changed: true });
    },
  };
}
