import type { Seconds } from "../duration.js";

/** By the timer that everything else here uses, so that who has the clock in hand, as a test, has all of it. */
export function sleep(time: Seconds): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, time * 1000);
  });
}
