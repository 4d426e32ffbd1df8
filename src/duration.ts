import { ConfigurationError } from "./errors.js";

/** A length of time in seconds. Fractions are allowed. */
export type Seconds = number;

/** @throws ConfigurationError unless `value` is a finite number of seconds above zero */
export function requireSeconds(value: unknown, what: string): Seconds {
  if (typeof value === "number" && Number.isFinite(value) && value > 0) return value;
  throw new ConfigurationError(`${what} must be a number of seconds above 0, not ${String(value)}.`);
}

/**
 * Compares two literal numbers in the type system: "<", "=", ">", or `number` where it cannot know (computed numbers,
 * fractions). Works on the decimal digits, so its cost grows with their count and not with the numbers.
 */
export type Compare<A extends number, B extends number> = number extends A
  ? number
  : number extends B
    ? number
    : `${A}` extends `-${string}`
      ? "<"
      : `${A}|${B}` extends `${bigint}|${bigint}`
        ? CompareDigits<`${A}`, `${B}`, "=">
        : number;

type CompareDigits<A extends string, B extends string, SoFar> = A extends `${infer DigitA}${infer RestA}`
  ? B extends `${infer DigitB}${infer RestB}`
    ? CompareDigits<RestA, RestB, SoFar extends "=" ? CompareDigit<DigitA, DigitB> : SoFar>
    : ">"
  : B extends ""
    ? SoFar
    : "<";

type CompareDigit<A extends string, B extends string> = A extends B
  ? "="
  : "0123456789" extends `${string}${A}${string}${B}${string}`
    ? "<"
    : ">";
