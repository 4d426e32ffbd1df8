import type { FileAnalysis } from "./analysis.js";
import {
  childrenOf,
  enclosingFunction,
  lineOf,
  type CallNode,
  type CodeFile,
  type FunctionNode,
  type Node,
} from "./code/node.js";
import { execute } from "./execution.js";
import { occurrences } from "./occurrences.js";
import { mayStandInTransaction, openHandle, type OpenHandle } from "./open-handles.js";
import { scopeOfDecorator } from "./decorator-scope.js";
import type { Frame } from "./values.js";

/** Work of one transaction that is started without waiting for what was started before. */
export interface Concurrent {
  readonly call: CallNode;
  /** `Promise.all`, `forEach`. */
  readonly by: string;
  readonly transaction: string;
  /** What the transaction's handle is called; absent: the transaction is ambient. */
  readonly handle: string | undefined;
  /** The elements, where they are written in a list. */
  readonly elements: readonly Node[] | undefined;
}

/** Something that runs at once with the others, and how often. */
interface Started {
  readonly node: Node;
  readonly isMany: boolean;
  /** Not a function with several steps: one query, if it begins at the handle. */
  readonly isOneQuery: boolean;
}

const textGate = /\bPromise\s*\.\s*(?:all|race|any)\b|\.\s*forEach\s*\(\s*async\b/;
const combinators = new Set(["all", "race", "any"]);
const names = new Set([...combinators, "forEach"]);
/** Functions entered from an element, to find what it writes in an ambient transaction. */
const DEPTH = 3;

/** The places of a file where queries of one transaction are started side by side. */
export function concurrentIn(analysis: FileAnalysis): readonly Concurrent[] {
  if (!textGate.test(analysis.file.text)) return [];
  if (!analysis.knowledge.libraries.some(({ together }) => together !== undefined)) return [];
  return callsOfNames(analysis.file)
    .filter((call) => mayStandInTransaction(call, analysis))
    .flatMap((call) => combined(call, analysis) ?? forEach(call, analysis) ?? []);
}

/** The calls of `all`, `race`, `any` and `forEach`, in the order of the text: only the code around these words is read. */
function callsOfNames(file: CodeFile): readonly CallNode[] {
  return [...names]
    .flatMap((name) => occurrences(file, name))
    .flatMap((node) => (node.parent?.kind === "call" && node.parent.callee === node ? node.parent : []))
    .sort((one, other) => one.start - other.start);
}

function combined(call: CallNode, analysis: FileAnalysis): Concurrent | undefined {
  const { callee } = call;
  const [list] = call.args;
  if (
    callee.kind !== "member" ||
    callee.object.kind !== "name" ||
    callee.object.text !== "Promise" ||
    !combinators.has(callee.property ?? "") ||
    !list
  )
    return undefined;
  const started = startedIn(list, analysis);
  const by = `Promise.${callee.property ?? ""}`;
  const elements = list.kind === "array" ? list.elements : undefined;
  const handles = started.flatMap((one) => {
    const handle = handleUsedIn(one.node, analysis);
    return handle && countsTogether(handle, one, analysis) ? [{ handle, isMany: one.isMany }] : [];
  });
  const [first, ...others] = handles;
  if (first) {
    const same = others.some(({ handle }) => textOf(handle.node) === textOf(first.handle.node));
    return first.isMany || same
      ? { call, by, elements, transaction: first.handle.transaction, handle: textOf(first.handle.node) }
      : undefined;
  }
  const transaction = ambientAround(call, analysis);
  if (transaction === undefined) return undefined;
  const writes = started.filter(({ node }) => writesIn(node, analysis));
  return writes.length > 1 || writes.some(({ isMany }) => isMany)
    ? { call, by, elements, transaction, handle: undefined }
    : undefined;
}

/** `items.forEach(async (item) => { await tx… })`: nobody waits for any of them. */
function forEach(call: CallNode, analysis: FileAnalysis): Concurrent | undefined {
  const [work] = call.args;
  if (call.callee.kind !== "member" || call.callee.property !== "forEach") return undefined;
  if (work?.kind !== "function" || !work.isAsync || !work.body) return undefined;
  const handle = handleUsedIn(work.body, analysis);
  return handle?.library.together === undefined
    ? undefined
    : { call, by: "forEach", elements: undefined, transaction: handle.transaction, handle: textOf(handle.node) };
}

/** Whether the library lets what is started get in the way of the rest. */
function countsTogether(handle: OpenHandle, { node, isOneQuery }: Started, { knowledge }: FileAnalysis): boolean {
  const { library } = handle;
  if (library.together === undefined) return false;
  if (!isOneQuery || handle.node.start !== node.start) return true;
  const isPipelined =
    library.together === "pipelined" ||
    knowledge.libraries.some(({ packages }) => packages.some((name) => library.pipelinesOver?.includes(name)));
  return !isPipelined;
}

/** What runs at once when a list is handed to a combinator. */
function startedIn(list: Node, analysis: FileAnalysis): readonly Started[] {
  switch (list.kind) {
    case "array":
      return list.elements.flatMap((element) =>
        element.kind === "spread"
          ? element.argument
            ? startedIn(element.argument, analysis)
            : []
          : one(element, analysis),
      );
    case "call": {
      const [work] = list.args;
      if (list.callee.kind !== "member" || !["map", "flatMap"].includes(list.callee.property ?? "")) return [];
      if (work?.kind !== "function" || !work.body) return [];
      if (work.body.kind === "array") return startedIn(work.body, analysis).map((each) => ({ ...each, isMany: true }));
      return [{ node: work.body, isMany: true, isOneQuery: !work.isAsync && work.body.kind !== "block" }];
    }
    case "name":
      return collected(list, analysis);
    default:
      return [];
  }
}

function one(element: Node, analysis: FileAnalysis): readonly Started[] {
  // what was started before
  const definition = element.kind === "name" ? analysis.semantics.definitionOfName(element) : undefined;
  const init = definition?.kind === "variable" && definition.path.length === 0 ? definition.declarator.init : undefined;
  const node = init ?? element;
  if (node.kind === "await") return [];
  // an async function that is called at once
  const body = node.kind === "call" && node.callee.kind === "function" ? node.callee.body : undefined;
  return [{ node: body ?? node, isMany: false, isOneQuery: body === undefined }];
}

/** `const work = []; for (…) work.push(tx.insert(…)); await Promise.all(work)` */
function collected(list: Extract<Node, { kind: "name" }>, analysis: FileAnalysis): readonly Started[] {
  const definition = analysis.semantics.definitionOfName(list);
  const init = definition?.kind === "variable" && definition.path.length === 0 ? definition.declarator.init : undefined;
  if (!init || (init.kind !== "array" && init.kind !== "call")) return [];
  const fn = enclosingFunction(list);
  const pushed = occurrences(list.file, list.text).flatMap((node): Started[] => {
    const call = node.parent?.kind === "member" && node.parent.property === "push" ? node.parent.parent : undefined;
    if (call?.kind !== "call" || node.start > list.start) return [];
    const isRepeated = isInLoop(call, init);
    return call.args.flatMap((argument) => one(argument, analysis).map((each) => ({ ...each, isMany: isRepeated })));
  });
  return fn ? [...startedIn(init, analysis), ...pushed] : [];
}

function isInLoop(node: Node, outside: Node): boolean {
  for (let current = node.parent; current && current.start > outside.start; current = current.parent)
    if (current.kind === "loop" || current.kind === "function") return true;
  return false;
}

/** The open transaction whose handle a piece of code uses for queries, as far as it runs at once with that code. */
export function handleUsedIn(node: Node, analysis: FileAnalysis): OpenHandle | undefined {
  if (node.kind === "function" || node.kind === "class") return undefined;
  if (node.kind === "call") {
    const handle = handleOfCall(node, analysis);
    if (handle) return handle;
  }
  if (node.kind === "template" && node.tag) {
    const handle = handleAt(node.tag, analysis);
    if (handle) return handle;
  }
  for (const child of childrenOf(node)) {
    const found = handleUsedIn(child, analysis);
    if (found) return found;
  }
  return undefined;
}

/** The handle that a call begins at (`tx.order.create()`), or is given (`save(order, tx)`, `create(row, { transaction })`). */
function handleOfCall(call: CallNode, analysis: FileAnalysis): OpenHandle | undefined {
  const given = call.args.flatMap((argument) =>
    argument.kind === "object" ? argument.properties.map(({ value }) => value) : [argument],
  );
  for (const node of [call.callee, ...given]) {
    const handle =
      node === call.callee ? handleAt(node, analysis) : isPlain(node) ? openHandle(node, analysis) : undefined;
    if (handle) return handle;
  }
  return undefined;
}

function isPlain(node: Node): boolean {
  return node.kind === "name" || (node.kind === "member" && node.object.kind === "this");
}

/** The handle at the beginning of a chain of members: `tx` of `tx.order.create`, `this.runner` of `this.runner.manager.save`. */
function handleAt(callee: Node, analysis: FileAnalysis): OpenHandle | undefined {
  let node = callee;
  while (node.kind === "member" && node.object.kind !== "this") node = node.object;
  return node.kind === "name" || node.kind === "member" ? openHandle(node, analysis) : undefined;
}

/** The ambient transaction of the method around a place. */
export function ambientAround(node: Node, analysis: FileAnalysis): string | undefined {
  for (let fn = enclosingFunction(node); fn; fn = enclosingFunction(fn)) {
    for (const decorator of fn.decorators) {
      const scope = scopeOfDecorator(decorator, fn, analysis);
      if (scope) return `the transaction of \`${scope.label}\` (line ${String(lineOf(fn.file, decorator.start))})`;
    }
    if (fn.owner) return undefined;
  }
  return undefined;
}

/** Whether something that is started writes rows, directly or in functions of the project. */
export function writesIn(node: Node, analysis: FileAnalysis): boolean {
  return writes(node, undefined, analysis, 0);
}

function writes(node: Node, frame: Frame | undefined, analysis: FileAnalysis, depth: number): boolean {
  const { effects, knowledge, values } = analysis;
  let found = false;
  execute(node, frame, values, {
    call: (call, inner) => {
      const { callee, refs } = effects.calledBy(call, inner);
      const isStored = knowledge.stores
        .find(refs)
        .some(({ entry, library }) => entry.insertsIn === undefined && library.together !== undefined);
      if (isStored) found = analysis.semantics.definitionOfProperty(call, "then") !== undefined;
      else if (callee.kind === "closure" && callee.fn.body && depth < DEPTH && !isTransactional(callee.fn))
        found = writes(callee.fn.body, values.enter(callee, call, inner), analysis, depth + 1);
      return found;
    },
  });
  return found;
}

/** A decorator may open a transaction of its own. */
function isTransactional({ decorators }: FunctionNode): boolean {
  return decorators.length > 0;
}

function textOf(node: Node): string {
  return node.file.text.slice(node.start, node.end);
}
