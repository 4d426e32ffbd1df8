import type { FileAnalysis } from "./analysis.js";
import { childrenOf, contains, enclosingFunction, type CallNode, type Node } from "./code/node.js";
import { runningOf } from "./deferral.js";
import type { Rerun } from "./retries.js";
import { scopesIn, type Scope } from "./transaction-scope.js";
import { isObserverName, isRetryName, isSequenceName } from "./words.js";

/** What adds to something that earlier attempts of the same transaction have added to already. */
export interface RetriedWrite {
  readonly node: Node;
  readonly scope: Scope;
  readonly rerun: Rerun;
  /** What is added to: `events`, `this.total`. */
  readonly target: string;
  readonly kind: "collects" | "counts";
}

const adders = new Set(["push", "unshift"]);

/** Finds what a transaction that is run again adds to variables and fields which outlive the attempt. */
export function retriedWritesIn(analysis: FileAnalysis): readonly RetriedWrite[] {
  const writes = new Map<Node, RetriedWrite>();
  for (const scope of scopesIn(analysis)) {
    const { rerun, body } = scope;
    if (!rerun || body.file !== analysis.file || body.kind !== "function" || !body.body) continue;
    const search = new Search(analysis, rerun);
    search.visit(body.body);
    for (const { node, target, kind } of search.found)
      if (!writes.has(node)) writes.set(node, { node, scope, rerun, target, kind });
  }
  return [...writes.values()].sort((a, b) => a.node.start - b.node.start);
}

class Search {
  readonly found: Pick<RetriedWrite, "node" | "target" | "kind">[] = [];
  readonly #analysis: FileAnalysis;
  readonly #rerun: Rerun;
  /** Targets that the attempt itself sets to a start. */
  readonly #reset = new Set<string>();

  constructor(analysis: FileAnalysis, rerun: Rerun) {
    this.#analysis = analysis;
    this.#rerun = rerun;
  }

  visit(node: Node): void {
    if (node.kind === "class") return;
    if (node.kind === "function") {
      if (this.#runs(node)) for (const child of childrenOf(node)) this.visit(child);
      return;
    }
    for (const child of childrenOf(node)) this.visit(child);
    if (node.kind === "assign") this.#assigned(node.target, node.operator, node.value, node);
    else if (node.kind === "unary" && /^(?:\+\+|--)$/.test(node.operator)) this.#note(node.argument, "counts", node);
    else if (node.kind === "call") this.#called(node);
  }

  /** Whether a function that is written among the arguments of a call runs with it. */
  #runs(fn: Extract<Node, { kind: "function" }>): boolean {
    const call = fn.parent;
    if (call?.kind !== "call" || !call.args.includes(fn)) return false;
    return this.#analysis.wrappers.ranBy(call, undefined).some((ran) => ran.fn === fn);
  }

  #assigned(target: Node, operator: string, value: Node, node: Node): void {
    const text = textOf(target);
    if (operator !== "=") {
      if (/^[-+*/]=$/.test(operator)) this.#note(target, "counts", node);
      return;
    }
    const kind = grownFrom(text, value);
    if (kind) this.#note(target, kind, node);
    else this.#reset.add(text.replace(/\.length$/, ""));
  }

  #called(call: CallNode): void {
    const { callee } = call;
    if (callee.kind !== "member") return;
    const { object, property = "" } = callee;
    if (property === "clear" || property === "splice") this.#reset.add(textOf(object));
    else if (adders.has(property) && this.#isList(call, object)) this.#note(object, "collects", call);
  }

  /** Of the things that have a `push`, lists only collect. */
  #isList(call: CallNode, object: Node): boolean {
    const { effects, semantics, knowledge } = this.#analysis;
    if (semantics.isTyped) {
      const { refs } = effects.calledBy(call, undefined);
      return refs.some(({ container }) => container === "Array") && runningOf(refs, call, knowledge) === "later";
    }
    const definition =
      object.kind === "name"
        ? semantics.definitionOfName(object)
        : object.kind === "member"
          ? semantics.definitionOfMember(object)
          : undefined;
    const value =
      definition?.kind === "variable"
        ? definition.declarator.init
        : definition?.kind === "field"
          ? definition.field.value
          : undefined;
    return value?.kind === "array";
  }

  #note(target: Node, kind: RetriedWrite["kind"], node: Node): void {
    const names = namesIn(target);
    const last = names[0] ?? "";
    if (names.some((name) => isObserverName(name) || isRetryName(name)) || (kind === "counts" && isSequenceName(last)))
      return;
    const text = textOf(target);
    if ([...this.#reset].some((reset) => text === reset || text.startsWith(`${reset}.`)) || !this.#isKept(target))
      return;
    this.found.push({ node, target: text, kind });
  }

  /** Whether what a name or member belongs to was there before the attempt, and is there after it. */
  #isKept(target: Node): boolean {
    let root = target;
    while (root.kind === "member") root = root.object;
    const { node } = this.#rerun;
    if (root.kind === "this") return enclosingFunction(root) !== undefined && target !== root;
    if (root.kind !== "name") return false;
    const definition = this.#analysis.semantics.definitionOfName(root);
    if (definition?.kind === "variable") return !contains(node, definition.declarator);
    return definition?.kind === "parameter" && target !== root && !contains(node, definition.fn);
  }
}

function namesIn(target: Node): string[] {
  if (target.kind === "name") return [target.text];
  return target.kind === "member" ? [target.property ?? "", ...namesIn(target.object)] : [];
}

function textOf(node: Node): string {
  return node.file.text.slice(node.start, node.end).replaceAll(/\s+/g, "");
}

/** `total + 1`, `[...list, x]`, `list.concat(x)`: the old value and more. */
function grownFrom(text: string, value: Node): RetriedWrite["kind"] | undefined {
  const isOld = (node: Node | undefined) => node !== undefined && textOf(node) === text;
  if (value.kind === "binary")
    return /^[-+*/]$/.test(value.operator) && (isOld(value.left) || isOld(value.right)) ? "counts" : undefined;
  const isLonger =
    value.kind === "array"
      ? value.elements.some((element) => element.kind === "spread" && isOld(element.argument))
      : value.kind === "call" &&
        value.callee.kind === "member" &&
        value.callee.property === "concat" &&
        isOld(value.callee.object);
  return isLonger ? "collects" : undefined;
}
