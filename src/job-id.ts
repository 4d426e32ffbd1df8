import { randomBytes } from "node:crypto";

declare const jobId: unique symbol;

/**
 * The identity of one message. It is made when the job is enqueued and stays the same in every delivery of that message;
 * asking for the same operation again makes another one. So it is no idempotency key, and `idempotencyKey` refuses it.
 */
export type JobId = string & { readonly [jobId]: "the id of a job" };

/** Random bytes are asked for in bulk: one system call for many ids. */
let pool = Buffer.alloc(0);
let used = 0;
let lastTime = 0;
let count = 0;

/** So many ids of one millisecond can be told apart by their order. */
const mostInMillisecond = 2 ** 14;

/**
 * A UUID of version 8 (RFC 9562): milliseconds first, so that rows of an outbox are inserted at the end of their index;
 * then a mark by which an id of ours is known at run time; then 62 bits, of which the first 14 begin at random in the
 * lower half and count on within a millisecond. So of two ids of one process the later is the greater as text, whatever
 * its clock does: a debounced job goes by it.
 */
export function newJobId(): JobId {
  if (used + 8 > pool.length) {
    pool = randomBytes(8 * 128);
    used = 0;
  }
  const now = Date.now();
  count += 1;
  if (now > lastTime) {
    lastTime = now;
    count = pool.readUInt16BE(used) & (mostInMillisecond / 2 - 1);
  } else if (count === mostInMillisecond) {
    lastTime += 1;
    count = 0;
  }
  const time = lastTime.toString(16).padStart(12, "0");
  const counted = (0x8000 | count).toString(16);
  const random = pool.toString("hex", used + 2, used + 8);
  used += 8;
  return `${time.slice(0, 8)}-${time.slice(8)}-8ac1-${counted}-${random}` as JobId;
}

/** Whether a string was made by `newJobId`. */
export function isJobId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-8ac1-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text);
}
