import type { Dialect } from "../databases/database.js";
import type { Seconds } from "../duration.js";

/** The statements on a table of locks, with `?` for each value. Every time is of the database's clock. */
export interface LockWords {
  /** Key. */
  readonly read: string;
  /** Key, value, time to live. Takes the place of a row that has expired, unless there is `takeOver`. */
  readonly insert: string;
  /** Value, time to live, key. Where INSERT cannot take the place of a row on a condition: the second step. */
  readonly takeOver: string | undefined;
  /** Value, time to live, key, expected value. */
  readonly replace: string;
  /** Key, expected value. */
  readonly remove: string;
  /** How many at most. */
  readonly prune: string;
  readonly ttlValue: (ttl: Seconds) => readonly unknown[];
}

interface Times {
  readonly now: string;
  /** The moment at which a row that is written now expires; one `?`. */
  readonly until: string;
  readonly remaining: string;
}

const onConflict = (table: string, { now, until }: Times) =>
  `INSERT INTO ${table} (lock_key, value, expires_at) VALUES (?, ?, ${until}) ON CONFLICT (lock_key) DO UPDATE ` +
  `SET value = excluded.value, expires_at = excluded.expires_at WHERE ${table}.expires_at <= ${now}`;

const common = (table: string, { now, until, remaining }: Times) => ({
  read: `SELECT value, ${remaining} AS remaining FROM ${table} WHERE lock_key = ? AND expires_at > ${now}`,
  replace: `UPDATE ${table} SET value = ?, expires_at = ${until} WHERE lock_key = ? AND value = ? AND expires_at > ${now}`,
  remove: `DELETE FROM ${table} WHERE lock_key = ? AND value = ? AND expires_at > ${now}`,
});

/** The table's name is put into the text as it is. */
export const lockWords: Readonly<Record<Dialect, (table: string) => LockWords>> = {
  postgres(table) {
    // Not of the transaction: statements are what is told apart.
    const times: Times = {
      now: "statement_timestamp()",
      until: "statement_timestamp() + ?::double precision * interval '1 second'",
      remaining: "extract(epoch FROM expires_at - statement_timestamp())::double precision",
    };
    return {
      ...common(table, times),
      insert: onConflict(table, times),
      takeOver: undefined,
      prune:
        `DELETE FROM ${table} WHERE lock_key IN (SELECT lock_key FROM ${table} WHERE expires_at <= ${times.now} ` +
        "ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED)",
      ttlValue: (ttl) => [ttl],
    };
  },

  mysql(table) {
    const times: Times = {
      now: "UTC_TIMESTAMP(6)",
      until: "UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND",
      remaining: "TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires_at) / 1000000",
    };
    return {
      ...common(table, times),
      insert: `INSERT INTO ${table} (lock_key, value, expires_at) VALUES (?, ?, ${times.until})`,
      takeOver: `UPDATE ${table} SET value = ?, expires_at = ${times.until} WHERE lock_key = ? AND expires_at <= ${times.now}`,
      prune: `DELETE FROM ${table} WHERE expires_at <= ${times.now} LIMIT ?`,
      ttlValue: (ttl) => [Math.max(Math.round(ttl * 1_000_000), 1)],
    };
  },

  sqlite(table) {
    const times: Times = {
      now: "unixepoch('subsec')",
      until: "unixepoch('subsec') + ?",
      remaining: "expires_at - unixepoch('subsec')",
    };
    return {
      ...common(table, times),
      insert: onConflict(table, times),
      takeOver: undefined,
      prune:
        `DELETE FROM ${table} WHERE lock_key IN (SELECT lock_key FROM ${table} WHERE expires_at <= ${times.now} ` +
        "ORDER BY expires_at LIMIT ?)",
      ttlValue: (ttl) => [ttl],
    };
  },
};
