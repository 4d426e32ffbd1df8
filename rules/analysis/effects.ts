import type { CallNode, CodeFile, FunctionNode, Node } from "./code/node.js";
import { functionArguments, isCommand, looksStandard, runningOf } from "./deferral.js";
import { execute } from "./execution.js";
import { Joining, type NotJoined } from "./joining.js";
import { oneOrMore, type EntryOf, type Known } from "./knowledge.js";
import { labelOf, type Definition, type Ref } from "./semantics.js";
import type { Frame, Settled, Values } from "./values.js";
import type { Program } from "./analysis.js";
import { memberRef } from "./annotations.js";
import { isInOutsideBranch } from "./outside-branches.js";
import { packageOfFile } from "./package-of.js";

type Closure = Extract<Settled, { kind: "closure" }>;

/** A dispatch that runs when some code runs. */
export interface Reached {
  /** The calls that lead there, the dispatch itself last. */
  readonly path: readonly CallNode[];
  readonly ref: Ref;
  readonly known: Known<EntryOf<"dispatches">>;
  /** Why it does not take part in the transaction although its library could. */
  readonly notJoined?: NotJoined;
}

/** What a call does. */
export interface Called {
  readonly callee: Settled;
  readonly refs: readonly Ref[];
}

const DEPTH = 8;
/** How often a function is entered again from itself, each time with other arguments. */
const RECURSION = 2;
/** Calls looked at below one call: a bound for generated and cyclic code. */
const BUDGET = 50_000;
/** How deep, and how long, the description of a frame may be for its answer to be kept. */
const KEY_DEPTH = 8;
const KEY_LENGTH = 600;
const TOO_LONG = "?".repeat(KEY_LENGTH + 1);

/** Finds what code does through the functions that it calls. One per program; every answer is kept. */
export class Effects {
  readonly #program: Program;
  readonly #joining: Joining;
  readonly #memo = new Map<string, Reached | null>();
  readonly #ids = new WeakMap<Node, number>();
  readonly #inProgress = new Set<string>();
  readonly #running = new Map<FunctionNode, number>();
  #nextId = 1;
  #budget = BUDGET;
  /** Whether an answer was cut short, by a cycle or a bound: such a "no" is not kept. */
  #cut = false;

  constructor(program: Program) {
    this.#program = program;
    this.#joining = new Joining(program);
  }

  get #values(): Values {
    return this.#program.values;
  }

  /** The callee of a call. */
  calledBy(call: CallNode, frame: Frame | undefined): Called {
    const { callee } = call;
    const through =
      callee.kind === "member" && (callee.property === "call" || callee.property === "apply") ? callee.object : callee;
    const settled = this.#values.settle(through, frame);
    const refs = this.refsOfCallee(through, settled);
    // members of mapped types have no declaration of their own, but their signatures have
    const isBare =
      refs.length === 0 &&
      settled.kind === "other" &&
      callee.kind === "member" &&
      this.#program.knowledge.isMemberName(callee.property);
    return { callee: settled, refs: isBare ? this.#program.semantics.signatureOf(call) : refs };
  }

  /** What the catalogue and the settings may know a callee or decorator by. */
  refsOfCallee(callee: Node, settled: Settled): readonly Ref[] {
    const name = nameOf(callee);
    const refs = [...this.#deepRefs(callee, name), ...this.refsOf(settled, name)];
    if (name === undefined || !this.#program.knowledge.ownNames.has(name)) return refs;
    // the settings may name a constant whose function was made elsewhere, or is not known
    const { semantics } = this.#program;
    const definition =
      callee.kind === "name"
        ? semantics.definitionOfName(callee)
        : callee.kind === "member"
          ? semantics.definitionOfMember(callee)
          : undefined;
    const own = definition && refOfDefinition(definition, name);
    return own && !refs.some((ref) => ref.name === own.name && ref.container === own.container && ref.file === own.file)
      ? [own, ...refs]
      : refs;
  }

  /** A member of what a property holds: `Transaction.executionPromise.then`. */
  #deepRefs(callee: Node, name: string | undefined): readonly Ref[] {
    if (
      callee.kind !== "member" ||
      callee.object.kind !== "member" ||
      name === undefined ||
      !this.#program.knowledge.deepNames.has(name)
    )
      return [];
    const definition = this.#program.semantics.definitionOfMember(callee.object);
    if (definition?.kind !== "declared") return [];
    return definition.refs.flatMap((ref) =>
      ref.container === undefined ? [] : [{ ...ref, container: `${ref.container}.${ref.name}`, name }],
    );
  }

  /** The dispatch that a call is or leads to. */
  dispatchBy(call: CallNode, frame: Frame | undefined): Reached | undefined {
    this.#budget = BUDGET;
    return this.#byCall(call, frame, 0);
  }

  /** The functions among the arguments of a library's call that run while it runs. */
  callbacksRunNow(call: CallNode, frame: Frame | undefined): readonly Closure[] {
    return this.#callbacksRunNow(call, this.calledBy(call, frame), frame);
  }

  #byCall(call: CallNode, frame: Frame | undefined, depth: number): Reached | undefined {
    if (this.#budget-- <= 0) {
      this.#cut = true;
      return undefined;
    }
    const called = this.calledBy(call, frame);
    const direct = this.#direct(call, called, frame);
    if (direct) return direct;
    const below = this.#below(call, called, frame, depth);
    return below && { ...below, path: [call, ...below.path] };
  }

  #below(call: CallNode, called: Called, frame: Frame | undefined, depth: number): Reached | undefined {
    const { callee } = called;
    if (callee.kind === "closure") {
      if (this.#isSlot(called.refs, call)) return undefined;
      return this.#byFunction(callee, this.#values.enter(callee, call, frame), depth + 1);
    }
    if (callee.kind === "class" && call.isNew) {
      const constructor = callee.node.members.find(
        (member) => member.kind === "function" && member.role === "constructor" && member.body !== undefined,
      );
      if (constructor?.kind !== "function") return undefined;
      const self: Settled = { kind: "instance", of: callee.node, made: call, frame };
      return this.#byFunction(
        { kind: "closure", fn: constructor, frame: undefined, self },
        { fn: constructor, args: call.args.map((node) => ({ node, frame })), self, up: undefined },
        depth + 1,
      );
    }
    for (const callback of this.#callbacksRunNow(call, called, frame)) {
      const reached = this.#byFunction(
        callback,
        { fn: callback.fn, args: undefined, self: callback.self, up: callback.frame },
        depth,
      );
      if (reached) return reached;
    }
    const declared =
      callee.kind === "declared" ? callee.definition : callee.kind === "parameter" ? callee.declared : undefined;
    if (declared) {
      for (const fn of this.#program.semantics.implementationsOf(declared).slice(0, 5)) {
        const reached = this.#byFunction(
          { kind: "closure", fn, frame: undefined, self: undefined },
          { fn, args: call.args.map((node) => ({ node, frame })), self: undefined, up: undefined },
          depth + 1,
        );
        if (reached) return reached;
      }
    }
    return undefined;
  }

  #callbacksRunNow(call: CallNode, called: Called, frame: Frame | undefined): readonly Closure[] {
    const { knowledge } = this.#program;
    const running = runningOf(called.refs, call, knowledge);
    const runsNow =
      running === "now" || (running === "later" && this.#isUnread(called.refs) && looksStandard(call.callee));
    if (!runsNow && knowledge.transactions.find(called.refs).length === 0) return [];
    return functionArguments(call, (node) => this.#values.settle(node, frame)).map(({ value }) => value);
  }

  /** The dispatch that runs when a function's body runs. */
  #byFunction(closure: Closure, frame: Frame, depth: number): Reached | undefined {
    const { body } = closure.fn;
    if (!body) return undefined;
    const key = this.#keyOf(frame);
    if (key !== undefined) {
      const known = this.#memo.get(key);
      // a path that would lead too deep from here is looked for again: what is found must not depend on who asked first
      if (known === null || (known && depth + known.path.length - 1 <= DEPTH)) return known ?? undefined;
      if (this.#inProgress.has(key)) {
        this.#cut = true;
        return undefined;
      }
    }
    const times = this.#running.get(closure.fn) ?? 0;
    if (depth > DEPTH || times >= RECURSION) {
      this.#cut = true;
      return undefined;
    }
    const cutBefore = this.#cut;
    this.#cut = false;
    if (key !== undefined) this.#inProgress.add(key);
    this.#running.set(closure.fn, times + 1);
    const result: { found?: Reached | undefined } = {};
    execute(body, frame, this.#values, {
      call: (call, inner) => {
        const reached = this.#byCall(call, inner, depth);
        if (reached && !this.isInOutsideBranch(call, inner)) result.found = reached;
        return result.found !== undefined;
      },
    });
    const { found } = result;
    this.#running.set(closure.fn, times);
    if (key !== undefined) {
      this.#inProgress.delete(key);
      if (found !== undefined || !this.#wasCut()) this.#memo.set(key, found ?? null);
    }
    this.#cut ||= cutBefore;
    return found;
  }

  #wasCut(): boolean {
    return this.#cut;
  }

  /** Whether a call is a dispatch itself. */
  #direct(call: CallNode, called: Called, frame: Frame | undefined): Reached | undefined {
    const { knowledge, semantics } = this.#program;
    if (call.isNew) return undefined;
    const refs = called.refs.length > 0 ? called.refs : this.#refsOfCalledValue(call.callee);
    if (!refs.some((ref) => knowledge.dispatches.hasName(ref.name))) return undefined;
    for (const known of knowledge.dispatches.find(refs)) {
      const { entry } = known;
      const ref = refs.find((candidate) => knowledge.dispatches.find([candidate]).includes(known)) ?? refs[0];
      if (!ref) continue;
      if (
        entry.command !== undefined &&
        !isCommand(call, entry.command, this.#values, (node) => semantics.typesOf(node), frame)
      )
        continue;
      if (!isSent(call, entry)) continue;
      const notJoined = this.#joining.of(call, entry.joins, frame);
      if (notJoined === "joined") return undefined;
      return { path: [call], ref, known, ...(notJoined ? { notJoined } : {}) };
    }
    return undefined;
  }

  /** `addJob(…)` where the variable is of a type whose values are called: `AddJobFunction`. */
  #refsOfCalledValue(callee: Node): readonly Ref[] {
    const { knowledge, semantics } = this.#program;
    if (callee.kind !== "name" || !knowledge.dispatches.hasName("()")) return [];
    return semantics.typesOf(callee).map((type) => memberRef(type, "()"));
  }

  /** Whether nothing is known of what a call calls: it is `any`, or comes from another file where there are no types. */
  isUnknown({ callee, refs }: Called): boolean {
    return (callee.kind === "other" || callee.kind === "declared") && this.#isUnread(refs);
  }

  #isUnread(refs: readonly Ref[]): boolean {
    return refs.every((ref) => ref.isProject && !this.#program.semantics.isTyped);
  }

  /** What the catalogue and the settings may know a value by. */
  refsOf(settled: Settled, calledAs: string | undefined): readonly Ref[] {
    if (settled.kind === "declared") return settled.refs;
    if (settled.kind === "parameter") return settled.declared?.refs ?? [];
    if (settled.kind === "closure") return [refOfFunction(settled.fn, calledAs)];
    return [];
  }

  /** Whether a call, in a function that is called inside a transaction, stands in a branch for the case that there is none. */
  isInOutsideBranch(call: CallNode, frame: Frame | undefined, isHandle?: (node: Node) => boolean): boolean {
    const { afterCommit } = this.#program.knowledge;
    const isSlot = (other: CallNode) =>
      afterCommit.hasName(nameOfCallee(other)) && this.#isSlot(this.calledBy(other, frame).refs, other);
    return isInOutsideBranch(call, { values: this.#values, frame, isSlot, ...(isHandle ? { isHandle } : {}) });
  }

  /** A function of the project that the settings name as an after-commit slot, or as code outside a transaction. */
  #isSlot(refs: readonly Ref[], call: CallNode): boolean {
    const running = runningOf(refs, call, this.#program.knowledge);
    return running === "after commit" || running === "outside";
  }

  /** A key for what a frame binds; none where it binds too much to be asked again. */
  #keyOf(frame: Frame): string | undefined {
    const key = this.#frameKey(frame, 0);
    return key.length > KEY_LENGTH ? undefined : key;
  }

  #frameKey(frame: Frame | undefined, depth: number): string {
    if (!frame) return "";
    if (depth > KEY_DEPTH) return TOO_LONG;
    const args = (frame.args ?? []).map((argument) =>
      this.#settledKey(this.#values.settle(argument.node, argument.frame), depth + 1),
    );
    return `${String(this.#id(frame.fn))}(${args.join()})${frame.self ? `.${this.#settledKey(frame.self, depth + 1)}` : ""}<${this.#frameKey(frame.up, depth + 1)}`;
  }

  #settledKey(settled: Settled, depth: number): string {
    switch (settled.kind) {
      case "closure":
        return `f${String(this.#id(settled.fn))}<${this.#frameKey(settled.frame, depth)}`;
      case "object":
        return `o${String(this.#id(settled.node))}<${this.#frameKey(settled.frame, depth)}`;
      case "instance":
        return `i${String(this.#id(settled.made))}`;
      case "class":
        return `c${String(this.#id(settled.node))}`;
      case "declared":
        return `d${settled.refs.map((ref) => `${ref.package}:${labelOf(ref)}`).join("|")}`;
      case "absent":
        return "-";
      case "parameter":
        return "?";
      case "other":
        return settled.node.kind === "literal" ? String(settled.node.value) : "?";
    }
  }

  #id(node: Node): number {
    let id = this.#ids.get(node);
    if (id === undefined) this.#ids.set(node, (id = this.#nextId++));
    return id;
  }
}

/** The last name of a callee. */
export function nameOfCallee(call: CallNode): string | undefined {
  return nameOf(call.callee);
}

function nameOf(callee: Node): string | undefined {
  return callee.kind === "member" ? callee.property : callee.kind === "name" ? callee.text : undefined;
}

/** A function of the project as the settings may name it. */
function refOfFunction(fn: FunctionNode, calledAs: string | undefined): Ref {
  return refIn(fn.file, containerOf(fn), fn.name ?? nameOfVariable(fn) ?? calledAs ?? "");
}

/** A declaration of the project as the settings may name it. */
function refOfDefinition(definition: Definition, name: string): Ref | undefined {
  switch (definition.kind) {
    case "function":
      return refOfFunction(definition.fn, name);
    case "class":
      return refIn(definition.node.file, undefined, definition.node.name ?? name);
    case "field":
      return refIn(definition.field.file, containerOf(definition.field), name);
    case "property":
      return refIn(definition.property.file, containerOf(definition.property), name);
    case "variable":
      return refIn(definition.declarator.file, undefined, name);
    case "parameter":
      return refIn(definition.fn.file, undefined, name);
    case "declared":
      return undefined;
  }
}

function refIn(file: CodeFile, container: string | undefined, name: string): Ref {
  const { name: packageName, isProject } = packageOfFile(file.path);
  return { package: packageName, container, name, file: file.path, isProject };
}

/** The class around a method or field, or the constant that holds the object around it. */
function containerOf(node: Node): string | undefined {
  const { parent } = node;
  const owner =
    node.kind === "function" && !node.owner && (parent?.kind === "field" || parent?.kind === "property")
      ? parent.parent
      : parent;
  if (owner?.kind === "class") return owner.name;
  return owner?.kind === "object" && owner.parent?.kind === "declarator" && owner.parent.target.kind === "name"
    ? owner.parent.target.text
    : undefined;
}

/** `confirm` for `const confirm = () => …` and `{ confirm: () => … }`. */
export function nameOfVariable(fn: FunctionNode): string | undefined {
  const { parent } = fn;
  if (parent?.kind === "declarator" && parent.target.kind === "name") return parent.target.text;
  if (parent?.kind === "property") return parent.key;
  if (parent?.kind === "field") return parent.name;
  return undefined;
}

/** Whether a builder's dispatch is really sent: by the member that sends it, or by awaiting a builder that is a promise. */
function isSent(call: CallNode, entry: EntryOf<"dispatches">): boolean {
  if (entry.sentByCallOfResult) return call.parent?.kind === "call" && call.parent.callee === call;
  const senders = oneOrMore(entry.sentBy);
  if (senders.length === 0) return true;
  let link: Node = call;
  for (let next = link.parent; next; link = next, next = next.parent) {
    if (next.kind === "member" && next.object === link) {
      if (next.property !== undefined && senders.includes(next.property)) return true;
    } else if (next.kind === "await" || next.kind === "return" || next.kind === "array")
      return senders.includes("then");
    else if (!(next.kind === "call" && next.callee === link)) return false;
  }
  return false;
}
