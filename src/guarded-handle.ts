import { ConfigurationError, TransactionClosedError } from "./errors.js";

/** A database handle as user code gets it, and the switch that ends it. */
export interface GuardedHandle<Handle extends object> {
  readonly handle: Handle;
  close(): void;
}

/**
 * Wraps a driver's connection so that nothing reaches it once its transaction has ended: it is back in the pool by
 * then, and a late statement would land in somebody else's transaction.
 *
 * @param target the driver's own object; its methods run on it, not on the wrapper
 * @param refused methods that would take the transaction out of the manager's hands, such as `release`
 */
export function guardHandle<Handle extends object>(
  target: Handle,
  refused: ReadonlySet<PropertyKey>,
): GuardedHandle<Handle> {
  let open = true;
  const methods = new Map<PropertyKey, unknown>();

  const guarded = (key: PropertyKey, method: (...args: unknown[]) => unknown) => {
    const known = methods.get(key);
    if (known !== undefined) return known;
    const wrapper = (...args: unknown[]) => {
      if (!open) throw new TransactionClosedError(`A call of \`${String(key)}\` on the transaction's handle`);
      if (refused.has(key)) {
        throw new ConfigurationError(
          `\`${String(key)}\` must not be called on the handle of a transaction: its manager begins, ends and releases it. ` +
            "Throw to roll back, return to commit.",
        );
      }
      return Reflect.apply(method, target, args);
    };
    methods.set(key, wrapper);
    return wrapper;
  };

  const handle = new Proxy(target, {
    get(_, key) {
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" && key !== "constructor"
        ? guarded(key, value as (...args: unknown[]) => unknown)
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
