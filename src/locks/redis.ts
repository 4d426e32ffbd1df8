import type { Seconds } from "../duration.js";
import type { LockEntry, LockStore } from "./lock-store.js";

/** The members of a client of `ioredis` (also of its cluster) that this needs. */
export interface IoredisClient {
  eval(script: string, numberOfKeys: number, ...args: string[]): Promise<unknown>;
  /** What tells it from a client of `redis`. */
  defineCommand(name: string, definition: { lua: string }): unknown;
}

/** The members of a client of `redis` (node-redis, also of its cluster) that this needs. */
export interface NodeRedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

export interface RedisLocksOptions {
  /** What each key begins with. Default "aftercommit:". */
  readonly prefix?: string;
}

const reading = `
local value = redis.call("GET", KEYS[1])
if not value then return false end
return { value, redis.call("PTTL", KEYS[1]) }
`;

/** "0" and "1" say whether there is a value to expect, and one to set: an empty text is a value, too. */
const changing = `
local current = redis.call("GET", KEYS[1])
local expected = ARGV[1] == "1" and ARGV[2] or false
if current ~= expected then
  if not current then return { 0 } end
  return { 0, current, redis.call("PTTL", KEYS[1]) }
end
if ARGV[3] == "1" then
  redis.call("SET", KEYS[1], ARGV[4], "PX", ARGV[5])
elseif current then
  redis.call("DEL", KEYS[1])
end
return { 1 }
`;

/**
 * Locks in Redis 2.6 or newer, or what speaks its protocol and runs Lua (Valkey, Dragonfly), by a client of `ioredis` or
 * of `redis`. A lock is lost when Redis evicts it (`maxmemory-policy` other than `noeviction`), restarts without its
 * data, or fails over to a replica that had not got it.
 */
export function redisLocks(
  client: IoredisClient | NodeRedisClient,
  { prefix = "aftercommit:" }: RedisLocksOptions = {},
): LockStore {
  const run = (script: string, key: string, args: string[] = []): Promise<unknown> =>
    "defineCommand" in client
      ? client.eval(script, 1, prefix + key, ...args)
      : client.eval(script, { keys: [prefix + key], arguments: args });

  return {
    library: "redis",

    async read(key) {
      const answer = (await run(reading, key)) as [string, number] | null;
      return answer === null ? undefined : entryOf(answer);
    },

    async compareAndSet(key, { from, to, ttl }) {
      const expected = from === undefined ? ["0", ""] : ["1", from];
      const wanted = to === undefined ? ["0", "", "0"] : ["1", to, milliseconds(ttl)];
      const [done, ...current] = (await run(changing, key, [...expected, ...wanted])) as [number, string?, number?];
      if (done === 1) return { changed: true };
      const [value, remaining] = current;
      return { changed: false, current: value === undefined ? undefined : entryOf([value, remaining ?? 0]) };
    },
  };
}

function entryOf([value, remainingMs]: [string, number]): LockEntry {
  return { value, remaining: Math.max(remainingMs, 1) / 1000 };
}

function milliseconds(ttl: Seconds): string {
  return Math.max(Math.round(ttl * 1000), 1).toString();
}
