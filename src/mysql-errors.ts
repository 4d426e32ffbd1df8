import type { Failure } from "./databases/database.js";
import { causesOf } from "./errors.js";

/** What a server of MySQL or MariaDB said, as the drivers hand it on. */
interface MysqlError {
  readonly errno: number;
  readonly fatal: boolean;
  readonly message: string;
}

/** What an error of a MySQL driver means. */
export function mysqlFailure(error: unknown): Failure {
  const said = mysqlErrorIn(error);
  switch (said?.errno) {
    case 1020: // the row changed since the snapshot (MariaDB with innodb_snapshot_isolation)
    case 1205: // lock wait timeout
    case 1213: // deadlock
      return { kind: "retryable" };
    case 1062:
      // MariaDB names the key alone, MySQL after the table: for key 'orders.PRIMARY'
      return { kind: "unique violation", constraint: /for key '(?:[^']*\.)?([^'.]+)'/.exec(said.message)?.[1] };
    default:
      return { kind: "other" };
  }
}

/** Shutdown, killed connection, lost connection: the server does not say what became of the COMMIT. */
const unknownOutcome: ReadonlySet<number> = new Set([1053, 1317, 1927, 2006, 2013]);

/** Whether the server itself refused the COMMIT. */
export function refusedByMysql(error: unknown): boolean {
  const said = mysqlErrorIn(error);
  // Below 1000 are the driver's own numbers and those of the operating system; from 45000 those of `mariadb`.
  return said !== undefined && !said.fatal && isOfServer(said.errno) && !unknownOutcome.has(said.errno);
}

/** Whether a savepoint does not exist (any more). */
export function isSavepointMissing(error: unknown): boolean {
  return mysqlErrorIn(error)?.errno === 1305;
}

function isOfServer(errno: number): boolean {
  return errno >= 1000 && errno < 45000;
}

function mysqlErrorIn(error: unknown): MysqlError | undefined {
  for (const cause of causesOf(error)) {
    const said = readMysqlError(cause);
    if (said !== undefined) return said;
  }
  return undefined;
}

function readMysqlError(error: object): MysqlError | undefined {
  const { errno, fatal, sqlMessage, originalCode, originalMessage, kind, code, message } = error as Partial<
    Record<string, unknown>
  >;
  if (typeof errno === "number" && ("sqlState" in error || "sqlMessage" in error)) {
    return { errno, fatal: fatal === true, message: String(sqlMessage) };
  }
  // Prisma's, for those errors that it has a word for itself, and for others.
  if (typeof originalCode === "string" && /^\d{4}$/.test(originalCode)) {
    return { errno: Number(originalCode), fatal: false, message: String(originalMessage) };
  }
  return kind === "mysql" && typeof code === "number"
    ? { errno: code, fatal: false, message: String(message) }
    : undefined;
}
