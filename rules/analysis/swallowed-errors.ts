import type { FileAnalysis } from "./analysis.js";
import { callersOf, type HandlerPath } from "./callers.js";
import {
  childrenOf,
  contains,
  enclosingFunction,
  type CallNode,
  type FunctionNode,
  type Node,
  type TryNode,
  type WrapperNode,
} from "./code/node.js";
import type { JobHandler } from "./handler-scope.js";
import { triesIn } from "./tries.js";
import { usesOfParameter } from "./uses.js";
import { isObserverName, isReporterName } from "./words.js";

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

/** Functions followed from the `catch` up to the handler whose end it is. */
const DEPTH = 4;
/** A name that stands at more places has more than one caller. */
const PLACES = 8;
/** The code answers for each message by itself. */
const answers =
  /\.(?:n?ack\w*|nak|term|reject\w*|retry\w*|discard\w*|moveTo\w+|fail|abandon\w*|deadLetter\w*|complete\w*|deleteMessage\w*|commitOffsets\w*|resolveOffset)\(|batchItemFailures|DeleteMessage/;

/** The errors that handlers of a file keep to themselves. */
export function swallowedErrorsIn(analysis: FileAnalysis): readonly SwallowedError[] {
  const { file, knowledge } = analysis;
  if (!knowledge.libraries.some(({ retriesOnThrow }) => retriesOnThrow)) return [];
  return triesIn(file).flatMap((node) => (node.handler && swallowedBy(node, node.handler, analysis)) ?? []);
}

/** What the code alone tells comes first; then, whether it is a handler's. */
function swallowedBy(node: TryNode, handler: Node, analysis: FileAnalysis): SwallowedError | undefined {
  const fn = enclosingFunction(node);
  if (!fn || !awaits(node.block) || !onlyObserves(handler) || answers.test(textOf(fn))) return undefined;
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

/** A log, a pause, a sign of life: not what the job is for. */
function isAside({ argument }: WrapperNode): boolean {
  return (
    argument?.kind === "call" &&
    (isObserver(argument) ||
      /progress|heartbeat|lock|lease|connect|sleep|delay|wait|timeout|pause|init|setup|touch/i.test(
        textOf(argument.callee),
      ))
  );
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

function isObserver({ callee, isNew }: CallNode): boolean {
  if (isNew) return false;
  const names = textOf(callee).split(/[^\w$]+/);
  return names.some((name) => isObserverName(name) || isReporterName(name));
}

/** `String(error)`, `error.toString()`, `JSON.stringify(error)`, `new Date()`: only what is told. */
function isPlain({ callee }: CallNode): boolean {
  return /(?:^|\.)(?:String|Number|Date|now|stringify|toString|toISOString|toJSON|join|map|slice|trim|getMessage|isError|get(?:Error)?Message|serializeError|format\w*)$/.test(
    textOf(callee),
  );
}

/** Whether nothing but logs and a return comes behind a statement, and no work of its own before it. */
function isEndOf(node: Node, fn: FunctionNode): boolean {
  for (let inner: Node = node, around = node.parent; around; inner = around, around = around.parent) {
    if (around === fn || inner === fn.body) return true;
    switch (around.kind) {
      case "block": {
        const at = around.body.indexOf(inner);
        if (!around.body.slice(at + 1).every(isIdle) || around.body.slice(0, at).some(isWork)) return false;
        break;
      }
      case "switch":
        if (around.cases.some(({ body }) => isFollowed(body, inner))) return false;
        break;
      case "if":
      case "return":
      case "await":
        break;
      case "try":
        // what is thrown in a `catch` or `finally` is another matter
        if (around.block !== inner) return false;
        break;
      default:
        return false;
    }
  }
  return false;
}

function isFollowed(body: readonly Node[], inner: Node): boolean {
  const at = body.indexOf(inner);
  return at !== -1 && (!body.slice(at + 1).every(isIdle) || body.slice(0, at).some(isWork));
}

/** A log, a `break`, the return of a value. */
function isIdle(node: Node): boolean {
  if (node.kind === "function") return true;
  if (node.kind === "throw" || node.kind === "await" || node.kind === "loop" || node.kind === "try") return false;
  return node.kind === "call" ? isObserver(node) || isPlain(node) : childrenOf(node).every(isIdle);
}

/** Something is awaited for what it does, not for what it gives. */
function isWork(node: Node): boolean {
  switch (node.kind) {
    case "await":
      return !isAside(node);
    case "if":
      return [node.then, ...(node.otherwise ? [node.otherwise] : [])].some(isWork);
    case "block":
    case "sequence":
      // a branch that ends the handler leaves the work to come
      return !endsHere(node) && node.body.some(isWork);
    case "loop":
      return isWork(node.body);
    case "try":
      return isWork(node.block);
    default:
      return false;
  }
}

function endsHere(block: Extract<Node, { kind: "block" | "sequence" }>): boolean {
  const last = block.body.at(-1);
  return last?.kind === "return" || last?.kind === "throw";
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

/** The handler whose end the end of a function is. */
function pathOfEnd(fn: FunctionNode, analysis: FileAnalysis, depth: number): HandlerPath | undefined {
  if (depth > DEPTH) return undefined;
  const handler = handlerOf(fn, analysis);
  if (handler) return { handler, steps: [fn] };
  const call = onlyCallOf(fn, analysis);
  const caller = call && enclosingFunction(call);
  if (!call || !caller || !isEndOf(call, caller) || answers.test(textOf(caller))) return undefined;
  const path = pathOfEnd(caller, analysis, depth + 1);
  return path && { ...path, steps: [...path.steps, fn] };
}

/** What makes a function a handler: its own declaration, its place, or where it is named. */
function handlerOf(fn: FunctionNode, analysis: FileAnalysis): JobHandler | undefined {
  const { handlers } = callersOf(analysis);
  const handler = handlers.handlerOf(fn);
  if (handler && !("parameterType" in handler.entry)) return handler;
  if (!handler && isCallback(fn)) return undefined;
  // what many name is called on the way, or too common a word
  const sites = callersOf(analysis).fewSitesOf(fn, PLACES);
  if (!sites) return undefined;
  // a function that takes a job may still be one that a handler calls on the way
  if (handler) return sites.some(isCallee) ? undefined : handler;
  return sites.map((site) => handlers.handlerBy(fn, site)).find((found) => found !== undefined);
}

/** The call that runs a function: the one that is given it, or its only caller; of several any may go on. */
function onlyCallOf(fn: FunctionNode, analysis: FileAnalysis): CallNode | undefined {
  if (isCallback(fn)) return fn.parent?.kind === "call" ? fn.parent : undefined;
  const sites = callersOf(analysis).fewSitesOf(fn, PLACES) ?? [];
  const [site] = sites.filter((candidate) => !contains(fn, candidate));
  return sites.length === 1 && site && isCallee(site) && site.parent?.kind === "call" ? site.parent : undefined;
}

function isCallback(fn: FunctionNode): boolean {
  return fn.parent?.kind === "call" && fn.parent.args.includes(fn);
}

function isCallee(site: Node): boolean {
  return site.parent?.kind === "call" && site.parent.callee === site;
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
