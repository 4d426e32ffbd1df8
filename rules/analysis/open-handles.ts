import type { Library } from "../catalogue/vocabulary.js";
import type { FileAnalysis } from "./analysis.js";
import {
  contains,
  enclosingFunction,
  lineOf,
  type CallNode,
  type FunctionNode,
  type MemberNode,
  type NameNode,
  type Node,
} from "./code/node.js";
import { callbackIndex } from "./deferral.js";
import { nameOfCallee } from "./effects.js";
import { oneOrMore, type Knowledge } from "./knowledge.js";
import { labelOf, type Definition } from "./semantics.js";
import { callsIn } from "./mention.js";

/** A value over which statements run in an open transaction. */
export interface OpenHandle {
  readonly node: NameNode | MemberNode;
  readonly library: Library;
  /** What opens the transaction, for a message: ``the transaction of `Knex.transaction` (line 4)``. */
  readonly transaction: string;
  /** The callback that the transaction runs, or the function that was handed the handle: it is over at its end. */
  readonly body: FunctionNode | undefined;
}

/** The handle of an open transaction that a name or member is, as far as that is sure. */
export function openHandle(node: Node, analysis: FileAnalysis): OpenHandle | undefined {
  if (node.kind === "member") return begunOn(node, analysis);
  if (node.kind !== "name") return undefined;
  const definition = analysis.semantics.definitionOfName(node);
  if (definition?.kind === "parameter")
    return definition.path.length === 0 ? ofParameter(node, definition, analysis) : undefined;
  if (definition?.kind !== "variable" || definition.path.length > 0) return undefined;
  const init = definition.declarator.init;
  const made = init?.kind === "await" ? init.argument : init;
  return (made?.kind === "call" ? ofBegin(node, made, analysis) : undefined) ?? begunOn(node, analysis);
}

/**
 * Whether a transaction may be open where a node stands, by names alone: asked before any question about types. A
 * function around it is given to something that opens one, is handed a handle, begins one by itself, or is decorated.
 */
export function mayStandInTransaction(node: Node, analysis: FileAnalysis): boolean {
  for (let fn = enclosingFunction(node); fn; fn = enclosingFunction(fn)) {
    const { parent, params, decorators } = fn;
    if (parent?.kind === "call" && analysis.wrappers.openerNames.has(nameOfCallee(parent) ?? "")) return true;
    if (decorators.length > 0 || mayBegin(fn, analysis)) return true;
    if (params.some(({ type }) => handleNames(analysis).has(type?.path.at(-1) ?? ""))) return true;
  }
  return false;
}

const namesOfHandles = new WeakMap<Knowledge, ReadonlySet<string>>();

function handleNames({ knowledge }: FileAnalysis): ReadonlySet<string> {
  let names = namesOfHandles.get(knowledge);
  if (!names) {
    const handles = knowledge.libraries.flatMap((library) => library.handles ?? []);
    names = new Set(handles.flatMap(({ type, proves }) => (proves ? oneOrMore(type) : [])));
    namesOfHandles.set(knowledge, names);
  }
  return names;
}

/** The parameter of a transaction's callback, or of a function that only an open transaction can be passed to. */
function ofParameter(
  node: NameNode,
  { fn, index, parameter }: Extract<Definition, { kind: "parameter" }>,
  analysis: FileAnalysis,
): OpenHandle | undefined {
  const { knowledge, semantics, wrappers } = analysis;
  const call = fn.parent;
  if (call?.kind === "call" && !call.isNew && call.args.includes(fn)) {
    const types = () => knowledge.handlesOf(semantics.typesOfParameter(parameter))[0]?.library;
    for (const opened of wrappers.openedBy(call, undefined)) {
      if (call.args[opened.argument] !== fn || opened.path.length > 0) continue;
      const library = opened.entry
        ? handleIndex(opened.entry.handle, fn) === index
          ? (types() ?? libraryOf(call, analysis))
          : undefined
        : types();
      if (library) return { node, library, transaction: described(opened.label, call), body: fn };
    }
    return undefined;
  }
  const name = parameter.type?.path.at(-1) ?? "";
  if (!handleNames(analysis).has(name) || parameter.isOptional || parameter.isRest) return undefined;
  const known = knowledge
    .handlesOf(semantics.typesOfParameter(parameter))
    .find(({ entry }) => entry.proves && oneOrMore(entry.type).includes(name));
  return known && { node, library: known.library, transaction: `the transaction of \`${node.text}\``, body: fn };
}

function handleIndex(handle: number | "last" | undefined, fn: FunctionNode): number {
  return handle === "last" ? fn.params.length - 1 : (handle ?? -1);
}

function libraryOf(call: CallNode, { effects, knowledge }: FileAnalysis): Library | undefined {
  return knowledge.transactions.find(effects.calledBy(call, undefined).refs)[0]?.library;
}

/** `const trx = await knex.transaction()` */
function ofBegin(node: NameNode, call: CallNode, analysis: FileAnalysis): OpenHandle | undefined {
  const { effects, knowledge } = analysis;
  if (!knowledge.begins.hasName(nameOfCallee(call))) return undefined;
  const { refs } = effects.calledBy(call, undefined);
  const [known] = knowledge.begins.find(refs).filter(({ entry }) => entry.handle === "result");
  if (!known || !refs[0] || (known.entry.withoutCallback && callbackOf(call))) return undefined;
  return { node, library: known.library, transaction: described(labelOf(refs[0]), call), body: undefined };
}

function callbackOf(call: CallNode): Node | undefined {
  return call.args[callbackIndex(call, "last")];
}

/** A receiver on which a transaction was begun: `client.query("BEGIN")`, `runner.startTransaction()`. */
function begunOn(node: NameNode | MemberNode, analysis: FileAnalysis): OpenHandle | undefined {
  const { effects, knowledge, wrappers } = analysis;
  const fn = enclosingFunction(node);
  const text = textOf(node);
  if (!fn?.body || !mayBegin(fn, analysis)) return undefined;
  const turns = callsIn(fn.body).filter(
    (call) =>
      call.start < node.start &&
      call.callee.kind === "member" &&
      textOf(call.callee.object) === text &&
      enclosingFunction(call) === fn &&
      !isInHandler(call, fn) &&
      wrappers.mayTurn(call),
  );
  const last = turns.sort((a, b) => a.start - b.start).at(-1);
  if (!last || wrappers.turnOf(last, undefined) !== "begin") return undefined;
  const { refs } = effects.calledBy(last, undefined);
  const [library] = [...knowledge.begins.find(refs), ...knowledge.sql.find(refs)].map((known) => known.library);
  const label = refs[0] ? labelOf(refs[0]) : "BEGIN";
  return library && { node, library, transaction: described(label, last), body: undefined };
}

function mayBegin(fn: FunctionNode, { knowledge }: FileAnalysis): boolean {
  const text = fn.file.text.slice(fn.start, fn.end);
  return /\bBEGIN\b|START TRANSACTION/i.test(text) || [...knowledge.begins.names].some((name) => text.includes(name));
}

function isInHandler(node: Node, fn: FunctionNode): boolean {
  for (let current = node.parent; current && current !== fn; current = current.parent)
    if (current.kind === "try" && current.handler && contains(current.handler, node)) return true;
  return false;
}

function described(label: string, at: Node): string {
  return `the transaction of \`${label}\` (line ${String(lineOf(at.file, at.start))})`;
}

function textOf(node: Node): string {
  return node.file.text.slice(node.start, node.end);
}
