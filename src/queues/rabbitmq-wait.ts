import type { Seconds } from "../duration.js";
import { ConfigurationError } from "../errors.js";

/** RabbitMQ counts the time that messages live in 32 bits of milliseconds. */
const longestMs = 4_200_000_000;

const tenthMs = 100;

/**
 * A wait in milliseconds, rounded up to two digits, or to a tenth of a second: each length of wait is a queue of its own
 * in RabbitMQ, and those stay.
 *
 * @throws ConfigurationError for a wait that RabbitMQ does not take
 */
export function waitOf(delay: Seconds): number {
  const ms = Math.ceil(delay * 1000);
  if (ms > longestMs) {
    throw new ConfigurationError(`RabbitMQ lets a message wait for ${longestMs / 1000} s at most, not for ${delay} s.`);
  }
  if (ms <= 0) return 0;
  const unit = Math.max(10 ** (ms.toString().length - 2), tenthMs);
  return Math.min(Math.ceil(ms / unit) * unit, longestMs);
}
