import type { FileAnalysis } from "../analysis/analysis.js";
import { childrenOf, lineOf, type CallNode, type Node } from "../analysis/code/node.js";
import { handlersIn } from "../analysis/deduplicated-work.js";
import { callersOf } from "../analysis/callers.js";
import { runningOf } from "../analysis/deferral.js";
import { nameOfVariable } from "../analysis/effects.js";
import { Joining } from "../analysis/joining.js";
import { leasesIn } from "../analysis/lease.js";
import type { Side } from "../analysis/lease-settings.js";
import { describePath } from "../analysis/path.js";
import { labelOf } from "../analysis/semantics.js";
import { scopesIn, type Scope } from "../analysis/transaction-scope.js";
import { workInside, type DispatchInside, type EffectInside } from "../analysis/work-inside.js";

/** What the plugin believes of a file. Lines count from 1, durations are in seconds. */
export interface Explanation {
  readonly transactions: readonly ExplainedTransaction[];
  readonly calls: readonly ExplainedCall[];
  readonly handlers: readonly ExplainedHandler[];
  readonly leases: readonly ExplainedLease[];
}

export interface ExplainedTransaction {
  readonly openedBy: string;
  readonly as: Scope["kind"];
  readonly line: number;
  /** The first and the last line of the code that runs while it is open. */
  readonly from: number;
  readonly to: number;
  /** Who runs the code again after a conflict. */
  readonly rerunBy?: string;
}

export interface ExplainedCall {
  readonly line: number;
  readonly call: string;
  readonly does: "dispatch" | "effect" | "question";
  /**
   * `inside` a transaction; `joined` to it by the handle that it is given; `deferred` until after its end; `outside`, as
   * far as the plugin knows.
   */
  readonly runs: "inside" | "joined" | "deferred" | "outside";
  /** The line in which the transaction is opened, or what defers is called. */
  readonly because?: number;
  /** The way through the calls, where it is reached by others. */
  readonly path?: string;
}

export interface ExplainedHandler {
  readonly line: number;
  readonly name?: string;
  readonly library: string;
}

export interface ExplainedLease {
  readonly line: number;
  readonly library: string;
  readonly as: "limit" | "renewal" | "order";
  readonly timeout: ExplainedDuration | "not known";
  readonly lease: ExplainedDuration | "not known";
}

export interface ExplainedDuration {
  readonly seconds: number;
  readonly setBy: string;
}

export function explain(analysis: FileAnalysis): Explanation {
  return {
    transactions: scopesIn(analysis)
      .map((scope) => transactionOf(scope, analysis))
      .sort((a, b) => a.from - b.from),
    calls: callsIn(analysis),
    handlers: handlersIn(analysis).map((fn) => {
      const name = fn.name ?? nameOfVariable(fn);
      const handler = callersOf(analysis).handlerAbove(fn)?.handler;
      return { line: lineAt(fn), ...(name === undefined ? {} : { name }), library: handler?.library.name ?? "" };
    }),
    leases: leasesIn(analysis).map(({ library, pair, node, timeout, lease }) => ({
      line: lineAt(node),
      library: library.name,
      as: pair.as,
      timeout: durationOf(timeout, analysis),
      lease: durationOf(lease, analysis),
    })),
  };
}

function transactionOf(scope: Scope, analysis: FileAnalysis): ExplainedTransaction {
  const { body, openedAt } = scope;
  return {
    openedBy: scope.label,
    as: scope.kind,
    line: lineAt(openedAt),
    from: lineAt(scope.kind === "manual" ? openedAt : body),
    to: scope.kind === "manual" ? lastTurn(scope, analysis) : lineOf(body.file, body.end),
    ...(scope.rerun ? { rerunBy: scope.rerun.by } : {}),
  };
}

/** The line of the last call that ends a transaction which was begun by hand. */
function lastTurn({ body, openedAt }: Scope, { wrappers }: FileAnalysis): number {
  const ends = callsBelow(body).filter(
    (call) => call.start > openedAt.end && ["commit", "rollback"].includes(wrappers.turnOf(call, undefined) ?? ""),
  );
  return ends.length > 0 ? Math.max(...ends.map(lineAt)) : lineOf(body.file, body.end);
}

function callsIn(analysis: FileAnalysis): readonly ExplainedCall[] {
  const { dispatches, effects, questions } = workInside(analysis);
  const found = new Map<string, ExplainedCall>();
  const note = (node: Node, call: ExplainedCall) => {
    const key = `${String(node.start)} ${call.does}`;
    if (!found.has(key)) found.set(key, call);
  };
  const inside = (items: readonly (DispatchInside | EffectInside)[], does: ExplainedCall["does"]) => {
    for (const item of items) {
      const path = describePath(item.node, item.path);
      note(item.node, {
        line: lineAt(item.node),
        call: labelOf(item.reached.ref),
        does,
        runs: "inside",
        because: lineAt(item.scope.openedAt),
        ...(path === "" ? {} : { path: path.trim().replace(/^Path: /, "") }),
      });
    }
  };
  inside(dispatches, "dispatch");
  inside(effects, "effect");
  inside(questions, "question");
  for (const call of callsBelow(analysis.file.root)) {
    const standing = standingCall(call, analysis);
    if (standing) note(call, standing);
  }
  return [...found.values()].sort((a, b) => a.line - b.line);
}

/** A call that dispatches or has an effect by itself, and is not inside a transaction. */
function standingCall(call: CallNode, analysis: FileAnalysis): ExplainedCall | undefined {
  const { effects, knowledge } = analysis;
  const { refs } = effects.calledBy(call, undefined);
  const [joining] = knowledge.dispatches.find(refs);
  const [ref] = refs;
  if (ref && joining && new Joining(analysis).of(call, joining.entry.joins, undefined) === "joined")
    return { line: lineAt(call), call: labelOf(ref), does: "dispatch", runs: "joined" };
  const reach = effects.reachedBy(call, undefined);
  for (const does of ["dispatch", "effect", "question"] as const) {
    const reached = reach[does];
    if (reached?.path.length !== 1) continue;
    const slot = slotAround(call, analysis);
    return {
      line: lineAt(call),
      call: labelOf(reached.ref),
      does,
      runs: slot ? "deferred" : "outside",
      ...(slot ? { because: lineAt(slot) } : {}),
    };
  }
  return undefined;
}

/** The call that keeps the function around a node until after the transaction's end. */
function slotAround(node: Node, { effects, knowledge }: FileAnalysis): CallNode | undefined {
  for (let inner = node; inner.parent; inner = inner.parent) {
    const { parent }: Node = inner;
    if (inner.kind !== "function" || parent.kind !== "call" || !parent.args.includes(inner)) continue;
    const running = runningOf(effects.calledBy(parent, undefined).refs, parent, knowledge);
    if (running === "after commit" || running === "outside") return parent;
  }
  return undefined;
}

function callsBelow(node: Node): CallNode[] {
  return [...(node.kind === "call" ? [node] : []), ...childrenOf(node).flatMap(callsBelow)];
}

function durationOf(side: Side | undefined, { file }: FileAnalysis): ExplainedDuration | "not known" {
  if (!side) return "not known";
  const { node, name, setting, ms } = side;
  const what = name === undefined ? "" : `${name}, `;
  const setBy = node
    ? `${what}${node.file === file ? "" : `${node.file.path.split("/").slice(-2).join("/")}, `}line ${String(lineAt(node))}`
    : (setting?.defaultIs ?? "default of the library");
  return { seconds: ms / 1000, setBy };
}

function lineAt(node: Node): number {
  return lineOf(node.file, node.start);
}
