import { createHash } from "node:crypto";
import { encodedPart, type KeyPart } from "../idempotency-key.js";

/** What a control tells jobs apart by: one part, or several. */
export type ControlId = KeyPart | readonly KeyPart[];

const longest = 200;

/**
 * The key of a control in a lock store. It always has the queue's name (or the group's) in it: the same id in two
 * queues is two things. ASCII without spaces; what is too long for the smallest store is hashed.
 *
 * @throws InvalidKeyError for a part that is missing, empty, or no exact number
 */
export function lockKey(control: string, name: string, id: ControlId): string {
  const parts: readonly KeyPart[] = typeof id === "object" ? id : [id];
  const what = `the id of \`${control}\` of "${name}"`;
  const key = [control, encodeURIComponent(name), ...parts.map((part, index) => encodedPart(what, part, index + 1))];
  const text = key.join(":");
  return text.length <= longest ? text : `${control}:${createHash("sha256").update(text).digest("hex")}`;
}
