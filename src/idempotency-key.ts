import { InvalidKeyError } from "./errors.js";
import { isJobId, type JobId } from "./job-id.js";

declare const idempotencyKey_: unique symbol;

/** The identity of a business operation: the same whenever the same operation is asked for. */
export type IdempotencyKey = string & { readonly [idempotencyKey_]: "the key of a business operation" };

/** What a key is made of: values that the business operation decided, such as the number of an order. */
export type KeyPart = string | number | bigint;

/** The type of what `crypto.randomUUID()` returns. */
type RandomUuid = `${string}-${string}-${string}-${string}-${string}`;

/** The part itself where it may be one, else a sentence that says why not. */
type CheckedPart<Part> = [Extract<Part, undefined | null>] extends [never]
  ? CheckedPresent<Part>
  : "A part that is missing gives many operations the same key. Check it before.";

type CheckedPresent<Part> = Part extends JobId
  ? "A job's id is another one each time the operation is asked for. Use an id of the business, such as that of the order."
  : Part extends Date
    ? "A Date has no one text. Use the business day as text (2026-11-30), decided when the operation was accepted."
    : Part extends string
      ? CheckedText<Part>
      : Part extends number | bigint
        ? Part
        : "A part of a key must be a string, a number or a bigint.";

type CheckedText<Part extends string> = string extends Part
  ? Part
  : RandomUuid extends Part
    ? "A random UUID is another one in each attempt. Use an id that was stored when the operation was accepted."
    : Part;

type CheckedParts<Parts extends readonly unknown[]> = { [Index in keyof Parts]: CheckedPart<Parts[Index]> };

const longest = 255;

/**
 * The key of a business operation, as `idempotencyKey("grant-points", orderId)`.
 *
 * Different operations or parts give different keys. A number and its decimal text are the same part on purpose: an id
 * is often a number in the database and a string in a request, and must not count twice for that. The key is ASCII text
 * of at most 255 characters, so no collation takes two keys for one.
 *
 * @param operation what is done, such as "grant-points"
 * @param parts what it is done to; at least one
 * @throws InvalidKeyError for a part that is missing, empty, random, a date, a job's id, or no exact number
 */
export function idempotencyKey<const Parts extends readonly [unknown, ...unknown[]]>(
  operation: string,
  ...parts: CheckedParts<Parts>
): IdempotencyKey {
  if (typeof operation !== "string" || operation === "") {
    throw new InvalidKeyError('The first part of a key names the operation, such as "grant-points"; it is missing.');
  }
  const given: readonly unknown[] = parts;
  if (given.length === 0) {
    throw new InvalidKeyError(
      `The key of "${operation}" has no part besides the operation, so it would count once for all time. ` +
        "Say what the operation is done to, such as the id of the order.",
    );
  }
  const what = `the key of "${operation}"`;
  const key = [encodedPart(what, operation, 0), ...given.map((part, index) => encodedPart(what, part, index + 1))];
  const text = key.join(":");
  if (text.length > longest) {
    throw new InvalidKeyError(
      `The key of "${operation}" is ${text.length} characters long; the limit is ${longest}, because a database may cut ` +
        "a longer one. Use ids as parts, not texts.",
    );
  }
  return text as IdempotencyKey;
}

/**
 * A part of a key as ASCII text without ":".
 *
 * @param what the key, for the message
 * @throws InvalidKeyError
 */
export function encodedPart(what: string, part: unknown, index: number): string {
  const refuse = (why: string) => new InvalidKeyError(`Part ${index} of ${what} ${why}`);
  switch (typeof part) {
    case "bigint":
      return part.toString();
    case "number":
      if (!Number.isFinite(part) || (Number.isInteger(part) && !Number.isSafeInteger(part))) {
        throw refuse(`is ${part}, which is no exact number. Use a string or a bigint.`);
      }
      return part.toString();
    case "string":
      if (part === "") throw refuse("is empty, so many operations would have the same key. Check it before.");
      if (isJobId(part)) {
        throw refuse(
          "is a job's id, which is another one each time the operation is asked for. Use an id of the business.",
        );
      }
      try {
        return encodeURIComponent(part);
      } catch {
        throw refuse("is no well-formed Unicode text.");
      }
    default:
      throw refuse(
        `is ${part === null ? "null" : part instanceof Date ? "a Date" : `of type ${typeof part}`}. ` +
          "A part must be a string, a number or a bigint that the business operation decided.",
      );
  }
}
