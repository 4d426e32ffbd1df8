import type { FileAnalysis, Program } from "./analysis.js";
import { callersOf } from "./callers.js";
import { contains, enclosingFunction, type CallNode, type FunctionNode, type Node } from "./code/node.js";
import { refsOfDecorator } from "./decorators.js";
import { reachKinds, type Reach, type ReachedDispatch, type ReachedEffect } from "./reach.js";
import { insideOf, insideTransactions, type Inside, type Scope } from "./transaction-scope.js";
import type { Frame } from "./values.js";

/** Of a function with more callers than this, some caller will pass what leads to the dispatch. */
const CALLERS = 3;

/** Something that runs inside a transaction and matters there, and where in this file it stands or is reached from. */
export interface ReachedInside<Reached> {
  readonly scope: Scope;
  readonly node: Node;
  /** From the node on; what is reached itself last. Empty where a decorator dispatches. */
  readonly path: readonly CallNode[];
  readonly reached: Reached;
  /** What the transaction's handle is called, where it has a name. */
  readonly frame: Frame | undefined;
}
export type DispatchInside = ReachedInside<Omit<ReachedDispatch, "path">>;
export type EffectInside = ReachedInside<Omit<ReachedEffect, "path">>;

/** What a file does inside transactions, each place of each kind once. */
interface WorkInside {
  readonly dispatches: readonly DispatchInside[];
  /** What changes something outside of the database. */
  readonly effects: readonly EffectInside[];
  /** What only asks there. */
  readonly questions: readonly EffectInside[];
}

type Kind = keyof Reach;
type Found = { readonly [K in Kind]: Map<Node, ReachedInside<NonNullable<Reach[K]>>> };

const known = new WeakMap<FileAnalysis, WorkInside>();

/** Everything that leaves the database inside a transaction of a file. */
export function workInside(analysis: FileAnalysis): WorkInside {
  let work = known.get(analysis);
  if (!work) {
    const found = foundAmong(insideTransactions(analysis), analysis);
    const remaining = <K extends Kind>(kind: K) =>
      [...found[kind].values()]
        .filter((inside) => !isRuledOut(kind, inside, analysis))
        .sort((a, b) => a.node.start - b.node.start);
    work = { dispatches: remaining("dispatch"), effects: remaining("effect"), questions: remaining("question") };
    known.set(analysis, work);
  }
  return work;
}

function foundAmong(all: readonly Inside[], analysis: FileAnalysis): Found {
  const found: Found = { dispatch: new Map(), effect: new Map(), question: new Map() };
  for (const inside of all) {
    const { scope, node, frame, reference } = inside;
    if (node === reference) noteDecorator(found, node, scope, analysis);
    else if (node.kind === "call") {
      const reach = analysis.effects.reachedBy(node, frame);
      for (const kind of reachKinds) noteReached(found, kind, reach[kind], { ...inside, node });
    }
  }
  return found;
}

function noteReached<K extends Kind>(
  found: Found,
  kind: K,
  reached: Reach[K],
  { scope, node, frame, reference }: Inside & { readonly node: CallNode },
): void {
  if (!reached) return;
  const { path } = reached;
  if (reference) {
    const own = scope.kind === "decorator" ? undefined : frame;
    note(found, kind, { scope, node: reference, path, reached, frame: own });
  } else if (scope.kind === "finally") {
    if (isSentItself(kind, reached)) note(found, kind, { scope, node, path: [], reached, frame });
  } else {
    const isIn = (step: CallNode, outer: Node) => step.file === node.file && contains(outer, step);
    const last = path.findLastIndex((step) => isIn(step, node));
    const local = scope.kind === "manual" ? last : path.findLastIndex((step) => isIn(step, scope.body));
    const at = Math.max(local, last, 0);
    note(found, kind, { scope, node: path[at] ?? node, path: path.slice(at), reached, frame });
  }
}

/** In a `finally` that ends a transaction only what is sent there itself is meant. */
function isSentItself<K extends Kind>(kind: K, reached: NonNullable<Reach[K]>): boolean {
  if (kind !== "dispatch" || reached.path.length !== 1) return false;
  const { to } = (reached as ReachedDispatch).known.entry;
  return ["queue", "topic", "workflow"].includes(to);
}

function noteDecorator(found: Found, node: Node, scope: Scope, analysis: FileAnalysis): void {
  const refs = refsOfDecorator(node, analysis);
  const [dispatch] = analysis.knowledge.dispatchDecorators.find(refs);
  const [ref] = refs;
  if (!dispatch || !ref) return;
  const reached = { path: [], ref: { ...ref, container: undefined, name: `@${ref.name}` }, known: dispatch };
  note(found, "dispatch", { scope, node, path: [], reached, frame: undefined });
}

/** The innermost transaction explains best; of equal ones the first. */
function note<K extends Kind>(found: Found, kind: K, inside: ReachedInside<NonNullable<Reach[K]>>): void {
  const places = found[kind];
  const before = places.get(inside.node);
  if (!before || sizeOf(before.scope) > sizeOf(inside.scope)) places.set(inside.node, inside);
}

function sizeOf({ body }: Scope): number {
  return body.end - body.start;
}

/** Whether the few callers of the function around a transaction all pass what leads to a branch without it. */
function isRuledOut(kind: Kind, { scope, node }: ReachedInside<unknown>, analysis: FileAnalysis): boolean {
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
      return !foundAmong(insideOf(scope, inside, frame, analysis), analysis)[kind].has(node);
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
