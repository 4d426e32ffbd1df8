import type { FileAnalysis } from "./analysis.js";
import { hasArgumentWord } from "./argument-words.js";
import { enclosingFunction, type CallNode, type Node } from "./code/node.js";
import { argumentAt } from "./deferral.js";
import { nameOfCallee } from "./effects.js";
import type { EntryOf, Known } from "./knowledge.js";
import { occurrences } from "./occurrences.js";
import { labelOf } from "./semantics.js";
import type { Frame } from "./values.js";

/** A lock that a file takes, and the code that runs under it. */
export interface TakenLock {
  readonly call: CallNode;
  readonly label: string;
  readonly entry: EntryOf<"locks">;
  readonly body: Node;
  readonly frame: Frame | undefined;
  /** Where in the body the lock is held: all of it, or what stands behind the call. */
  readonly from: number;
}

export function locksIn(analysis: FileAnalysis): readonly TakenLock[] {
  const { knowledge, file } = analysis;
  return [...knowledge.locks.names].flatMap((name) =>
    occurrences(file, name).flatMap((node) => {
      const call = node.parent;
      return call?.kind === "call" && call.callee === node && !call.isNew ? lockAt(call, analysis) : [];
    }),
  );
}

function lockAt(call: CallNode, { effects, knowledge, values }: FileAnalysis): readonly TakenLock[] {
  // what the arguments tell comes before the types: most of what is `set` is no lock
  const isMeant = ({ entry }: Known<EntryOf<"locks">>) => entry.with === undefined || hasArgumentWord(call, entry.with);
  if (!knowledge.locks.named(nameOfCallee(call)).some(isMeant)) return [];
  const { refs } = effects.calledBy(call, undefined);
  for (const { entry } of knowledge.locks.find(refs).filter(isMeant)) {
    const [ref] = refs;
    if (!ref) continue;
    const taken = { call, label: labelOf(ref), entry };
    const callback = entry.callback === undefined ? undefined : argumentAt(call, entry.callback);
    const around = enclosingFunction(call);
    if (callback) {
      const settled = values.settle(callback, undefined);
      if (settled.kind !== "closure" || !settled.fn.body || settled.fn.file !== call.file) return [];
      const frame: Frame = { fn: settled.fn, args: undefined, self: settled.self, up: settled.frame };
      return [{ ...taken, body: settled.fn.body, frame, from: settled.fn.start }];
    }
    if (around?.body) {
      const frame: Frame = { fn: around, args: undefined, self: undefined, up: undefined };
      return [{ ...taken, body: around.body, frame, from: call.end }];
    }
  }
  return [];
}
