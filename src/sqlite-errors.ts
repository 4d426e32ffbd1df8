import type { Failure } from "./databases/database.js";
import { causesOf, messageOf } from "./errors.js";

/** What an error of a library of SQLite means. */
export function sqliteFailure(error: unknown): Failure {
  for (const cause of causesOf(error)) {
    const code = sqliteCodeOf(cause);
    if (code === undefined) continue;
    if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) return { kind: "retryable" };
    if (code === "SQLITE_CONSTRAINT_UNIQUE" || code === "SQLITE_CONSTRAINT_PRIMARYKEY") {
      // SQLite names the columns: UNIQUE constraint failed: grants.order_id, grants.reason
      return { kind: "unique violation", constraint: /failed: (.+)$/.exec(messageOf(cause))?.[1] };
    }
  }
  return { kind: "other" };
}

/** The codes that mean something here, as `node:sqlite` gives them: numbers, with the primary code in the low byte. */
const names: Readonly<Record<number, string>> = {
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  10: "SQLITE_IOERR",
  1555: "SQLITE_CONSTRAINT_PRIMARYKEY",
  2067: "SQLITE_CONSTRAINT_UNIQUE",
};

/** The name of SQLite's result code, if the error is one of SQLite's. */
export function sqliteCodeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (typeof errcode === "number") return names[errcode] ?? names[errcode & 0xff] ?? "SQLITE_ERROR";
  return typeof code === "string" && code.startsWith("SQLITE_") ? code : undefined;
}
