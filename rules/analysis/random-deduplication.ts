import type { FileAnalysis } from "./analysis.js";
import { isDeduplication, type Arrival } from "./arrivals.js";
import type { CallNode, CodeFile, Node } from "./code/node.js";
import { originsOf } from "./origin.js";
import { mentionsDeduplication } from "./words.js";

/** A random value that becomes the key by which a queue would drop a second message. */
export interface RandomDeduplication {
  readonly call: CallNode;
  readonly makes: string;
  readonly arrival: Arrival;
}

/** `MessageDeduplicationId: randomUUID()`: of several that meet in one key, the last one counts. */
export function randomDeduplicationIn(analysis: FileAnalysis): readonly RandomDeduplication[] {
  if (!deduplicates(analysis)) return [];
  const origins = originsOf(analysis);
  const keys = new Map<Node, RandomDeduplication>();
  for (const { call, makes } of origins.randomValuesIn(analysis)) {
    const arrivals = origins.arrivalsOf(call);
    // the id of a row is what its operation is known by
    if (arrivals.some(({ kind }) => kind === "stored")) continue;
    for (const arrival of arrivals) if (isDeduplication(arrival)) keys.set(arrival.at, { call, makes, arrival });
  }
  return [...new Map([...keys.values()].map((key) => [key.call, key] as const).toReversed()).values()].toReversed();
}

const deduplicating = new WeakMap<CodeFile, boolean>();

/** Whether anything in the program speaks of deduplication. */
function deduplicates({ semantics }: FileAnalysis): boolean {
  return semantics.projectFiles().some((file) => {
    let answer = deduplicating.get(file);
    if (answer === undefined) deduplicating.set(file, (answer = mentionsDeduplication(file.text)));
    return answer;
  });
}
