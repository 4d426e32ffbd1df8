import { requireSeconds, type Seconds } from "../duration.js";
import { ConfigurationError } from "../errors.js";
import type { HandleMethods } from "../guarded-handle.js";
import { HeldTransaction } from "../held-transaction.js";
import { failureOn, LibraryConnection, type LibraryTransaction } from "../library-connection.js";
import type { BeginOptions, Database, QueryResult } from "./database.js";

/** The members of a Prisma client or of its transaction that this needs. */
export interface PrismaRunner {
  $queryRawUnsafe(text: string, ...values: unknown[]): PromiseLike<unknown>;
  $executeRawUnsafe(text: string, ...values: unknown[]): PromiseLike<number>;
}

/** The members of a generated `PrismaClient`, extended or not, that this needs. */
export interface PrismaLike extends PrismaRunner {
  $transaction(work: (tx: PrismaRunner) => Promise<void>, options?: never): Promise<unknown>;
}

/** The type of the handle: `Prisma.TransactionClient`. */
export type TransactionClientOf<Client> = Client extends {
  $transaction(work: (tx: infer Handle extends PrismaRunner) => Promise<void>, options?: never): unknown;
}
  ? Handle
  : never;

export interface PrismaDatabaseOptions {
  /**
   * After how many seconds Prisma rolls a transaction back. It does not stop the function; what that sends then fails.
   * Default: Prisma's, which is 5 unless the client says otherwise.
   */
  readonly timeout?: Seconds;
  /** How long to wait for a connection, in seconds. Default: Prisma's, which is 2 unless the client says otherwise. */
  readonly maxWait?: Seconds;
}

const methods: HandleMethods = {
  statements: new Set(["$executeRaw", "$executeRawUnsafe", "$queryRaw", "$queryRawUnsafe"]),
  refused: new Set(),
};

const servers: Readonly<Record<string, "postgres" | "mysql">> = { postgresql: "postgres", mysql: "mysql" };

/**
 * PostgreSQL, MySQL and MariaDB through a client of Prisma 7. On PostgreSQL its promise says "committed" for a
 * transaction that the server rolled back, so the server is asked.
 *
 * @throws ConfigurationError for other databases
 */
export function prismaDatabase<Client extends PrismaLike>(
  client: Client,
  { timeout, maxWait }: PrismaDatabaseOptions = {},
): Database<TransactionClientOf<Client>> {
  const server = serverOf(client);
  const times = { ...milliseconds("timeout", timeout), ...milliseconds("maxWait", maxWait) };
  return {
    dialect: server,
    query: (text, values) => send(client, text, values),
    begin: async (options) => LibraryConnection.open(server, await begin(client, times, options), methods),
    failure: failureOn(server),
  };
}

async function begin<Client extends PrismaLike>(
  client: Client,
  times: object,
  { isolation }: BeginOptions = {},
): Promise<LibraryTransaction<TransactionClientOf<Client> & PrismaRunner>> {
  const options = { ...times, ...(isolation === undefined ? {} : { isolationLevel: levels[isolation] }) };
  const held = await HeldTransaction.open<TransactionClientOf<Client> & PrismaRunner>((work) =>
    client.$transaction(work as never, options as never),
  );
  return {
    handle: held.handle,
    ended: held.ended,
    query: (text, values) => send(held.handle, text, values),
    commit: () => held.commit(),
    rollback: () => held.rollback(),
  };
}

const levels = {
  "read committed": "ReadCommitted",
  "repeatable read": "RepeatableRead",
  serializable: "Serializable",
} as const;

/** Prisma answers either with rows or with how many there were. */
async function send<Row>(to: PrismaRunner, text: string, values: readonly unknown[] = []): Promise<QueryResult<Row>> {
  if (!returnsRows(text)) return { rows: [], affectedRows: await to.$executeRawUnsafe(text, ...values) };
  const rows = (await to.$queryRawUnsafe(text, ...values)) as Row[];
  return { rows, affectedRows: rows.length };
}

function returnsRows(text: string): boolean {
  if (/\breturning\b/i.test(text)) return true;
  return /^\s*(?:select|show|values|table|explain)\b/i.test(text) || isReadingWith(text);
}

function isReadingWith(text: string): boolean {
  return /^\s*with\b/i.test(text) && !/\b(?:insert|update|delete|merge)\b/i.test(text);
}

function milliseconds(name: "timeout" | "maxWait", value: Seconds | undefined) {
  return value === undefined ? {} : { [name]: requireSeconds(value, `\`${name}\``) * 1000 };
}

function serverOf(client: PrismaLike): "postgres" | "mysql" {
  // The provider of the schema: not in the types, and in every version since 4.
  const { _activeProvider: provider } = client as PrismaLike & { readonly _activeProvider?: string };
  const server = servers[provider ?? ""];
  if (server !== undefined) return server;
  throw new ConfigurationError(
    `This adapter knows Prisma's providers "postgresql" and "mysql", not ${String(provider)}.`,
  );
}
