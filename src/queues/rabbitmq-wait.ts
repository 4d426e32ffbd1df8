import type { Seconds } from "../duration.js";
import { ConfigurationError } from "../errors.js";

/** RabbitMQ counts the time that messages live in 32 bits of milliseconds. */
const longestMs = 4_200_000_000;

/**
 * A wait in milliseconds, rounded up: each length of wait is a queue of its own in RabbitMQ, and those stay. Two digits
 * count of a wait that somebody chose, one of a wait that came out of a calculation.
 *
 * @throws ConfigurationError for a wait that RabbitMQ does not take
 */
export function waitOf(delay: Seconds, precise: boolean): number {
  const ms = Math.ceil(delay * 1000);
  if (ms > longestMs) {
    throw new ConfigurationError(`RabbitMQ lets a message wait for ${longestMs / 1000} s at most, not for ${delay} s.`);
  }
  if (ms <= 0) return 0;
  const digits = ms.toString().length - (precise ? 2 : 1);
  const unit = 10 ** Math.max(digits, 0);
  return Math.min(Math.ceil(ms / unit) * unit, longestMs);
}
