import type { FileAnalysis } from "./analysis.js";
import type { HandlerPath } from "./callers.js";
import { childrenOf, contains, enclosingFunction, type FunctionNode, type Node, type TryNode } from "./code/node.js";
import { answersByItself, handlerOf, isAside, isEndOf, isObserver, isPlain, pathOfEnd } from "./handler-end.js";
import { triesIn } from "./tries.js";
import { usesOfParameter } from "./uses.js";

/** A `catch` that keeps the error from the queue. */
export interface SwallowedError {
  /** The block behind `catch`. */
  readonly handler: Node;
  readonly path: HandlerPath;
  /** It is the error of one job of a batch that is acknowledged as a whole. */
  readonly isOfOne: boolean;
  /** What the handler returns instead, as it is written. */
  readonly returns: string | undefined;
  /** Throws the error again. */
  readonly rethrow: { readonly start: number; readonly end: number; readonly text: string } | undefined;
}

/** The errors that handlers of a file keep to themselves. */
export function swallowedErrorsIn(analysis: FileAnalysis): readonly SwallowedError[] {
  const { file, knowledge } = analysis;
  if (!knowledge.libraries.some(({ retriesOnThrow }) => retriesOnThrow)) return [];
  return triesIn(file).flatMap((node) => (node.handler && swallowedBy(node, node.handler, analysis)) ?? []);
}

/** What the code alone tells comes first; then, whether it is a handler's. */
function swallowedBy(node: TryNode, handler: Node, analysis: FileAnalysis): SwallowedError | undefined {
  const fn = enclosingFunction(node);
  if (!fn || !awaits(node.block) || !onlyObserves(handler) || answersByItself(fn)) return undefined;
  const isOfOne = isLoopBody(node, fn);
  if (isOfOne ? throwsBehind(node, fn) : !isEndOf(node, fn)) return undefined;
  const path = isOfOne ? pathOfItem(node, fn, analysis) : pathOfEnd(fn, analysis, 0);
  if (!path?.handler.library.retriesOnThrow) return undefined;
  const last = lastStatement(handler);
  const returned = last?.kind === "return" ? last.argument : undefined;
  return { handler, path, isOfOne, returns: returned && textOf(returned), rethrow: rethrowIn(node, handler, last) };
}

/** Whether code waits for work: what is not awaited rejects elsewhere, and a pause is no work. */
function awaits(node: Node): boolean {
  if (node.kind === "function" || node.kind === "class") return false;
  return (node.kind === "await" && !isAside(node)) || childrenOf(node).some(awaits);
}

/** Whether a `catch` does no more than tell of the error: it throws, stores, sends and decides nothing. */
function onlyObserves(node: Node): boolean {
  switch (node.kind) {
    case "throw":
    case "assign":
    case "await":
    case "loop":
    case "try":
      return node.kind === "await" && node.argument?.kind === "call" && isObserver(node.argument);
    case "call":
      return isObserver(node) || (isPlain(node) && childrenOf(node).every(onlyObserves));
    case "unary":
      return !/^(?:\+\+|--|delete)$/.test(node.operator) && onlyObserves(node.argument);
    case "function":
    case "class":
      return true;
    default:
      return childrenOf(node).every(onlyObserves);
  }
}

/** `for (const record of event.Records) { try … }` and the same in `map`. */
function isLoopBody(node: TryNode, fn: FunctionNode): boolean {
  return loopAround(node, fn) !== undefined;
}

function loopAround(node: Node, fn: FunctionNode): Node | undefined {
  for (let around = node.parent; around && around !== fn; around = around.parent)
    if (around.kind === "loop") return around;
  const call = fn.parent;
  const isPerElement =
    call?.kind === "call" &&
    call.callee.kind === "member" &&
    /^(?:map|forEach|flatMap)$/.test(call.callee.property ?? "");
  return isPerElement ? call : undefined;
}

/** Whether the function throws behind the loop, for all that went wrong in it. */
function throwsBehind(node: TryNode, fn: FunctionNode): boolean {
  const loop = loopAround(node, fn);
  const outer = loop && (enclosingFunction(loop) ?? fn);
  const throws = (inner: Node): boolean =>
    (inner.kind === "throw" && loop !== undefined && inner.start > loop.end) || childrenOf(inner).some(throws);
  return outer === undefined || throws(outer);
}

/** The handler whose jobs a loop runs over. */
function pathOfItem(node: TryNode, fn: FunctionNode, analysis: FileAnalysis): HandlerPath | undefined {
  const loop = loopAround(node, fn);
  const over =
    loop?.kind === "loop"
      ? loop.iterated
      : loop?.kind === "call" && loop.callee.kind === "member"
        ? loop.callee.object
        : undefined;
  const outer = loop && (enclosingFunction(loop) ?? fn);
  if (!over || !outer) return undefined;
  const handler = handlerOf(outer, analysis);
  if (!handler?.entry.batch) return undefined;
  const uses = usesOfParameter(analysis.semantics, outer, handler.parameter, ["*"]);
  const isOfParameter =
    uses.some(({ node: use }) => contains(over, use)) ||
    // the parameter was taken apart: `async ({ messages }) => …`
    outer.params[handler.parameter]?.target.kind === "pattern";
  return isOfParameter ? { handler, steps: [outer] } : undefined;
}

function lastStatement(block: Node): Node | undefined {
  return block.kind === "block" ? block.body.at(-1) : undefined;
}

function rethrowIn({ block }: TryNode, handler: Node, last: Node | undefined): SwallowedError["rethrow"] {
  const [, name] = /catch\s*\(\s*([A-Za-z_$][\w$]*)/.exec(handler.file.text.slice(block.end, handler.start)) ?? [];
  if (name === undefined || !last) return undefined;
  const text = `throw ${name};`;
  if (last.kind === "return") return { start: last.start, end: last.end, text };
  const lineStart = last.file.text.lastIndexOf("\n", last.start) + 1;
  const [indent = ""] = /^\s*/.exec(last.file.text.slice(lineStart, last.start)) ?? [];
  const close = handler.end - 1;
  const before = handler.file.text.slice(0, close).trimEnd().length;
  return { start: before, end: before, text: `\n${indent}${text}` };
}

function textOf({ file, start, end }: Node): string {
  return file.text.slice(start, end);
}
