import type { CallNode, FunctionNode, Node } from "./code/node.js";
import { functionArguments, isCommand, looksStandard, runningOf } from "./deferral.js";
import { execute } from "./execution.js";
import { asAsked, effectOf } from "./external-effects.js";
import { isForeign, mayRunWork } from "./foreign-members.js";
import { FrameKeys } from "./frame-keys.js";
import { Joining } from "./joining.js";
import { oneOrMore, type EntryOf } from "./knowledge.js";
import { refOfDefinition, refOfFunction } from "./project-refs.js";
import {
  isNothing,
  joinedReach,
  nothing,
  reachKinds,
  reachThrough,
  type Reach,
  type ReachedDispatch,
} from "./reach.js";
import type { Ref } from "./semantics.js";
import type { Frame, Settled, Values } from "./values.js";
import type { Program } from "./analysis.js";
import { memberRef } from "./annotations.js";
import { isInOutsideBranch } from "./outside-branches.js";

type Closure = Extract<Settled, { kind: "closure" }>;

/** What a call calls. */
export interface Called {
  readonly callee: Settled;
  readonly refs: readonly Ref[];
}

const DEPTH = 8;
/** How often a function is entered again from itself, each time with other arguments. */
const RECURSION = 2;
/** Calls looked at below one call: a bound for generated and cyclic code. */
const BUDGET = 50_000;

/** Finds what code does through the functions that it calls. One per program; every answer is kept. */
export class Effects {
  readonly #program: Program;
  readonly #joining: Joining;
  readonly #keys: FrameKeys;
  /** Of each kind what was found, or that there is nothing. */
  readonly #memo = new Map<string, { [Kind in keyof Reach]: Reach[Kind] | null }>();
  readonly #inProgress = new Set<string>();
  readonly #running = new Map<FunctionNode, number>();
  #budget = BUDGET;
  /** Whether an answer was cut short, by a cycle or a bound: such a "no" is not kept. */
  #cut = false;

  constructor(program: Program) {
    this.#program = program;
    this.#joining = new Joining(program);
    this.#keys = new FrameKeys(program.values);
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

  /** What a call does or leads to. */
  reachedBy(call: CallNode, frame: Frame | undefined): Reach {
    this.#budget = BUDGET;
    return this.#byCall(call, frame, 0);
  }

  /** The functions among the arguments of a library's call that run while it runs. */
  callbacksRunNow(call: CallNode, frame: Frame | undefined): readonly Closure[] {
    return this.#callbacksRunNow(call, this.calledBy(call, frame), frame);
  }

  #byCall(call: CallNode, frame: Frame | undefined, depth: number): Reach {
    if (this.#budget-- <= 0) {
      this.#cut = true;
      return nothing;
    }
    if (isForeign(call, this.#program) && !mayRunWork(call, frame, this.#program)) return nothing;
    const called = this.calledBy(call, frame);
    const direct = this.#direct(call, called, frame);
    if (!isNothing(direct)) return direct;
    const below = this.#below(call, called, frame, depth);
    return isNothing(below) ? below : asAsked(call, reachThrough(call, below));
  }

  #below(call: CallNode, called: Called, frame: Frame | undefined, depth: number): Reach {
    const { callee } = called;
    if (callee.kind === "closure") {
      if (this.#isSlot(called.refs, call)) return nothing;
      return this.#byFunction(callee, this.#values.enter(callee, call, frame), depth + 1);
    }
    if (callee.kind === "class" && call.isNew) {
      const constructor = callee.node.members.find(
        (member) => member.kind === "function" && member.role === "constructor" && member.body !== undefined,
      );
      if (constructor?.kind !== "function") return nothing;
      const self: Settled = { kind: "instance", of: callee.node, made: call, frame };
      return this.#byFunction(
        { kind: "closure", fn: constructor, frame: undefined, self },
        { fn: constructor, args: call.args.map((node) => ({ node, frame })), self, up: undefined },
        depth + 1,
      );
    }
    let reach = nothing;
    for (const callback of this.#callbacksRunNow(call, called, frame)) {
      const inner: Frame = { fn: callback.fn, args: undefined, self: callback.self, up: callback.frame };
      reach = joinedReach(reach, this.#byFunction(callback, inner, depth));
    }
    const declared =
      callee.kind === "declared" ? callee.definition : callee.kind === "parameter" ? callee.declared : undefined;
    if (declared) {
      for (const fn of this.#program.semantics.implementationsOf(declared).slice(0, 5)) {
        const closure: Closure = { kind: "closure", fn, frame: undefined, self: undefined };
        reach = joinedReach(reach, this.#byFunction(closure, this.#values.enter(closure, call, frame), depth + 1));
      }
    }
    return reach;
  }

  #callbacksRunNow(call: CallNode, called: Called, frame: Frame | undefined): readonly Closure[] {
    const { knowledge } = this.#program;
    const running = runningOf(called.refs, call, knowledge);
    const runsNow =
      running === "now" || (running === "later" && this.#isUnread(called.refs) && looksStandard(call.callee));
    if (!runsNow && knowledge.transactions.find(called.refs).length === 0) return [];
    return functionArguments(call, (node) => this.#values.settle(node, frame)).map(({ value }) => value);
  }

  /** What a function's body leads to when it runs. */
  #byFunction(closure: Closure, frame: Frame, depth: number): Reach {
    const { body } = closure.fn;
    if (!body) return nothing;
    const key = this.#keys.keyOf(frame);
    if (key !== undefined) {
      const known = this.#known(key, depth);
      if (known) return known;
      if (this.#inProgress.has(key)) {
        this.#cut = true;
        return nothing;
      }
    }
    const times = this.#running.get(closure.fn) ?? 0;
    if (depth > DEPTH || times >= RECURSION) {
      this.#cut = true;
      return nothing;
    }
    const cutBefore = this.#cut;
    this.#cut = false;
    if (key !== undefined) this.#inProgress.add(key);
    this.#running.set(closure.fn, times + 1);
    const result = { found: nothing };
    execute(body, frame, this.#values, {
      call: (call, inner) => {
        const reached = this.#byCall(call, inner, depth);
        if (!isNothing(reached) && !this.isInOutsideBranch(call, inner))
          result.found = joinedReach(result.found, reached);
        return reachKinds.every((kind) => result.found[kind]);
      },
    });
    this.#running.set(closure.fn, times);
    if (key !== undefined) {
      this.#inProgress.delete(key);
      this.#keep(key, result.found);
    }
    this.#cut ||= cutBefore;
    return result.found;
  }

  /** What is known already of a function that is called so, if it is known of each kind. */
  #known(key: string, depth: number): Reach | undefined {
    const known = this.#memo.get(key);
    // a path that would lead too deep from here is looked for again: what is found must not depend on who asked first
    const isAnswered =
      known &&
      reachKinds.every((kind) => {
        const reached = known[kind];
        return reached === null || (reached !== undefined && depth + reached.path.length - 1 <= DEPTH);
      });
    if (!isAnswered) return undefined;
    const { dispatch, effect, question } = known;
    return { dispatch: dispatch ?? undefined, effect: effect ?? undefined, question: question ?? undefined };
  }

  #keep(key: string, { dispatch, effect, question }: Reach): void {
    const none = this.#cut ? undefined : null;
    this.#memo.set(key, {
      dispatch: dispatch ?? none,
      effect: effect ?? none,
      question: question ?? none,
    });
  }

  /** What a call does by itself. */
  #direct(call: CallNode, called: Called, frame: Frame | undefined): Reach {
    if (call.isNew) return nothing;
    const refs = called.refs.length > 0 ? called.refs : this.#refsOfCalledValue(call.callee);
    const dispatch = this.#dispatchOf(call, refs, frame);
    return dispatch ? { dispatch } : effectOf(call, refs, frame, this.#program);
  }

  #dispatchOf(call: CallNode, refs: readonly Ref[], frame: Frame | undefined): ReachedDispatch | undefined {
    const { knowledge, semantics } = this.#program;
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
    if (callee.kind !== "name" || !(knowledge.dispatches.hasName("()") || knowledge.effects.hasName("()"))) return [];
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
}

/** The last name of a callee. */
export function nameOfCallee(call: CallNode): string | undefined {
  return nameOf(call.callee);
}

function nameOf(callee: Node): string | undefined {
  return callee.kind === "member" ? callee.property : callee.kind === "name" ? callee.text : undefined;
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
