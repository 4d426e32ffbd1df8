import type { Deadline, Library } from "../catalogue/vocabulary.js";
import type { Program } from "./analysis.js";
import { enclosingFunction, type CallNode, type Node } from "./code/node.js";
import { Durations } from "./duration.js";
import { nameOfCallee } from "./effects.js";
import { firstGiven, givenAt } from "./given.js";
import { isOneOf, MemberIndex, type Knowledge } from "./knowledge.js";
import { callsIn, mentionsName } from "./mention.js";
import type { Ref } from "./semantics.js";
import type { Frame } from "./values.js";

/** A limit (or a wait) that counts towards the time that code takes. */
export interface Part {
  readonly ms: number;
  /** How often it counts: in a loop over a batch, once for each job. */
  readonly times: number;
  /** Where a person changes it. */
  readonly node: Node;
  /** What a reader calls it: `AbortSignal.timeout`. */
  readonly label: string;
  /** A pause of this length, not a limit to something else. */
  readonly isWait: boolean;
}

/** The time that stands inside an expression. */
type Within = (node: Node, frame: Frame | undefined) => readonly Part[];

export function sumOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + part.ms * part.times, 0);
}

/** Of several that run at once, the one that takes longest. */
export function longestOf(each: readonly (readonly Part[])[]): readonly Part[] {
  return each.toSorted((a, b) => sumOf(b) - sumOf(a))[0] ?? [];
}

/** Of several that end together, the one that ends first; what has no limit never does. */
export function firstOf(each: readonly (readonly Part[])[]): readonly Part[] {
  return each.filter((parts) => parts.length > 0).toSorted((a, b) => sumOf(a) - sumOf(b))[0] ?? [];
}

/** Whether a call is `new Promise(…)`, which runs its function at once. */
export function isExecutor(call: CallNode): boolean {
  return call.isNew && call.callee.kind === "name" && call.callee.text === "Promise";
}

/** Finds the limits that single calls set. */
export class Limits {
  readonly #program: Program;
  readonly #durations: Durations;
  /** Nets below many calls that were counted already. */
  readonly #nets = new Set<Node>();

  constructor(program: Program) {
    this.#program = program;
    this.#durations = new Durations(program);
  }

  /** What a call limits itself to; `undefined`: nothing that the catalogue knows, or not while it is only started. */
  of(call: CallNode, refs: readonly Ref[], frame: Frame | undefined, within: Within): readonly Part[] | undefined {
    for (const { entry, library } of this.#deadlinesOf(call, refs)) {
      const parts = this.#ofEntry(call, entry, library, frame, within);
      if (parts) return parts;
    }
    return undefined;
  }

  /** The same for a call that nobody waits for: what runs on by itself, timers and signals. */
  ofStarted(
    call: CallNode,
    refs: readonly Ref[],
    frame: Frame | undefined,
    within: Within,
  ): readonly Part[] | undefined {
    for (const { entry, library } of this.#deadlinesOf(call, refs)) {
      if (entry.timer === undefined && !entry.isSignal) continue;
      const parts = this.#ofEntry(call, entry, library, frame, within);
      if (parts) return parts;
    }
    return undefined;
  }

  #deadlinesOf(call: CallNode, refs: readonly Ref[]) {
    const index = indexOf(this.#program.knowledge)[call.isNew ? "constructors" : "calls"];
    // mapped types have no declaration, their signature has
    const isMapped = refs.length === 0 && call.callee.kind === "member" && index.hasName(call.callee.property);
    return index.find(isMapped ? this.#program.semantics.signatureOf(call) : refs);
  }

  #ofEntry(
    call: CallNode,
    entry: Deadline,
    library: Library,
    frame: Frame | undefined,
    within: Within,
  ): readonly Part[] | undefined {
    if (entry.combines) {
      const signals = givenAt(call.args, frame, entry.slot, this.#program.values);
      return firstOf(signals.map((given) => (given.kind === "given" ? within(given.value, given.frame) : [])));
    }
    const own = entry.setBy ? this.#byMaker(call, entry, library, frame) : this.#here(call, entry, frame);
    if (own.length === 0) return undefined;
    if (entry.timer !== undefined) {
      const ends = endedByTimer(call, entry.timer);
      return ends ? own.map((part) => ({ ...part, isWait: ends === "wait" })) : [];
    }
    const args = call.args.filter((_, index) => index !== entry.around).flatMap((argument) => within(argument, frame));
    if (entry.around !== undefined) return [...own, ...args];
    // whichever of the call's own limit and a signal in its options is first
    const given = [...(call.callee.kind === "member" ? within(call.callee.object, frame) : []), ...args];
    if (given.length > 0) return firstOf([given, own]);
    return call.args.some(hasSignal) ? [] : own;
  }

  #here(call: CallNode, entry: Deadline, frame: Frame | undefined): readonly Part[] {
    return givenAt(call.args, frame, entry.slot, this.#program.values).flatMap((given) => {
      const ms = given.kind === "given" ? this.#durations.inMs(given.value, given.frame, entry.unit) : undefined;
      if (given.kind !== "given" || ms === undefined || ms <= 0) return [];
      const node = given.name === undefined ? call : given.at;
      return [{ ms, times: 1, node, label: given.name ?? nameOfCall(call), isWait: entry.isWait ?? false }];
    });
  }

  /** A limit of the client that a call goes through. */
  #byMaker(call: CallNode, entry: Deadline, library: Library, frame: Frame | undefined): readonly Part[] {
    const { effects, values } = this.#program;
    if (call.callee.kind !== "member") return [];
    const made = values.settle(call.callee.object, frame);
    if (made.kind !== "other" || made.node.kind !== "call") return [];
    const maker = made.node;
    if (entry.isNet && this.#nets.has(maker)) return [];
    const { refs } = effects.calledBy(maker, made.frame);
    if (!isOneOf(entry.setBy, maker.isNew ? "new" : "member", library, refs)) return [];
    const given = firstGiven(maker.args, made.frame, entry.slot, values);
    const ms = given.kind === "given" ? this.#durations.inMs(given.value, given.frame, entry.unit) : undefined;
    if (given.kind !== "given" || ms === undefined || ms <= 0) return [];
    if (entry.isNet) this.#nets.add(maker);
    return [{ ms, times: 1, node: given.at, label: given.name ?? nameOfCall(maker), isWait: false }];
  }
}

const indexes = new WeakMap<Knowledge, { calls: MemberIndex<Deadline>; constructors: MemberIndex<Deadline> }>();

function indexOf(knowledge: Knowledge) {
  let index = indexes.get(knowledge);
  if (!index) {
    const of = (form: "member" | "new") =>
      new MemberIndex<Deadline>(knowledge.libraries, form, (library) =>
        (library.deadlines ?? []).map((entry) => [entry, entry.member] as const),
      );
    indexes.set(knowledge, (index = { calls: of("member"), constructors: of("new") }));
  }
  return index;
}

function hasSignal(node: Node): boolean {
  return node.kind === "object" && node.properties.some((property) => property.key === "signal");
}

function nameOfCall(call: CallNode): string {
  const { callee } = call;
  const name = nameOfCallee(call) ?? "call";
  return callee.kind === "member" && callee.object.kind === "name" ? `${callee.object.text}.${name}` : name;
}

/** What a timer ends: a wait, where it resolves a promise; what it limits, where it rejects one or aborts a signal. */
function endedByTimer(call: CallNode, index: number): "wait" | "limit" | undefined {
  const callback = call.args[index];
  if (!callback) return undefined;
  if (callback.kind === "name") return parameterOfExecutor(callback.text, call);
  if (mentionsName(callback, ["abort"])) return "limit";
  for (const inner of callsIn(callback)) {
    const ends = inner.callee.kind === "name" ? parameterOfExecutor(inner.callee.text, inner) : undefined;
    if (ends) return ends;
  }
  return undefined;
}

/** Whether a name is the `resolve` or the `reject` of a `new Promise(…)` around. */
function parameterOfExecutor(name: string, near: Node): "wait" | "limit" | undefined {
  for (let fn = enclosingFunction(near); fn; fn = enclosingFunction(fn)) {
    const at = fn.params.findIndex((parameter) => parameter.target.kind === "name" && parameter.target.text === name);
    if (at === -1) continue;
    if (fn.parent?.kind !== "call" || !isExecutor(fn.parent)) return undefined;
    return at === 0 ? "wait" : "limit";
  }
  return undefined;
}
