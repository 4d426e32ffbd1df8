import type { Program } from "./analysis.js";
import type { Arrival } from "./arrivals.js";
import { clocksOf } from "./clock.js";
import type { ClockValue } from "./clock-values.js";
import { Flow } from "./flow.js";

/** Where what is made of the clock leaves the program's own variables. */
export function clockArrivals({ holders }: ClockValue, program: Program): readonly Arrival[] {
  const clocks = clocksOf(program);
  return holders.flatMap((holder) =>
    new Flow(program, {
      isMaker: (fn) => clocks.makerOf(fn) !== undefined,
      isTime: true,
      unlessFallback: true,
    }).from(holder),
  );
}
