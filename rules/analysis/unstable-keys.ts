import type { KeySlot } from "../catalogue/vocabulary.js";
import type { FileAnalysis, Program } from "./analysis.js";
import { callersOf } from "./callers.js";
import { childrenOf, contains, enclosingFunction, type CallNode, type Node } from "./code/node.js";
import { argumentAt } from "./deferral.js";
import { nameOfCallee } from "./effects.js";
import { oneOrMore, parseMember, type Knowledge } from "./knowledge.js";
import { occurrences } from "./occurrences.js";
import { originsOf } from "./origin.js";
import { stepsOf } from "./trail.js";
import { isDeduplicationName } from "./words.js";
import { wordsPattern } from "./wrapper-names.js";

/** A part of a key that is not the same when the operation is asked for again, or that may not be there. */
export interface UnstableKey {
  readonly node: Node;
  readonly kind: "random" | "clock" | "counter" | "header" | "nullish";
  /** `random UUID`, `x-request-id`, `order.id`. */
  readonly what: string;
  readonly column: string;
  /** The call that is given the key. */
  readonly call: string;
}

interface Key {
  readonly call: CallNode;
  readonly entry: KeySlot;
  readonly value: Node;
}

const DEPTH = 6;
/** Members that give the same moment or value in another form. */
const plain = new Set(["toISOString", "toJSON", "toString", "getTime", "valueOf"]);
const requestHeader = /^(?:x-)?(?:amzn?-)?(?:request|correlation|trace|transaction)-?id$|^traceparent$|^x-b3-\w+$/i;

/** The parts of keys in a file that differ from one attempt to the next. */
export function unstableKeysIn(analysis: FileAnalysis): readonly UnstableKey[] {
  const { keys, keyConstructors } = analysis.knowledge;
  if (!gateOf(analysis.knowledge).test(analysis.file.text)) return [];
  const found: UnstableKey[] = [];
  const visit = (node: Node): void => {
    if (node.kind === "call" && (node.isNew ? keyConstructors : keys).hasName(nameOfCallee(node)))
      for (const key of keysOf(node, analysis)) {
        const part = unstablePart(key, analysis);
        if (part) found.push(part);
      }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(analysis.file.root);
  return found;
}

const gates = new WeakMap<Knowledge, RegExp>();

/** What a file names that gives a key: the option, or the member where an argument is the key itself. */
function gateOf(knowledge: Knowledge): RegExp {
  let gate = gates.get(knowledge);
  if (!gate) {
    const words = knowledge.libraries
      .flatMap(({ keys = [] }) => keys)
      .filter(({ isPathIntoEvent }) => !isPathIntoEvent)
      .flatMap(({ slot, member }) => {
        const steps = stepsOf(slot.path ?? "").filter((step) => step !== "[]" && step !== "id");
        return steps.at(-1) ?? oneOrMore(member).map((each) => parseMember(each).name);
      });
    gates.set(knowledge, (gate = new RegExp(words.length > 0 ? wordsPattern(new Set(words)).source : "(?!)", "i")));
  }
  return gate;
}

/** The keys that a call is given. */
export function keysOf(call: CallNode, analysis: Program): readonly Key[] {
  const { effects, knowledge, semantics } = analysis;
  const index = call.isNew ? knowledge.keyConstructors : knowledge.keys;
  // the option is looked for before the types
  const given = index.named(nameOfCallee(call)).filter(({ entry }) => !entry.isPathIntoEvent);
  const values = new Map(given.map(({ entry }) => [entry, valueIn(call, entry, analysis)] as const));
  if ([...values.values()].every((value) => value === undefined)) return [];
  const { refs } = effects.calledBy(call, undefined);
  const known = new Map<Node, Key>();
  for (const { entry } of index.find(refs.length > 0 || call.isNew ? refs : semantics.signatureOf(call))) {
    const value = values.get(entry);
    if (value) known.set(value, { call, entry, value });
  }
  return [...known.values()];
}

function valueIn(call: CallNode, { slot }: KeySlot, { values }: Program): Node | undefined {
  let node = argumentAt(call, slot.argument);
  let isHeader = false;
  for (const step of stepsOf(slot.path ?? "")) {
    const settled = node && values.settle(node, undefined);
    const made = settled?.kind === "other" ? settled.node : undefined;
    if (step === "[]") {
      node = made?.kind === "array" ? made.elements[0] : mapped(made);
      continue;
    }
    const name = isHeader ? step.toLowerCase() : step;
    node =
      settled?.kind === "object"
        ? settled.node.properties.find(({ key }) => (isHeader ? key?.toLowerCase() : key) === name)?.value
        : undefined;
    isHeader = step === "headers";
  }
  return slot.path === undefined ? undefined : node;
}

/** `items.map((item) => ({ … }))` */
function mapped(node: Node | undefined): Node | undefined {
  const [callback] = node?.kind === "call" && nameOfCallee(node) === "map" ? node.args : [];
  return callback?.kind === "function" && callback.body?.kind !== "block" ? callback.body : undefined;
}

function unstablePart({ call, entry, value }: Key, analysis: FileAnalysis): UnstableKey | undefined {
  const path = entry.slot.path ?? "";
  // options that other code makes may be made once for several attempts
  const isMadeHere = contains(call, value) || isPartOfOptionsBeside(value, { call, entry }, analysis);
  const recognises = isMadeHere && (entry.role === "idempotency" || isDeduplicationName(path));
  const column = path.split(".").at(-1) ?? path;
  for (const part of partsOf(value, call, analysis, 0)) {
    const kind = recognises ? kindOf(part.node, entry, analysis) : undefined;
    const found = kind ?? (part.isText ? nullish(part.node, analysis) : undefined);
    if (found && part.node.file === call.file) return { ...found, node: part.node, column, call: labelOf(call) };
  }
  return undefined;
}

/** `const options = { idempotencyKey: … }`, made for this call alone. */
function isPartOfOptionsBeside(
  value: Node,
  { call, entry }: Pick<Key, "call" | "entry">,
  analysis: FileAnalysis,
): boolean {
  const options = argumentAt(call, entry.slot.argument);
  const made = options?.kind === "name" ? madeBeside(options, call, analysis) : undefined;
  return made !== undefined && contains(made, value);
}

interface Part {
  readonly node: Node;
  /** It is written into a text, so that its absence becomes a word. */
  readonly isText: boolean;
}

/** What a key is put together from, as far as it is made in the same attempt as the call that is given it. */
function partsOf(node: Node, call: CallNode, analysis: FileAnalysis, depth: number, isText = false): readonly Part[] {
  const all = (nodes: readonly Node[], text: boolean) =>
    depth > DEPTH ? [] : nodes.flatMap((inner) => partsOf(inner, call, analysis, depth + 1, text));
  switch (node.kind) {
    case "template":
      return node.tag ? [] : all(node.expressions, true);
    case "binary":
      return node.operator === "+" ? all([node.left, node.right], true) : [];
    case "call":
      if (node.callee.kind === "member" && plain.has(node.callee.property ?? "") && node.args.length === 0)
        return all([node.callee.object], false);
      if (node.callee.kind === "name" && node.callee.text === "String") return all(node.args, true);
      return [{ node, isText }];
    case "name": {
      const init = madeBeside(node, call, analysis);
      return init ? all([init], isText) : [{ node, isText }];
    }
    case "unary":
      return node.operator === "+" ? all([node.argument], isText) : [{ node, isText }];
    default:
      return [{ node, isText }];
  }
}

/** What a constant is made of, where it is made for this call alone: not before a loop or a retry, nor kept or returned. */
function madeBeside(
  name: Extract<Node, { kind: "name" }>,
  call: CallNode,
  { semantics }: FileAnalysis,
): Node | undefined {
  const definition = semantics.definitionOfName(name);
  if (definition?.kind !== "variable" || definition.path.length > 0 || !definition.declarator.isConst) return undefined;
  const { declarator } = definition;
  if (declarator.file !== call.file || enclosingFunction(declarator) !== enclosingFunction(call)) return undefined;
  for (let around = call.parent; around && around.start > declarator.start; around = around.parent)
    if (around.kind === "loop" || around.kind === "try") return undefined;
  const scope = enclosingFunction(declarator) ?? declarator.file.root;
  const uses = occurrences(declarator.file, name.text).filter(
    (use) => use.start > declarator.end && use.start < scope.end && use.kind === "name",
  );
  return uses.length === 1 ? declarator.init : undefined;
}

type Found = Pick<UnstableKey, "kind" | "what">;

function kindOf(node: Node, entry: KeySlot, analysis: FileAnalysis): Found | undefined {
  switch (node.kind) {
    case "unary":
      return node.operator === "++" || node.operator === "--" ? { kind: "counter", what: textOf(node) } : undefined;
    case "member":
      return isHeaders(node.object) ? headerIn(node.index ?? node, node.property) : undefined;
    case "call": {
      const { callee } = node;
      if (callee.kind === "member" && ["get", "header"].includes(callee.property ?? "")) {
        const [name] = node.args;
        const isRequest = isHeaders(callee.object) || /^(?:req|request|c|ctx)$/.test(textOf(callee.object));
        const header = isRequest ? headerIn(name, undefined) : undefined;
        if (header) return header;
      }
      if (isClock(node, analysis)) return { kind: "clock", what: "current time" };
      // what a queue drops repeats by is followed from where the value is made
      const makes = entry.role === "idempotency" ? originsOf(analysis).randomnessOf(node) : undefined;
      return makes === undefined ? undefined : { kind: "random", what: makes };
    }
    default:
      return undefined;
  }
}

function isHeaders(node: Node): boolean {
  return /(?:^|\.)headers$/.test(textOf(node));
}

function headerIn(name: Node | undefined, property: string | undefined): Found | undefined {
  const text = name?.kind === "literal" && typeof name.value === "string" ? name.value : property;
  return text !== undefined && requestHeader.test(text) ? { kind: "header", what: text } : undefined;
}

/** `Date.now()`, `new Date()`: to the millisecond. What rounds them (a day, a bucket of minutes) is no part of these. */
function isClock(call: CallNode, { effects, knowledge }: FileAnalysis): boolean {
  const index = call.isNew ? knowledge.clockConstructors : knowledge.clocks;
  if (call.args.length > 0 || !index.hasName(nameOfCallee(call))) return false;
  return index.find(effects.calledBy(call, undefined).refs).some(({ entry }) => entry.gives === undefined);
}

/**
 * `order.id` in a text, where the type says that it may be `undefined`. The environment is the same for all; the job that
 * a handler is given has its id, whatever the type says.
 */
function nullish(node: Node, analysis: FileAnalysis): Found | undefined {
  if (node.kind !== "name" && node.kind !== "member") return undefined;
  if (isAsserted(node) || /\benv\b/.test(textOf(node)) || !analysis.semantics.mayBeNullish(node)) return undefined;
  if (
    originsOf(analysis)
      .identitiesReadIn(analysis)
      .some((read) => read.node === node)
  )
    return undefined;
  return { kind: "nullish", what: textOf(node) };
}

/** `order.id!` */
function isAsserted({ file, end }: Node): boolean {
  return /^!(?!=)/.test(file.text.slice(end, end + 2));
}

/** Whether a job handler leads to a key: then each run of the job makes it anew. */
export function isInHandler({ node }: UnstableKey, analysis: FileAnalysis): boolean {
  const fn = enclosingFunction(node);
  return fn !== undefined && callersOf(analysis).handlerAbove(fn) !== undefined;
}

function labelOf(call: CallNode): string {
  const callee = textOf(call.callee).replaceAll(/\((?:[^()]|\([^()]*\))*\)/g, "(…)");
  return call.isNew ? `new ${callee}` : callee;
}

function textOf(node: Node): string {
  return node.file.text.slice(node.start, node.end).replaceAll(/\s+/g, " ");
}
