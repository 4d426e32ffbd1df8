import type { Failure } from "./databases/database.js";
import { causesOf } from "./errors.js";

/** What a server of PostgreSQL said, as the drivers hand it on. Errors of a client have no SQLSTATE. */
interface PostgresError {
  readonly code: string;
  readonly severity: string;
  readonly constraint: string | undefined;
}

/** What an error of a PostgreSQL driver means. */
export function postgresFailure(error: unknown): Failure {
  const said = postgresErrorIn(error);
  switch (said?.code) {
    case "40001": // serialization_failure
    case "40P01": // deadlock_detected
    case "55P03": // lock_not_available
      return { kind: "retryable" };
    case "23505":
      return { kind: "unique violation", constraint: said.constraint };
    case "25P02":
      return { kind: "aborted" };
    default:
      return { kind: "other" };
  }
}

/**
 * Whether the server itself refused the COMMIT, which means "rolled back". A lost connection, an ending session
 * (FATAL) or an answer that says so itself (40003) leave the outcome unknown (TX-18).
 */
export function refusedByPostgres(error: unknown): boolean {
  const said = postgresErrorIn(error);
  return said?.severity === "ERROR" && said.code !== "40003" && !said.code.startsWith("08");
}

/** Whether a savepoint was refused because no transaction is open any more. */
export function isOutsidePostgresTransaction(error: unknown): boolean {
  return postgresErrorIn(error)?.code === "25P01";
}

function postgresErrorIn(error: unknown): PostgresError | undefined {
  for (const cause of causesOf(error)) {
    const said = readPostgresError(cause);
    if (said !== undefined) return said;
  }
  return undefined;
}

function readPostgresError(error: object): PostgresError | undefined {
  const { code, severity, constraint, constraint_name, originalCode, originalMessage } = error as Partial<
    Record<string, unknown>
  >;
  if (isSqlState(code) && typeof severity === "string") {
    // postgres.js says `constraint_name`.
    return { code, severity, constraint: [constraint, constraint_name].find((name) => typeof name === "string") };
  }
  // Prisma keeps the server's words for those errors that it has a word for itself, and these are of statements.
  if (isSqlState(originalCode)) {
    const [, named] = /constraint "(.+)"$/.exec(String(originalMessage)) ?? [];
    return { code: originalCode, severity: "ERROR", constraint: named };
  }
  return undefined;
}

function isSqlState(code: unknown): code is string {
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code);
}
