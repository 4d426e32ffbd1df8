type Parts = Record<string, unknown>;

/** What still has to be computed for a node, or was; the getters of its prototype look here. */
const parts = Symbol("parts");

interface Lazy {
  [parts]?: Parts;
}

/** A prototype, and those which have one more getter. */
interface Shape {
  readonly prototype: object;
  readonly longer: Map<string, Shape>;
}

const shapes = new Map<object, Shape>();

/** A prototype whose getters compute a part once: nodes with the same parts share it, so that they stay small. */
function prototypeFor(base: object, computed: object): object {
  let shape = shapes.get(base) ?? noted(shapes, base, base);
  for (const key in computed)
    shape = shape.longer.get(key) ?? noted(shape.longer, key, withGetter(shape.prototype, key));
  return shape.prototype;
}

function noted<K>(known: Map<K, Shape>, key: K, prototype: object): Shape {
  const shape: Shape = { prototype, longer: new Map<string, Shape>() };
  known.set(key, shape);
  return shape;
}

function withGetter(base: object, key: string): object {
  const get = function (this: Lazy) {
    const all = this[parts] ?? {};
    const part = all[key];
    // no part of a node is a function by itself
    return typeof part === "function" ? (all[key] = (part as () => unknown)()) : part;
  };
  return Object.create(base, { [key]: { enumerable: true, get } }) as object;
}

/** Adds properties that are computed on first use: most nodes of a file are never looked into. */
export function lazily<T extends object, L extends Record<string, unknown>>(
  target: T,
  computed: { [K in keyof L]: () => L[K] },
): T & L {
  const node = target as T & L & Lazy;
  node[parts] = computed;
  return Object.setPrototypeOf(node, prototypeFor(Object.getPrototypeOf(target) as object, computed)) as T & L;
}

/** Where a node of a parser starts, and what stands around it. */
export interface Places<Raw> {
  startOf(raw: Raw): number;
  parentOf(raw: Raw): unknown;
}

/** What every node starts with: its place is computed on first use too. */
export class Start<Raw extends object, File extends Places<Raw>> {
  readonly file: File;
  readonly raw: Raw;
  readonly end: number;
  #start: number | undefined;
  #parent: unknown;
  #hasParent = false;

  constructor(file: File, raw: Raw, end: number) {
    this.file = file;
    this.raw = raw;
    this.end = end;
  }

  get start(): number {
    return (this.#start ??= this.file.startOf(this.raw));
  }

  get parent(): ReturnType<File["parentOf"]> {
    if (!this.#hasParent) {
      this.#parent = this.file.parentOf(this.raw);
      this.#hasParent = true;
    }
    return this.#parent as ReturnType<File["parentOf"]>;
  }
}
