import type { FileAnalysis, Program } from "./analysis.js";
import { callersOf } from "./callers.js";
import { contains, enclosingFunction, type CallNode, type FunctionNode, type Node } from "./code/node.js";
import { refsOfDecorator } from "./decorators.js";
import type { Reached } from "./effects.js";
import { insideOf, insideTransactions, type Inside, type Scope } from "./transaction-scope.js";
import type { Frame } from "./values.js";

/** Of a function with more callers than this, some caller will pass what leads to the dispatch. */
const CALLERS = 3;

/** A dispatch that runs inside a transaction, and where in this file it stands or is reached from. */
export interface DispatchInside {
  readonly scope: Scope;
  readonly node: Node;
  /** From the node on; the dispatch itself last. Empty where a decorator dispatches. */
  readonly path: readonly CallNode[];
  readonly reached: Pick<Reached, "ref" | "known" | "notJoined">;
  /** What the transaction's handle is called, where it has a name. */
  readonly frame: Frame | undefined;
}

const found = new WeakMap<FileAnalysis, readonly DispatchInside[]>();

/** Every dispatch inside a transaction of this file, each once. */
export function dispatchesInside(analysis: FileAnalysis): readonly DispatchInside[] {
  let dispatches = found.get(analysis);
  if (!dispatches) {
    dispatches = dispatchesAmong(insideTransactions(analysis), analysis)
      .filter((dispatch) => !isRuledOut(dispatch, analysis))
      .sort((a, b) => a.node.start - b.node.start);
    found.set(analysis, dispatches);
  }
  return dispatches;
}

/** The innermost transaction explains a dispatch best; of equal ones the first. */
function dispatchesAmong(all: readonly Inside[], analysis: FileAnalysis): readonly DispatchInside[] {
  const byNode = new Map<Node, DispatchInside>();
  for (const inside of all) {
    const dispatch = inside.node.kind === "call" || inside.reference ? dispatchBy(inside, analysis) : undefined;
    if (!dispatch) continue;
    const known = byNode.get(dispatch.node);
    if (!known || known.scope.body.end - known.scope.body.start > dispatch.scope.body.end - dispatch.scope.body.start)
      byNode.set(dispatch.node, dispatch);
  }
  return [...byNode.values()];
}

function dispatchBy(inside: Inside, analysis: FileAnalysis): DispatchInside | undefined {
  const { scope, node, frame, reference } = inside;
  if (node === reference) return dispatchByDecorator(node, scope, analysis);
  const reached = node.kind === "call" ? analysis.effects.dispatchBy(node, frame) : undefined;
  if (!reached || node.kind !== "call") return undefined;
  if (reference)
    return {
      scope,
      node: reference,
      path: reached.path,
      reached,
      frame: scope.kind === "decorator" ? undefined : frame,
    };
  if (scope.kind === "finally") {
    const isSent = reached.path.length === 1 && ["queue", "topic", "workflow"].includes(reached.known.entry.to);
    return isSent ? { scope, node, path: [], reached, frame } : undefined;
  }
  const { path } = reached;
  const last = path.findLastIndex(
    (step) => step.file === node.file && node.start <= step.start && step.end <= node.end,
  );
  const local =
    scope.kind === "manual"
      ? last
      : path.findLastIndex(
          (step) => step.file === node.file && scope.body.start <= step.start && step.end <= scope.body.end,
        );
  const at = Math.max(local, last, 0);
  return { scope, node: path[at] ?? node, path: path.slice(at), reached, frame };
}

function dispatchByDecorator(node: Node, scope: Scope, analysis: FileAnalysis): DispatchInside | undefined {
  const refs = refsOfDecorator(node, analysis);
  const [known] = analysis.knowledge.dispatchDecorators.find(refs);
  const [ref] = refs;
  return known && ref
    ? {
        scope,
        node,
        path: [],
        reached: { ref: { ...ref, container: undefined, name: `@${ref.name}` }, known },
        frame: undefined,
      }
    : undefined;
}

/** Whether the few callers of the function around a transaction all pass what leads to a branch without the dispatch. */
function isRuledOut({ scope, node }: DispatchInside, analysis: FileAnalysis): boolean {
  const { body } = scope;
  if (body.kind !== "function" || !body.body || !contains(body, node)) return false;
  const fn = scope.kind === "callback" ? enclosingFunction(body) : scope.kind === "decorator" ? body : undefined;
  // of one file alone, nobody knows all callers
  if (!fn || fn.params.length === 0 || !analysis.semantics.isTyped) return false;
  const inside = body.body;
  const calls = callsOf(fn, analysis);
  return (
    calls.length > 0 &&
    calls.every((call) => {
      const called = analysis.values.enter({ kind: "closure", fn, frame: undefined, self: undefined }, call, undefined);
      const frame: Frame = fn === body ? called : { fn: body, args: undefined, self: undefined, up: called };
      return !dispatchesAmong(insideOf(scope, inside, frame, analysis), analysis).some((again) => again.node === node);
    })
  );
}

/** The calls of a function, where every use of it is one and they are few. */
function callsOf(fn: FunctionNode, program: Program): readonly CallNode[] {
  const sites = callersOf(program).sitesOf(fn);
  const calls = sites.flatMap((site) =>
    site.parent?.kind === "call" && site.parent.callee === site ? site.parent : [],
  );
  return calls.length === sites.length && calls.length <= CALLERS ? calls : [];
}
