import * as fc from "fast-check";
import { expect, test } from "vitest";
import { InvalidKeyError } from "../src/errors.js";
import { idempotencyKey, type KeyPart } from "../src/idempotency-key.js";
import { isJobId, newJobId } from "../src/job-id.js";

/** For what the types refuse. */
const untyped = idempotencyKey as (operation: unknown, ...parts: unknown[]) => string;

test("a key is readable, and a number is the same part as its text", () => {
  expect(idempotencyKey("grant-points", 7, "order-confirmed")).toBe("grant-points:7:order-confirmed");
  expect(idempotencyKey("grant-points", 7n)).toBe(idempotencyKey("grant-points", "7"));
});

test("different parts give different keys, wherever the separator stands", () => {
  const part = fc.oneof(
    fc.string({ minLength: 1, maxLength: 4, unit: "grapheme" }),
    fc.constantFrom(":", "%", "%3A", "a:"),
  );
  const key = fc.array(part, { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(key, key, (a, b) => {
      const same = JSON.stringify(a) === JSON.stringify(b);
      expect(untyped(...(a as [string])) === untyped(...(b as [string]))).toBe(same);
    }),
  );
});

test("a key is printable ASCII, so no collation takes spaces or accents for nothing", () => {
  expect(idempotencyKey("Ü", "a b ")).toMatch(/^[\x21-\x7e]+$/);
});

test.each<[string, unknown[]]>([
  ["undefined", [undefined]],
  ["null", [null]],
  ["an empty text", [""]],
  ["a Date", [new Date()]],
  ["an object", [{ id: 7 }]],
  ["a boolean", [true]],
  ["NaN", [Number.NaN]],
  ["an integer that is no longer exact", [2 ** 53]],
  ["half a character", ["\ud800"]],
  ["a job's id", [newJobId()]],
  ["no part at all", []],
  ["a text that is too long", ["x".repeat(256)]],
])("%s is refused", (_, parts) => {
  expect(() => untyped("ship", ...(parts as KeyPart[]))).toThrow(InvalidKeyError);
});

test("an operation is needed", () => {
  expect(() => untyped("", "7")).toThrow(InvalidKeyError);
  expect(() => untyped(undefined, "7")).toThrow(InvalidKeyError);
});

test("job ids differ, sort by time, and are known as such", async () => {
  const ids = Array.from({ length: 10_000 }, () => newJobId());
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every(isJobId)).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 2));
  expect(newJobId() > (ids.at(-1) ?? "")).toBe(true);
  expect(isJobId(crypto.randomUUID())).toBe(false);
});
