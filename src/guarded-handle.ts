import { ConfigurationError, TransactionClosedError } from "./errors.js";

/** A database handle as user code gets it, and the switch that ends it. */
export interface GuardedHandle<Handle extends object> {
  readonly handle: Handle;
  close(): void;
}

/** What a driver's connection can do that a transaction must know of. */
export interface HandleMethods {
  /** Methods whose first argument is SQL, as text or as an object with `text` or `sql`. */
  readonly statements: ReadonlySet<PropertyKey>;
  /** Methods that would end the transaction or give the connection away. */
  readonly refused: ReadonlySet<PropertyKey>;
}

const endsTransaction =
  /^\s*(?:begin|start\s+transaction|commit|end|abort|prepare\s+transaction|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b))\b/i;

/**
 * Wraps a driver's connection so that nothing reaches it once its transaction has ended (it is back in the pool by then,
 * and a late statement would land in somebody else's transaction), and so that nobody but the manager ends it: a COMMIT
 * that was sent past the manager cannot be seen in the answer to its own.
 *
 * @param target the driver's own object; its methods run on it, not on the wrapper
 */
export function guardHandle<Handle extends object>(
  target: Handle,
  { statements, refused }: HandleMethods,
): GuardedHandle<Handle> {
  let open = true;
  const wrappers = new Map<PropertyKey, unknown>();

  const wrapped = (key: PropertyKey, method: (...args: unknown[]) => unknown) => {
    const known = wrappers.get(key);
    if (known !== undefined) return known;
    const wrapper = (...args: unknown[]) => {
      if (!open) throw new TransactionClosedError(`A call of \`${String(key)}\` on a transaction's handle`);
      if (refused.has(key)) throw notYours(`\`${String(key)}\``);
      if (statements.has(key)) {
        const text = textOf(args[0]);
        if (endsTransaction.test(text)) throw notYours(`"${text.trim()}"`);
      }
      return Reflect.apply(method, target, args);
    };
    wrappers.set(key, wrapper);
    return wrapper;
  };

  const handle = new Proxy(target, {
    get(_, key) {
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" && key !== "constructor"
        ? wrapped(key, value as (...args: unknown[]) => unknown)
        : value;
    },
  });
  return {
    handle,
    close: () => {
      open = false;
    },
  };
}

function notYours(what: string): ConfigurationError {
  return new ConfigurationError(
    `${what} must not be sent on the handle of a transaction: its manager begins and ends it. ` +
      "Return to commit, throw to roll back, use `tx.savepoint` for a part that may fail.",
  );
}

function textOf(statement: unknown): string {
  if (typeof statement === "string") return statement;
  if (typeof statement !== "object" || statement === null) return "";
  const { text, sql } = statement as { text?: unknown; sql?: unknown };
  return typeof text === "string" ? text : typeof sql === "string" ? sql : "";
}
