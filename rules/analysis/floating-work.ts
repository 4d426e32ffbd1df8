import type { FileAnalysis } from "./analysis.js";
import { ambientAround, handleUsedIn, writesIn } from "./concurrent-queries.js";
import { childrenOf, enclosingFunction, type CallNode, type FunctionNode, type Node } from "./code/node.js";
import { runningOf } from "./deferral.js";
import { nameOfCallee } from "./effects.js";
import type { Knowledge } from "./knowledge.js";
import { mayStandInTransaction } from "./open-handles.js";
import { mayHoldTransactions } from "./transaction-gate.js";

/** Work that is started in a transaction, and that the transaction does not wait for. */
export interface Floating {
  readonly call: CallNode;
  readonly kind: "not awaited" | "timer";
  readonly transaction: string;
  /** What the transaction's handle is called; absent: the transaction is ambient. */
  readonly handle: string | undefined;
  /** The whole statement: the call, or `void` and the call. */
  readonly statement: Node;
}

/** They run a function later, and wait for no commit. */
const timers = new Set(["setTimeout", "setInterval", "setImmediate", "queueMicrotask", "nextTick"]);

/** The work of a file that floats beside the transaction in which it is started. */
export function floatingIn(analysis: FileAnalysis): readonly Floating[] {
  if (!analysis.knowledge.libraries.some(({ together }) => together !== undefined)) return [];
  if (!mayHoldTransactions(analysis)) return [];
  const found: Floating[] = [];
  const visit = (node: Node): void => {
    const fn = node.kind === "call" ? enclosingFunction(node) : undefined;
    const statement = node.kind === "call" && fn?.isAsync ? statementOf(node) : undefined;
    if (node.kind === "call" && fn && statement && mayStandInTransaction(node, analysis)) {
      const one = timer(node, statement, fn, analysis) ?? notAwaited(node, statement, fn, analysis);
      if (one) found.push(one);
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(analysis.file.root);
  return found;
}

/** The statement that a call is by itself, or behind `void`. */
function statementOf(call: CallNode): Node | undefined {
  const { parent } = call;
  const whole = parent?.kind === "unary" && parent.operator === "void" ? parent : call;
  return whole.parent?.kind === "block" ? whole : undefined;
}

function notAwaited(call: CallNode, statement: Node, fn: FunctionNode, analysis: FileAnalysis): Floating | undefined {
  const { wrappers } = analysis;
  if (isForEach(call) || (wrappers.mayTurn(call) && wrappers.turnOf(call, undefined) !== undefined)) return undefined;
  if (isDeferred(call, analysis)) return undefined;
  const handle = handleUsedIn(call, analysis);
  if (handle) {
    const isInside = handle.library.together !== undefined && (handle.body ?? fn) === fn;
    return isInside && isPromise(call, analysis)
      ? { call, kind: "not awaited", transaction: handle.transaction, handle: textOf(handle.node), statement }
      : undefined;
  }
  const transaction = fn.decorators.length > 0 ? ambientAround(call, analysis) : undefined;
  return transaction !== undefined && isPromise(call, analysis) && writesIn(call, analysis)
    ? { call, kind: "not awaited", transaction, handle: undefined, statement }
    : undefined;
}

function timer(call: CallNode, statement: Node, fn: FunctionNode, analysis: FileAnalysis): Floating | undefined {
  const [work] = call.args;
  if (!timers.has(nameOfCallee(call) ?? "") || work?.kind !== "function" || !work.body) return undefined;
  const { callee } = call;
  const definition = callee.kind === "name" ? analysis.semantics.definitionOfName(callee) : undefined;
  if (definition && definition.kind !== "declared") return undefined;
  const handle = handleUsedIn(work.body, analysis);
  return handle?.library.together !== undefined && (handle.body ?? fn) === fn
    ? { call, kind: "timer", transaction: handle.transaction, handle: textOf(handle.node), statement }
    : undefined;
}

/** Whether a call gives a promise, or a query that is sent when it is awaited. */
function isPromise(call: CallNode, { semantics, values }: FileAnalysis): boolean {
  if (semantics.isTyped) return semantics.definitionOfProperty(call, "then") !== undefined;
  const called = values.settle(call.callee, undefined);
  return called.kind === "closure" && called.fn.isAsync;
}

/** `trx.executionPromise.then(send).catch(log)`: what waits for the end of the transaction cannot be awaited inside it. */
function isDeferred(call: CallNode, { effects, knowledge }: FileAnalysis): boolean {
  for (let link: Node = call; link.kind === "call" || link.kind === "member";) {
    if (link.kind === "member") link = link.object;
    else {
      if (mayDefer(nameOfCallee(link), knowledge)) {
        const running = runningOf(effects.calledBy(link, undefined).refs, link, knowledge);
        if (running === "after commit" || running === "outside") return true;
      }
      link = link.callee;
    }
  }
  return false;
}

function mayDefer(name: string | undefined, { afterCommit, outside }: Knowledge): boolean {
  return name === "call" || name === "apply" || afterCommit.hasName(name) || outside.hasName(name);
}

/** `forEach(async …)` is started side by side, and reported as that. */
function isForEach({ callee }: CallNode): boolean {
  return callee.kind === "member" && callee.property === "forEach";
}

function textOf(node: Node): string {
  return node.file.text.slice(node.start, node.end);
}
