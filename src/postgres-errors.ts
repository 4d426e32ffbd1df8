import type { Failure } from "./databases/database.js";
import { causesOf } from "./errors.js";

/** How PostgreSQL's errors look in `pg` and in PGlite: they have a SQLSTATE. Errors of the client have none. */
interface PostgresError {
  readonly code: string;
  readonly severity: string;
  readonly constraint?: string;
}

/** What an error of a PostgreSQL driver means. */
export function postgresFailure(error: unknown): Failure {
  for (const cause of causesOf(error)) {
    if (!isPostgresError(cause)) continue;
    switch (cause.code) {
      case "40001": // serialization_failure
      case "40P01": // deadlock_detected
      case "55P03": // lock_not_available
        return { kind: "retryable" };
      case "23505":
        return { kind: "unique violation", constraint: cause.constraint };
      case "25P02":
        return { kind: "aborted" };
    }
  }
  return { kind: "other" };
}

/**
 * Whether the server itself refused the COMMIT, which means "rolled back". A lost connection, an ending session
 * (FATAL) or an answer that says so itself (40003) leave the outcome unknown (TX-18).
 */
export function refusedByPostgres(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    isPostgresError(error) &&
    error.severity === "ERROR" &&
    error.code !== "40003" &&
    !error.code.startsWith("08")
  );
}

function isPostgresError(error: object): error is PostgresError {
  return "code" in error && typeof error.code === "string" && /^[0-9A-Z]{5}$/.test(error.code) && "severity" in error;
}
