import type { Dialect } from "../databases/database.js";
import type { Seconds } from "../duration.js";

/** A piece of SQL with `?` for each of its values, in every dialect. */
export interface Sql {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What the dialects say differently. Every time is of the database's clock. */
export interface Words {
  /** When the statement began. Not the transaction: a long one must not make a row look old (F17). */
  readonly now: string;
  /** The moment that is `seconds` after now; before it when negative. */
  readonly fromNow: (seconds: Seconds) => Sql;
  /** A time as text that `timeOf` understands. */
  readonly time: (column: string) => string;
  /** A value of ISO text as the column's type. */
  readonly isoTime: string;
  readonly isoValue: (time: Date) => string;
  readonly idIn: (ids: readonly string[]) => Sql;
  /**
   * Whether the id is one of those that a query answers. On PostgreSQL an array, which is made once and looked up by the
   * primary key: of a join it makes a scan of the whole table, or a search for each row that locks more than it takes.
   */
  readonly idAmong: (query: string) => string;
  readonly keyIn: (keys: readonly string[]) => Sql;
  /**
   * A condition that is always true, and lets the COMMIT of its statement not wait for the disk. For what a relay notes:
   * if the server crashes and forgets it, rows are sent once more, as after any crash.
   */
  readonly unhurried: string;
  /** What a SELECT of rows that are to be changed ends with. */
  readonly forUpdate: string;
}

const iso = (time: Date) => time.toISOString();
const list = (column: string, values: readonly string[]): Sql => ({
  text: `${column} IN (${values.map(() => "?").join(", ")})`,
  values,
});
const idAmong = (query: string) => `id IN (${query})`;
const jsonList = (column: string, values: readonly string[]): Sql => ({
  text: `${column} IN (SELECT value FROM json_each(?))`,
  values: [JSON.stringify(values)],
});

export const words: Readonly<Record<Dialect, Words>> = {
  postgres: {
    now: "statement_timestamp()",
    fromNow: (seconds) => ({
      text: "statement_timestamp() + ?::double precision * interval '1 second'",
      values: [seconds],
    }),
    time: (column) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS')`,
    isoTime: "?::timestamptz",
    isoValue: iso,
    // As text: ids need no quoting, and every driver can send it.
    idIn: (ids) => ({ text: "id = ANY(?::uuid[])", values: [`{${ids.join()}}`] }),
    idAmong: (query) => `id = ANY(ARRAY(${query}))`,
    keyIn: (keys) => ({
      text: "order_key IN (SELECT json_array_elements_text(?::json))",
      values: [JSON.stringify(keys)],
    }),
    unhurried: "(SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL",
    forUpdate: "FOR UPDATE SKIP LOCKED",
  },
  mysql: {
    now: "UTC_TIMESTAMP(3)",
    fromNow: (seconds) => ({
      text: "UTC_TIMESTAMP(3) + INTERVAL ? MICROSECOND",
      values: [Math.round(seconds * 1_000_000)],
    }),
    time: (column) => `CAST(${column} AS CHAR)`,
    isoTime: "?",
    isoValue: (time) => iso(time).slice(0, -1).replace("T", " "),
    idIn: (ids) => list("id", ids),
    idAmong,
    keyIn: (keys) => list("order_key", keys),
    unhurried: "1 = 1",
    forUpdate: "FOR UPDATE SKIP LOCKED",
  },
  sqlite: {
    now: "strftime('%Y-%m-%d %H:%M:%f', 'now')",
    fromNow: (seconds) => ({
      text: "strftime('%Y-%m-%d %H:%M:%f', 'now', ?)",
      values: [`${seconds.toFixed(3)} seconds`],
    }),
    time: (column) => column,
    isoTime: "?",
    isoValue: (time) => iso(time).slice(0, -1).replace("T", " "),
    idIn: (ids) => jsonList("id", ids),
    idAmong,
    keyIn: (keys) => jsonList("order_key", keys),
    unhurried: "1 = 1",
    // There is one writer at a time.
    forUpdate: "",
  },
};

/** The text with the dialect's own placeholders. */
export function placed(dialect: Dialect, text: string): string {
  if (dialect !== "postgres") return text;
  let count = 0;
  return text.replaceAll("?", () => `$${(count += 1).toString()}`);
}

/** The moment that `Words.time` wrote as text, which is UTC. */
export function timeOf(text: string): Date {
  return new Date(`${text.replace(" ", "T")}Z`);
}
