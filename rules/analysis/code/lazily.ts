type Parts = Readonly<Record<string, () => unknown>>;

/** What still has to be computed for a node; the getters of its prototype look here. */
const parts = Symbol("parts");

interface Lazy {
  [parts]?: Parts;
}

const prototypes = new Map<string, object>();

/** A prototype whose getters compute a part once: nodes with the same parts share it, so that they stay small. */
function prototypeFor(keys: readonly string[]): object {
  const name = keys.join();
  let prototype = prototypes.get(name);
  if (!prototype) {
    prototype = {};
    for (const key of keys) {
      Object.defineProperty(prototype, key, {
        enumerable: true,
        get(this: Lazy) {
          const value = this[parts]?.[key]?.();
          Object.defineProperty(this, key, { value, enumerable: true });
          return value;
        },
      });
    }
    prototypes.set(name, prototype);
  }
  return prototype;
}

/** Adds properties that are computed on first use: most nodes of a file are never looked into. */
export function lazily<T extends object, L extends Record<string, unknown>>(
  target: T,
  computed: { [K in keyof L]: () => L[K] },
): T & L {
  const all: Parts = { ...(target as Lazy)[parts], ...(computed as Parts) };
  const node = Object.create(prototypeFor(Object.keys(all))) as T & L & Lazy;
  Object.assign(node, target);
  node[parts] = all;
  return node;
}
