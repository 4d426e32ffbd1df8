import type { Destination } from "../delivery.js";
import { requireSeconds, type Seconds } from "../duration.js";
import { ConfigurationError } from "../errors.js";
import { isJobId, type JobId } from "../job-id.js";
import { clockMargin, longestRedelivery } from "../ledger/retention.js";

/** @throws ConfigurationError when one of them is no id */
export function checkedIds(ids: readonly JobId[]): readonly JobId[] {
  const wrong = ids.find((id) => !isJobId(id));
  if (wrong === undefined) return ids;
  throw new ConfigurationError(`${JSON.stringify(wrong)} is no id of a job. Nothing was changed.`);
}

/**
 * Checks that no job of what is deleted can still be redelivered (F20).
 *
 * @throws ConfigurationError with the numbers (RT-03)
 */
export function checkAge(olderThan: Seconds, destinations: Iterable<Destination>): void {
  requireSeconds(olderThan, "`olderThan`");
  let longest: { readonly name: string; readonly seconds: Seconds } | undefined;
  for (const { policy } of destinations) {
    const seconds = longestRedelivery(policy) + clockMargin;
    if (longest === undefined || seconds > longest.seconds) longest = { name: policy.name, seconds };
  }
  if (longest === undefined) {
    throw new ConfigurationError(
      "This outbox serves no queue in this process, so it cannot know for how long a job may be redelivered. Load the " +
        "modules that define the queues. Nothing was deleted.",
    );
  }
  if (olderThan < longest.seconds) {
    throw new ConfigurationError(
      `\`olderThan\` must be at least ${longest.seconds} s, not ${olderThan} s: so long can queue "${longest.name}" go ` +
        "on redelivering a job. Nothing was deleted.",
    );
  }
}

/** @throws ConfigurationError unless it is a whole number from 1 */
export function requireCount(value: unknown, what: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 1) return value;
  throw new ConfigurationError(`${what} must be a whole number from 1, not ${String(value)}.`);
}
