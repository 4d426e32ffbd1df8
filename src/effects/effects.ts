import type { Database } from "../databases/database.js";
import { requireSeconds, type Seconds } from "../duration.js";
import { ConfigurationError } from "../errors.js";
import { checkedAge, pruneInBatches, type PruneOptions } from "../ledger/retention.js";
import { plainTableName } from "../plain-table-name.js";
import type { TransactionManager } from "../transaction-manager.js";
import { defaultEffectsTable } from "./ddl.js";
import type { EffectRecord, EffectState, Resolution } from "./effect-record.js";
import { EffectTable } from "./effect-table.js";
import { createService, type KeyedService, type ReviewedService } from "./service.js";
import { verifyEffectsTable } from "./verify.js";

export interface EffectsOptions {
  /** Whose database has the table. Records are committed by themselves, in no transaction of the business. */
  readonly transactions: TransactionManager;
  /** The table's name, with a schema where wanted. Default "aftercommit_effects". */
  readonly table?: string;
  /**
   * For how many seconds a record is kept at least. An operation that happened longer ago is refused (RT-02), and `call`
   * then needs `occurredAt`. Default: for ever, and `prune` refuses (RT-06).
   */
  readonly retention?: Seconds;
}

export interface ServiceOptions {
  /** How long a call may take at most, in seconds: below the timeout of the queues whose jobs make it. */
  readonly timeout: Seconds;
}

export interface KeyedServiceOptions extends ServiceOptions {
  /** For how long the service remembers an idempotency key, in seconds, by its documentation. */
  readonly keysKeptFor: Seconds;
}

export interface ListEffectsOptions {
  /** A state, or "review" for what waits for a person. Default "review". */
  readonly state?: EffectState | "review";
  /** Default: of all services. */
  readonly service?: string;
  /** How many records at most. Default 100. */
  readonly limit?: number;
}

export interface Effects {
  /**
   * A service that takes an idempotency key with each request. The key is pinned to the request, and an operation whose
   * answer did not come is asked for again with both.
   *
   * @throws ConfigurationError
   */
  service(name: string, options: KeyedServiceOptions): KeyedService;
  /**
   * A service that takes no key. An operation whose answer did not come is never asked for again by itself: it waits for
   * a person.
   *
   * @throws ConfigurationError
   */
  service(name: string, options: ServiceOptions): ReviewedService;

  /**
   * Looks whether the table is there and right. Happens by itself with the first call, and when a worker starts whose
   * queue names a service of these.
   *
   * @throws ConfigurationError that says what is missing, with the statements that make the table
   */
  verify(): Promise<void>;

  /** The records in a state, the oldest first. Default: those that wait for a person. */
  list(options?: ListEffectsOptions): Promise<EffectRecord[]>;

  /**
   * Writes down what a person has found out about an operation that waits for one. The next run of its job gets it as the
   * service's answer, or calls the service for "not sent".
   *
   * @returns whether it waited for a person
   * @throws ConfigurationError for a result that JSON cannot say
   */
  resolve(key: string, resolution: Resolution): Promise<boolean>;

  /**
   * Deletes records that were decided long ago, in small batches, unless a duplicate of them could still arrive (F20).
   * What is undecided stays.
   *
   * @returns how many
   * @throws ConfigurationError for a time that is too short (RT-03) or effects without `retention` (RT-06)
   */
  prune(options: PruneOptions): Promise<number>;
}

interface EffectsInside {
  readonly database: Database;
  readonly retention: Seconds | undefined;
}

const insides = new WeakMap<object, EffectsInside>();

/** @throws ConfigurationError when it was not made by `createEffects` */
export function insideOfEffects(effects: Effects): EffectsInside {
  const inside = insides.get(effects);
  if (inside === undefined) throw new ConfigurationError("`effects` must be what `createEffects` has made.");
  return inside;
}

/**
 * A record of what other services were asked to do and what they have answered: what a transaction and a ledger cannot
 * protect, because it is not in the database (F19).
 *
 * @throws ConfigurationError
 */
export function createEffects(options: EffectsOptions): Effects {
  const { transactions, retention } = options;
  const { database } = transactions;
  const tableName = plainTableName(options.table ?? defaultEffectsTable, "The table of external effects");
  if (retention !== undefined) requireSeconds(retention, "`retention`");
  const table = new EffectTable(database, tableName);
  const names = new Set<string>();
  let verified: Promise<void> | undefined;

  async function verifyFirst(): Promise<void> {
    verified ??= verifyEffectsTable(database, tableName);
    const mine = verified;
    await mine.catch((error: unknown) => {
      if (verified === mine) verified = undefined;
      throw error;
    });
  }

  function service(name: string, serviceOptions: KeyedServiceOptions): KeyedService;
  function service(name: string, serviceOptions: ServiceOptions): ReviewedService;
  function service(
    name: string,
    serviceOptions: ServiceOptions & { readonly keysKeptFor?: Seconds },
  ): KeyedService | ReviewedService {
    const { timeout, keysKeptFor } = serviceOptions;
    if (name === "" || names.has(name)) {
      throw new ConfigurationError(name === "" ? "A service needs a name." : `Service "${name}" is defined twice.`);
    }
    requireSeconds(timeout, `The \`timeout\` of service "${name}"`);
    if (keysKeptFor !== undefined) {
      requireSeconds(keysKeptFor, `\`keysKeptFor\` of service "${name}"`);
      if (keysKeptFor <= timeout) {
        throw new ConfigurationError(
          `\`keysKeptFor\` of service "${name}" (${keysKeptFor} s) must be above its timeout (${timeout} s), or a request ` +
            "could arrive when its key is forgotten.",
        );
      }
    }
    names.add(name);
    const made = createService({
      name,
      timeout,
      keysKeptFor,
      retention,
      table,
      isInTransaction: () => transactions.current() !== undefined,
      verifyFirst,
      verify: () => verifyEffectsTable(database, tableName),
    });
    return keysKeptFor === undefined
      ? Object.assign(made, { "~repeats": "never, what is unknown goes to review" } as const)
      : Object.assign(made, { "~repeats": "by its key", keysKeptFor } as const);
  }

  const effects: Effects = {
    service,
    verify: () => verifyEffectsTable(database, tableName),
    list: ({ state = "review", service: of, limit = 100 } = {}) => table.list(state, of, limit),

    async resolve(key, resolution) {
      return table.resolve(key, resolution.as, answerOf(resolution), resolution.note);
    },

    async prune(pruneOptions) {
      const age = checkedAge(retention, pruneOptions, "These effects keep their records");
      await verifyEffectsTable(database, tableName);
      return pruneInBatches(pruneOptions, (most, margin) => table.prune(age + margin, most));
    },
  };
  insides.set(effects, { database, retention });
  return effects;
}

function answerOf(resolution: Resolution): string | undefined {
  if (resolution.as === "refused") return resolution.reason;
  if (resolution.as === "not sent") return undefined;
  try {
    return JSON.stringify(resolution.result);
  } catch (error) {
    throw new ConfigurationError("The `result` must be a value that JSON can say. Nothing was changed.", error);
  }
}
