import { InvalidPayloadError, messageOf, type PayloadIssue } from "./errors.js";

/**
 * The part of the Standard Schema interface (version 1) that this needs; zod, valibot, arktype and others have it.
 * `Input` is what the schema takes, `Output` what it makes of it.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Result<Output> | Promise<Result<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type Result<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type InputOf<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["input"];
export type OutputOf<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/** A payload as it travels, and what the schema will make of it. */
export interface Packed<Output> {
  readonly body: string;
  readonly value: Output;
}

/**
 * A payload as it travels: JSON text, fixed now (AC-12), and known to fit the schema after the journey.
 *
 * Synchronous where the schema is, so that a job is staged before `enqueue` returns its promise.
 *
 * @throws InvalidPayloadError
 */
export function packPayload<Output>(
  queue: string,
  schema: StandardSchema<unknown, Output>,
  payload: unknown,
): Packed<Output> | Promise<Packed<Output>> {
  // `undefined` for what JSON cannot say, whatever the declaration of `stringify` claims.
  let text: unknown;
  try {
    text = JSON.stringify(payload);
  } catch (error) {
    throw new InvalidPayloadError(queue, [{ message: messageOf(error), path: "" }]);
  }
  if (typeof text !== "string")
    throw new InvalidPayloadError(queue, [{ message: `it is ${typeof payload}`, path: "" }]);
  const body = text;
  const result = schema["~standard"].validate(JSON.parse(body));
  const checked = (settled: Result<Output>) => ({ body, value: valueOf(queue, settled) });
  return result instanceof Promise ? result.then(checked) : checked(result);
}

/**
 * What the schema makes of a payload that has arrived.
 *
 * @throws InvalidPayloadError
 */
export async function unpackPayload<Output>(
  queue: string,
  schema: StandardSchema<unknown, Output>,
  body: string,
): Promise<Output> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new InvalidPayloadError(queue, [{ message: "it is no JSON text", path: "" }]);
  }
  return valueOf(queue, await schema["~standard"].validate(value));
}

function valueOf<Output>(queue: string, result: Result<Output>): Output {
  if (result.issues !== undefined) throw new InvalidPayloadError(queue, result.issues.map(described));
  return result.value;
}

function described({ message, path = [] }: Issue): PayloadIssue {
  return { message, path: path.map((step) => String(typeof step === "object" ? step.key : step)).join(".") };
}
