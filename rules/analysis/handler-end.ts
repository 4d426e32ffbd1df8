import type { FileAnalysis } from "./analysis.js";
import { callersOf, type HandlerPath } from "./callers.js";
import {
  childrenOf,
  contains,
  enclosingFunction,
  type CallNode,
  type FunctionNode,
  type Node,
  type WrapperNode,
} from "./code/node.js";
import type { JobHandler } from "./handler-scope.js";
import { isObserverName, isReporterName, workOf } from "./words.js";

/** Functions followed up to the handler whose end it is. */
const DEPTH = 4;
/** A name that stands at more places has more than one caller. */
const PLACES = 8;
/** The code answers for each message by itself. */
const answers =
  /\.(?:n?ack\w*|nak|term|reject\w*|retry\w*|discard\w*|moveTo\w+|fail|abandon\w*|deadLetter\w*|complete\w*|deleteMessage\w*|commitOffsets\w*|resolveOffset)\(|batchItemFailures|DeleteMessage/;

/** Whether a function answers for each message by itself, so that what it throws or returns says nothing. */
export function answersByItself(fn: FunctionNode): boolean {
  return answers.test(textOf(fn));
}

/** The handler whose end the end of a function is. */
export function pathOfEnd(fn: FunctionNode, analysis: FileAnalysis, depth: number): HandlerPath | undefined {
  if (depth > DEPTH) return undefined;
  const handler = handlerOf(fn, analysis);
  if (handler) return { handler, steps: [fn] };
  const call = onlyCallOf(fn, analysis);
  const caller = call && enclosingFunction(call);
  if (!call || !caller || !isEndOf(call, caller) || answersByItself(caller)) return undefined;
  const path = pathOfEnd(caller, analysis, depth + 1);
  return path && { ...path, steps: [...path.steps, fn] };
}

/** What makes a function a handler: its own declaration, its place, or where it is named. */
export function handlerOf(fn: FunctionNode, analysis: FileAnalysis): JobHandler | undefined {
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

/** Whether nothing but logs and a return comes behind a statement, and no work of its own before it. */
export function isEndOf(node: Node, fn: FunctionNode): boolean {
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
    case "declare":
      // `const order = await createOrder()`: the work is done, whoever wants to know what it gave
      return node.declarators.some(
        ({ init }) =>
          init?.kind === "await" && !isAside(init) && init.argument?.kind === "call" && stores(init.argument),
      );
    default:
      return false;
  }
}

function stores(call: CallNode): boolean {
  const names = textOf(call.callee).split(/[^\w$]+/);
  return ["stores", "dispatches"].includes(workOf(names.at(-1) ?? "", names.slice(0, -1)));
}

function endsHere(block: Extract<Node, { kind: "block" | "sequence" }>): boolean {
  const last = block.body.at(-1);
  return last?.kind === "return" || last?.kind === "throw";
}

/** A log, a pause, a sign of life: not what the job is for. */
export function isAside({ argument }: WrapperNode): boolean {
  return (
    argument?.kind === "call" &&
    (isObserver(argument) ||
      /progress|heartbeat|lock|lease|connect|sleep|delay|wait|timeout|pause|init|setup|touch/i.test(
        textOf(argument.callee),
      ))
  );
}

export function isObserver({ callee, isNew }: CallNode): boolean {
  if (isNew) return false;
  const names = textOf(callee).split(/[^\w$]+/);
  return names.some((name) => isObserverName(name) || isReporterName(name));
}

/** `String(error)`, `error.toString()`, `JSON.stringify(error)`, `new Date()`: only what is told. */
export function isPlain({ callee }: CallNode): boolean {
  return /(?:^|\.)(?:String|Number|Date|now|stringify|toString|toISOString|toJSON|join|map|slice|trim|getMessage|isError|get(?:Error)?Message|serializeError|format\w*)$/.test(
    textOf(callee),
  );
}

function textOf({ file, start, end }: Node): string {
  return file.text.slice(start, end);
}
