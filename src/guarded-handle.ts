import { ConfigurationError, TransactionClosedError } from "./errors.js";
import { reach } from "./steps.js";

/** A database handle as user code gets it, and the switch that ends it. */
export interface GuardedHandle<Handle extends object> {
  readonly handle: Handle;
  close(): void;
}

/** Stands for the handle itself among its methods, when it is a function: `` sql`select 1` ``. */
export const theHandleItself = Symbol("the handle itself");

/** What a driver's connection can do that a transaction must know of. */
export interface HandleMethods {
  /** Methods whose first argument is SQL: text, a template, or an object with `text`, `sql` or `queryChunks`. */
  readonly statements: ReadonlySet<PropertyKey>;
  /** Methods that would end the transaction or give the connection away. */
  readonly refused: ReadonlySet<PropertyKey>;
  /** Objects that reach the same connection: a property, or what a method returns. */
  readonly inner?: Readonly<Record<string, HandleMethods>>;
  /** What `statements` return is a promise and nothing more, so a test can let one wait. */
  readonly promises?: boolean;
}

const endsTransaction =
  /^\s*(?:begin|start\s+transaction|commit|end|abort|prepare\s+transaction|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b))\b/i;

/**
 * Wraps a library's handle so that nothing reaches its connection once the transaction has ended (it is back in the pool
 * by then, and a late statement would land in somebody else's transaction), and so that nobody but the manager ends it:
 * a COMMIT that was sent past the manager cannot be seen in the answer to its own.
 *
 * @param target the library's own object; its methods run on it, not on the wrapper
 */
export function guardHandle<Handle extends object>(target: Handle, methods: HandleMethods): GuardedHandle<Handle> {
  const life = { open: true };
  return {
    handle: guarded(target, methods, life, "a transaction's handle"),
    close: () => {
      life.open = false;
    },
  };
}

type Method = (...args: unknown[]) => unknown;

function guarded<Target extends object>(
  target: Target,
  methods: HandleMethods,
  life: { readonly open: boolean },
  name: string,
): Target {
  const wrappers = new Map<PropertyKey, unknown>();

  const check = (key: PropertyKey, shown: string, args: readonly unknown[]) => {
    if (!life.open) throw new TransactionClosedError(`A call of ${shown} on ${name}`);
    if (methods.refused.has(key)) throw notYours(shown);
    if (!methods.statements.has(key)) return;
    const text = textOf(args[0]);
    if (endsTransaction.test(text)) throw notYours(`"${text.trim()}"`);
  };

  const held = (key: PropertyKey, args: readonly unknown[]) =>
    methods.statements.has(key)
      ? reach({ at: "statement", text: textOf(args[0]), synchronous: methods.promises !== true || cannotWait(args) })
      : undefined;

  const within = (key: PropertyKey, value: unknown): unknown => {
    const inner = typeof key === "string" ? methods.inner?.[key] : undefined;
    return inner === undefined || typeof value !== "object" || value === null
      ? value
      : guarded(value, inner, life, `\`${String(key)}\` of ${name}`);
  };

  const wrapped = (key: PropertyKey, method: Method) => {
    const known = wrappers.get(key);
    if (known !== undefined) return known;
    const call = (args: unknown[]) => {
      check(key, `\`${String(key)}\``, args);
      return within(key, Reflect.apply(method, target, args));
    };
    const wrapper = (...args: unknown[]) => {
      check(key, `\`${String(key)}\``, args);
      return held(key, args)?.then(() => call(args)) ?? within(key, Reflect.apply(method, target, args));
    };
    wrappers.set(key, wrapper);
    return wrapper;
  };

  return new Proxy(target, {
    get(_, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value === "function" && key !== "constructor") return wrapped(key, value as Method);
      if (!life.open && methods.inner?.[key as string] !== undefined) {
        throw new TransactionClosedError(`A use of \`${String(key)}\` on ${name}`);
      }
      return within(key, value);
    },
    apply(_, self, args: unknown[]) {
      check(theHandleItself, "the handle", args);
      void held(theHandleItself, args);
      return Reflect.apply(target as unknown as Method, self, args);
    },
  });
}

function notYours(what: string): ConfigurationError {
  return new ConfigurationError(
    `${what} must not be sent on the handle of a transaction: its manager begins and ends it. ` +
      "Return to commit, throw to roll back, use `tx.savepoint` for a part that may fail.",
  );
}

/** Calls of `pg` with a callback, a cursor or a stream: they use no promise. */
function cannotWait(args: readonly unknown[]): boolean {
  const submit = (args[0] as { submit?: unknown } | null | undefined)?.submit;
  return typeof submit === "function" || typeof args.at(-1) === "function";
}

function textOf(statement: unknown): string {
  if (typeof statement === "string") return statement;
  if (typeof statement !== "object" || statement === null) return "";
  if (Array.isArray(statement)) return String(statement[0]);
  const { text, sql, queryChunks } = statement as { text?: unknown; sql?: unknown; queryChunks?: unknown };
  for (const known of [text, sql]) if (typeof known === "string") return known;
  // Drizzle's: the first chunk has the text in front of the first value.
  const [first] = Array.isArray(queryChunks) ? (queryChunks as { value?: unknown }[]) : [];
  return Array.isArray(first?.value) ? String(first.value[0]) : "";
}
