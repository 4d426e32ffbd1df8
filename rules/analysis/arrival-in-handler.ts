import type { FileAnalysis } from "./analysis.js";
import type { Arrival } from "./arrivals.js";
import { callersOf, type HandlerPath } from "./callers.js";
import { isIdentityName } from "./words.js";

/** The arrival that is easiest to see, of those that a job handler leads to. */
export function firstInHandler<One extends Arrival>(
  analysis: FileAnalysis,
  arrivals: readonly One[],
): { arrival: One; path: HandlerPath } | undefined {
  for (const arrival of arrivals.toSorted((one, other) => effort(one) - effort(other))) {
    const path = arrival.top && callersOf(analysis).handlerAbove(arrival.top);
    if (path) return { arrival, path };
  }
  return undefined;
}

/** How much of the code one has to read to see that a value arrives. */
function effort({ isByName, names, through, column }: Arrival): number {
  const isNamedAfterIt = isIdentityName(column ?? names.at(-1) ?? "");
  return names.length + 2 * through.length + (isByName ? 4 : 0) + (isNamedAfterIt ? 0 : 3);
}
