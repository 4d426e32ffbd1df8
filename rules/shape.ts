/** What a setting may be: checks a value with a message that helps, and says the same as a JSON schema. */
export interface Shape<T> {
  /** For people: `a name`, `"package" or "file"`. */
  readonly allows: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** The value, or a `SettingsError` that names the path. */
  read(value: unknown, path: string): T;
}

export type Read<S> = S extends Shape<infer T> ? T : never;

/** A setting that is not what it may be. */
class SettingsError extends TypeError {
  readonly code = "AFTERCOMMIT_SETTINGS";

  constructor(path: string, problem: string, allows: string) {
    super(
      `\`${path}\` ${problem}. Allowed: ${allows}. See https://github.com/aftercommit/aftercommit/blob/main/docs/settings.md`,
    );
    this.name = "SettingsError";
  }
}

/** A text in one of these forms. */
export function text(allows: string, pattern: RegExp): Shape<string> {
  return {
    allows,
    schema: { type: "string", pattern: pattern.source },
    read: (value, path) => (typeof value === "string" && pattern.test(value) ? value : fail(value, path, allows)),
  };
}

/** One of these words. */
export function oneOf<const T extends string>(...words: readonly T[]): Shape<T> {
  const allows = words.map((word) => `"${word}"`).join(", ");
  return {
    allows,
    schema: words.length === 1 ? { const: words[0] } : { enum: words },
    read: (value, path) => words.find((word) => word === value) ?? fail(value, path, allows),
  };
}

/** The index of an argument or parameter. */
export function index(allows: string): Shape<number> {
  return {
    allows,
    schema: { type: "integer", minimum: 0 },
    read: (value, path) =>
      Number.isInteger(value) && (value as number) >= 0 ? (value as number) : fail(value, path, allows),
  };
}

export function listOf<T>(element: Shape<T>, { notEmpty = false } = {}): Shape<readonly T[]> {
  const allows = `an array${notEmpty ? " that is not empty" : ""} of: ${element.allows}`;
  return {
    allows,
    schema: { type: "array", items: element.schema, ...(notEmpty ? { minItems: 1 } : {}) },
    read: (value, path) =>
      Array.isArray(value) && (value.length > 0 || !notEmpty)
        ? value.map((each, at) => element.read(each, `${path}[${String(at)}]`))
        : fail(value, path, allows),
  };
}

/** The first shape whose kind of value (text, array, object) is given; several objects differ in the word at `by`. */
export function either<const S extends readonly Shape<unknown>[]>(
  allows: string,
  by: string,
  ...shapes: S
): Shape<Read<S[number]>> {
  return {
    allows,
    schema: { anyOf: shapes.map(({ schema }) => schema) },
    read(value, path) {
      const alike = shapes.filter(({ schema }) => schema["type"] === kindOf(value));
      const [only] = alike;
      if (!only) return fail(value, path, allows);
      const chosen =
        alike.length === 1
          ? only
          : alike.find(({ schema }) => wordAt(schema, by) === (value as Record<string, unknown>)[by]);
      if (chosen) return chosen.read(value, path) as Read<S[number]>;
      return fail(
        (value as Record<string, unknown>)[by],
        `${path}.${by}`,
        alike.map(({ schema }) => `"${String(wordAt(schema, by))}"`).join(", "),
      );
    },
  };
}

type Fields = Readonly<Record<string, Shape<unknown>>>;
type Flat<T> = { [K in keyof T]: T[K] };

/** An object with these keys and no others. */
export function record<R extends Fields, O extends Fields>(
  allows: string,
  required: R,
  optional: O,
): Shape<Flat<{ readonly [K in keyof R]: Read<R[K]> } & { readonly [K in keyof O]?: Read<O[K]> }>> {
  const fields: Fields = { ...required, ...optional };
  const keys = Object.keys(fields)
    .map((key) => `"${key}"`)
    .join(", ");
  return {
    allows,
    schema: {
      type: "object",
      properties: Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, field.schema])),
      required: Object.keys(required),
      additionalProperties: false,
    },
    read(value, path) {
      if (kindOf(value) !== "object") return fail(value, path, allows);
      const given = value as Readonly<Record<string, unknown>>;
      for (const key of Object.keys(given))
        if (!Object.hasOwn(fields, key)) throw new SettingsError(`${path}.${key}`, "is not a setting", keys);
      for (const [key, field] of Object.entries(required))
        if (given[key] === undefined) throw new SettingsError(`${path}.${key}`, "is missing", field.allows);
      const read = Object.entries(fields).flatMap(([key, field]) =>
        given[key] === undefined ? [] : [[key, field.read(given[key], `${path}.${key}`)] as const],
      );
      return Object.fromEntries(read) as never;
    },
  };
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
}

/** The one word that the schema of an object allows at a key. */
function wordAt(schema: Readonly<Record<string, unknown>>, key: string): unknown {
  return (schema["properties"] as Record<string, { const?: unknown }>)[key]?.const;
}

function fail(value: unknown, path: string, allows: string): never {
  throw new SettingsError(path, value === undefined ? "is missing" : `is ${written(value)}`, allows);
}

function written(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  return typeof value === "function"
    ? "a function"
    : typeof value === "object" && value !== null
      ? "an object"
      : String(value);
}
