import type { LockChange, LockEntry, LockStore } from "./lock-store.js";

type Callback<T> = (error: unknown, answer: T) => void;

/** The members of a client of the library `memcached` that this needs. */
export interface MemcachedClient {
  gets(key: string, callback: Callback<Record<string, unknown> | undefined>): void;
  add(key: string, value: string, lifetime: number, callback: Callback<boolean>): void;
  cas(key: string, value: string, cas: string, lifetime: number, callback: Callback<boolean>): void;
}

interface Stored {
  /** By the server: the same as long as nobody has written. */
  readonly cas: string;
  readonly value: string;
  /** In milliseconds since 1970, by the clock of the process that wrote it. */
  readonly expiresAt: number;
}

/** Above this Memcached takes a lifetime for a date. */
const longestLifetime = 30 * 86_400;

/**
 * Locks in Memcached, by the library `memcached`. A lock is lost when Memcached evicts it or restarts. Memcached counts
 * whole seconds and at most 30 days, so the exact end of a lock stands in its value, by the clock of the process that wrote it: keep the
 * clocks of your machines together, or give locks longer than they differ.
 */
export function memcachedLocks(client: MemcachedClient): LockStore {
  const read = async (key: string): Promise<Stored | undefined> => {
    const answer = await asked<Record<string, unknown> | undefined>((done) => {
      client.gets(key, done);
    });
    const { cas, [key]: text } = answer ?? {};
    if (typeof cas !== "string" || typeof text !== "string") return undefined;
    const [expiresAt = "", ...rest] = text.split(" ");
    return { cas, value: rest.join(" "), expiresAt: Number(expiresAt) };
  };

  /** The lifetime is longer than the lock's, so that its own end decides; −1 removes it at once. */
  const write = async (key: string, { to, ttl }: LockChange, cas: string | undefined): Promise<boolean> => {
    const text = to === undefined ? "0 " : `${Math.round(Date.now() + ttl * 1000).toString()} ${to}`;
    const lifetime = to === undefined ? -1 : Math.min(Math.ceil(ttl) + 1, longestLifetime);
    return asked<boolean>((done) => {
      if (cas === undefined) client.add(key, text, lifetime, done);
      else client.cas(key, text, cas, lifetime, done);
    });
  };

  return {
    library: "memcached",

    read: async (key) => entryOf(await read(key)),

    async compareAndSet(key, change) {
      const stored = await read(key);
      const current = entryOf(stored);
      if (current?.value !== change.from) return { changed: false, current };
      if (change.to === undefined && current === undefined) return { changed: true };
      if (await write(key, change, stored?.cas)) return { changed: true };
      return { changed: false, current: entryOf(await read(key)) };
    },
  };
}

function entryOf(stored: Stored | undefined): LockEntry | undefined {
  const remainingMs = (stored?.expiresAt ?? 0) - Date.now();
  return stored !== undefined && remainingMs > 0 ? { value: stored.value, remaining: remainingMs / 1000 } : undefined;
}

/** "Somebody else has written" arrives as false; of `add`, as an error that says so. */
function asked<T>(ask: (done: Callback<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    ask((error, answer) => {
      const refused = typeof error === "object" && error !== null && "notStored" in error;
      if (error === undefined || error === null || refused) resolve(answer);
      else reject(error instanceof Error ? error : new Error("Memcached did not answer", { cause: error }));
    });
  });
}
