import { createHash } from "node:crypto";
import { ConfigurationError } from "../errors.js";

/**
 * What tells one payload from another: SHA-256 over its JSON with the members of objects in order of their names, as
 * hexadecimal text. What JSON treats alike is alike (`undefined` members, a Date and its text).
 *
 * @throws ConfigurationError for what JSON cannot say
 */
export function fingerprintOf(payload: unknown): string {
  let text: unknown;
  try {
    text = JSON.stringify(payload, (_, value: unknown) => inOrder(value));
  } catch (error) {
    throw new ConfigurationError("`fingerprint` must be a value that JSON can say.", error);
  }
  if (typeof text !== "string") {
    throw new ConfigurationError(`\`fingerprint\` must be a value that JSON can say, not ${typeof payload}.`);
  }
  return createHash("sha256").update(text).digest("hex");
}

function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  // No prototype: a member named "__proto__" must stay a member.
  const ordered = Object.create(null) as Record<string, unknown>;
  for (const [name, member] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) ordered[name] = member;
  return ordered;
}
