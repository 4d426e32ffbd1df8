/** Defines properties that are computed on first use: most nodes of a file are never looked into. */
export function lazily<T extends object, L extends Record<string, unknown>>(target: T, parts: { [K in keyof L]: () => L[K] }): T & L {
  for (const [key, compute] of Object.entries(parts)) {
    Object.defineProperty(target, key, {
      configurable: true,
      enumerable: true,
      get() {
        const value: unknown = (compute as () => unknown)();
        Object.defineProperty(target, key, { value, enumerable: true });
        return value;
      },
    });
  }
  return target as T & L;
}
