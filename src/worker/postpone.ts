import { requireSeconds, type Seconds } from "../duration.js";

/** What a handler returns to have its job started again later. Made by `postpone`. */
export class Postponement {
  readonly delay: Seconds;

  constructor(delay: Seconds) {
    this.delay = requireSeconds(delay, "The time to postpone a job");
  }
}

/**
 * For a handler to return: it cannot do its work yet, and nothing is wrong. The job is started again after so many
 * seconds, and this start does not count among its `tries`, where the queue can do that (on SQS it counts). What the
 * handler has committed before stays. A job that is always postponed goes on until the queue's `retryFor`, if it has
 * one, is over.
 *
 * `return postpone(60);`
 *
 * @throws ConfigurationError unless it is a number of seconds above zero
 */
export function postpone(delay: Seconds): Postponement {
  return new Postponement(delay);
}
