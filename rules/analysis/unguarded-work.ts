import type { FileAnalysis } from "./analysis.js";
import { checkBefore } from "./check-before-insert.js";
import { enclosingFunction, type CallNode, type Node } from "./code/node.js";
import { execute } from "./execution.js";
import { labelOf } from "./semantics.js";
import type { Frame } from "./values.js";
import { speaksOfGuard } from "./words.js";

/** Something that must not happen twice, and that nothing but what was asked before keeps from it. */
export interface UnguardedWork {
  readonly kind: "charge" | "send" | "insert";
  readonly node: CallNode;
  /** From the node on; the work itself last. */
  readonly path: readonly CallNode[];
  readonly label: string;
  /** The look-up that found nothing. */
  readonly look?: CallNode;
}

const kinds = { payment: "charge", mail: "send", message: "send" } as const;

/** The first charge, mail or checked insert in code that runs from an offset on, for which no constraint and no key decides. */
export function unguardedWorkIn(
  body: Node,
  from: number,
  frame: Frame | undefined,
  analysis: FileAnalysis,
): UnguardedWork | undefined {
  const { effects, values, wrappers } = analysis;
  const result: { found?: UnguardedWork } = {};
  const walk = (inner: Node, around: Frame | undefined): void => {
    execute(inner, around, values, {
      call: (call, at) => {
        if (call.start < from) return false;
        for (const { fn, frame: up, self } of wrappers.callbacksIn(call, at))
          if (fn.body && !result.found) walk(fn.body, { fn, args: undefined, self, up });
        if (result.found) return true;
        const found = charged(call, at) ?? inserted(call);
        if (found) result.found = found;
        return found !== undefined;
      },
    });
  };
  const charged = (call: CallNode, at: Frame | undefined): UnguardedWork | undefined => {
    const { effect } = effects.reachedBy(call, at);
    const { kind } = effect?.known.entry ?? {};
    if (!effect || (kind !== "payment" && kind !== "mail" && kind !== "message")) return undefined;
    const isGuarded = [call, ...effect.path].some((step) => speaksOfGuard(textAround(step)));
    return isGuarded ? undefined : { kind: kinds[kind], node: call, path: effect.path, label: labelOf(effect.ref) };
  };
  const inserted = (call: CallNode): UnguardedWork | undefined => {
    const look = checkBefore(call, analysis);
    if (!look || look.start < from || speaksOfGuard(textAround(call))) return undefined;
    const { refs } = effects.calledBy(call, undefined);
    return refs[0] && { kind: "insert", node: call, path: [call], label: labelOf(refs[0]), look };
  };
  walk(body, frame);
  return result.found;
}

/** The outermost function around a call: what guards it stands somewhere in there. */
function textAround(call: CallNode): string {
  let around: Node = call;
  for (let fn = enclosingFunction(call); fn; fn = enclosingFunction(fn)) around = fn;
  return call.file.text.slice(around.start, around.end);
}
