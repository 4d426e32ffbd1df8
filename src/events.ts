import { AftercommitError, ConfigurationError, messageOf } from "./errors.js";
import { scopeOf } from "./transaction-scope.js";
import type { TransactionManager } from "./transaction-manager.js";
import type { Transaction } from "./transaction.js";

/** When a listener hears of an event: when the outermost transaction has committed, or inside it, at once. */
export type ListenWhen = "commit" | "now";

export interface EventOptions {
  /** For listeners that say nothing else. Default "commit". */
  readonly when?: ListenWhen;
}

/**
 * `tx` is the open transaction for a listener that is called inside it, and none for one that is called after the commit
 * or where there is no transaction.
 */
export type Listener<Payload, Handle> = (payload: Payload, tx: Transaction<Handle> | undefined) => unknown;

/** Something that happens in the business, and who wants to know. */
export interface BusinessEvent<Payload, Handle = unknown> {
  readonly name: string;

  /**
   * Calls `listener` for each event from now on. Listeners are called one after the other, in the order in which they
   * came, each when the one before has ended.
   *
   * @param options.when instead of what the event says (EV-04)
   * @returns ends it
   */
  on(listener: Listener<Payload, Handle>, options?: EventOptions): () => void;

  /**
   * Calls `check` before any listener, always at once, whatever the event says: it refuses the event by a throw (EV-06).
   *
   * @returns ends it
   */
  before(check: Listener<Payload, Handle>): () => void;

  /**
   * Tells of the event, in the transaction `tx`, by default the open one of this async context. Listeners for "now" have
   * ended when it resolves; those for "commit" get a copy of the payload as it is now (EV-07), and are dropped when
   * their savepoint or the transaction is rolled back (EV-02, EV-05). Without a transaction all are called at once
   * (EV-01).
   *
   * A listener after the commit that throws keeps no other from being called; `transactions.run` then rejects with an
   * `AfterCommitError`, which says that the data is committed (EV-08). What they do is lost when the process dies first:
   * work that must happen is a job in an outbox, enqueued by a listener for "now".
   *
   * @throws whatever a check or, in a transaction, a listener for "now" threw; the transaction is still open then
   * @throws ListenersFailedError without a transaction, when listeners threw; every listener was called
   * @throws ConfigurationError for a transaction of another database, or a payload that cannot be copied
   * @throws TransactionClosedError
   */
  emit(payload: Payload, tx?: Transaction<Handle>): Promise<void>;
}

export interface Events<Handle = unknown> {
  /** Defines a kind of event. The name is for messages to people. */
  define<Payload>(name: string, options?: EventOptions): BusinessEvent<Payload, Handle>;
}

/** Listeners of an event that was emitted outside of any transaction threw. All were called. */
export class ListenersFailedError extends AftercommitError {
  declare readonly state: "unknown";
  /** In the order in which the listeners were called. */
  readonly errors: readonly unknown[];

  constructor(event: string, errors: readonly unknown[]) {
    super(
      `${errors.length === 1 ? "A listener" : `${errors.length} listeners`} of the event "${event}" failed: ` +
        `${errors.map(messageOf).join("; ")}. All listeners were called, and what the others did stays done; the errors ` +
        "are in `error.errors`.",
      { code: "AFTERCOMMIT_LISTENERS_FAILED", state: "unknown", cause: errors[0] },
    );
    this.errors = errors;
  }
}

interface Entry<Payload, Handle> {
  readonly listener: Listener<Payload, Handle>;
  readonly when: ListenWhen;
}

/**
 * Events whose listeners are called after the outermost commit, or inside the transaction, as event and listener say
 * (F3).
 */
export function createEvents<Handle>({
  transactions,
}: {
  readonly transactions: TransactionManager<Handle>;
}): Events<Handle> {
  return {
    define<Payload>(name: string, { when: byDefault = "commit" }: EventOptions = {}): BusinessEvent<Payload, Handle> {
      const checks = new Set<Entry<Payload, Handle>>();
      const listeners = new Set<Entry<Payload, Handle>>();

      function add(to: Set<Entry<Payload, Handle>>, listener: Listener<Payload, Handle>, when: ListenWhen) {
        if (typeof listener !== "function") throw new ConfigurationError(`A listener of "${name}" must be a function.`);
        if (!["commit", "now"].includes(when)) {
          throw new ConfigurationError(
            `A listener of "${name}" is called at "commit" or "now", not "${when as string}".`,
          );
        }
        const entry = { listener, when };
        to.add(entry);
        return () => void to.delete(entry);
      }

      async function tellAtOnce(payload: Payload): Promise<void> {
        const errors: unknown[] = [];
        for (const { listener } of [...listeners]) {
          try {
            await listener(payload, undefined);
          } catch (error) {
            errors.push(error);
          }
        }
        if (errors.length > 0) throw new ListenersFailedError(name, errors);
      }

      return {
        name,
        on: (listener, { when = byDefault } = {}) => add(listeners, listener, when),
        before: (check) => add(checks, check, "now"),

        async emit(payload, tx = transactions.current()) {
          if (tx !== undefined) scopeOf(tx, transactions.database);
          for (const { listener: check } of [...checks]) await check(payload, tx);
          if (tx === undefined) return tellAtOnce(payload);
          const told = [...listeners];
          const later = told.filter(({ when }) => when === "commit");
          const copy = later.length > 0 ? copyOf(name, payload) : payload;
          for (const { listener, when } of told) if (when === "now") await listener(payload, tx);
          // Last, so that an event which one of those has refused is told to nobody, whoever catches that.
          for (const { listener } of later) tx.afterCommit(() => listener(copy, undefined));
        },
      };
    },
  };
}

/** The transaction may go on for long after the event, and change what it is about. */
function copyOf<Payload>(event: string, payload: Payload): Payload {
  try {
    return structuredClone(payload);
  } catch (error) {
    throw new ConfigurationError(
      `The payload of the event "${event}" cannot be copied, so its listeners after the commit might see something else ` +
        "than what happened. Give plain data: no functions, no handles, no streams. No listener was called.",
      error,
    );
  }
}
