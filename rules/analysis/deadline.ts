import type { Deadline, Library } from "../catalogue/vocabulary.js";
import type { Program } from "./analysis.js";
import { childrenOf, contains, enclosingFunction, type CallNode, type DeclaratorNode, type FunctionNode, type LoopNode, type Node } from "./code/node.js";
import { functionArguments } from "./deferral.js";
import { Durations } from "./duration.js";
import { nameOfCallee } from "./effects.js";
import { firstGiven, givenAt } from "./given.js";
import { isOneOf, MemberIndex, type Knowledge } from "./knowledge.js";
import type { Ref } from "./semantics.js";
import type { Frame, Settled } from "./values.js";

type Closure = Extract<Settled, { kind: "closure" }>;

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

/** How long code may run, by the limits that it sets itself. */
export interface Time {
  readonly parts: readonly Part[];
  /** Functions of the project that were read. */
  readonly read: readonly FunctionNode[];
}

export interface TimeOptions {
  /** Names whose call ends the time that counts. */
  readonly endedBy: readonly string[];
  /** How often a loop over an expression runs, where it runs over the jobs of a batch. */
  readonly timesOver: (iterated: Node, frame: Frame | undefined) => number | undefined;
}

/** Functions of the project that are followed below the handler. */
const DEPTH = 3;
const BUDGET = 2000;

interface State extends TimeOptions {
  readonly program: Program;
  readonly durations: Durations;
  readonly read: Set<FunctionNode>;
  readonly following: Set<FunctionNode>;
  readonly counted: Set<Node>;
  ended: boolean;
  budget: number;
}

const indexes = new WeakMap<Knowledge, { calls: MemberIndex<Deadline>; constructors: MemberIndex<Deadline> }>();

function deadlinesOf(knowledge: Knowledge) {
  let index = indexes.get(knowledge);
  if (!index) {
    const of = (form: "member" | "new") => new MemberIndex<Deadline>(knowledge.libraries, form, (library) => (library.deadlines ?? []).map((entry) => [entry, entry.member] as const));
    indexes.set(knowledge, (index = { calls: of("member"), constructors: of("new") }));
  }
  return index;
}

/** The time that nodes take which run one after the other. */
export function timeOf(nodes: readonly Node[], frame: Frame | undefined, program: Program, options: TimeOptions): Time {
  const state: State = { ...options, program, durations: new Durations(program), read: new Set(), following: new Set(), counted: new Set(), ended: false, budget: BUDGET };
  return { parts: sequence(nodes, frame, state, 0), read: [...state.read] };
}

/** The time that a function takes. */
export function timeOfFunction(closure: Closure, frame: Frame, program: Program, options: TimeOptions): Time {
  const { body } = closure.fn;
  const time = timeOf(body ? [body] : [], frame, program, options);
  return { ...time, read: [closure.fn, ...time.read] };
}

export function sumOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + part.ms * part.times, 0);
}

/** Whether one of the names is called in code, or handed on. */
export function mentionsName(node: Node, names: readonly string[]): boolean {
  if (node.kind === "name" && names.includes(node.text)) return true;
  if (node.kind === "member" && node.property !== undefined && names.includes(node.property)) return true;
  // a pattern takes a function out of what the handler is given: only its use counts
  return node.kind !== "pattern" && node.kind !== "import" && childrenOf(node).some((child) => mentionsName(child, names));
}

function sequence(nodes: readonly Node[], frame: Frame | undefined, state: State, depth: number): readonly Part[] {
  const parts: Part[] = [];
  for (const [index, node] of nodes.entries()) {
    if (state.ended) break;
    if (node.kind === "if" && leaves(node.then) && !node.otherwise) {
      // `if (…) return …`: the rest runs only where this did not
      parts.push(...taken(node.test, frame, state, depth));
      const rest = nodes.slice(index + 1);
      const truth = state.program.values.truth(node.test, frame);
      const branches = [...(truth === false ? [] : [() => taken(node.then, frame, state, depth)]), ...(truth === true ? [] : [() => sequence(rest, frame, state, depth)])];
      return [...parts, ...longest(branches, state)];
    }
    parts.push(...(isFloating(node) ? started(node, frame, state, depth) : taken(node, frame, state, depth)));
    if (node.kind === "return" || node.kind === "throw") break;
  }
  return parts;
}

/** Whether a block surely leaves the function or the round of the loop. */
function leaves(node: Node): boolean {
  if (node.kind === "return" || node.kind === "throw") return true;
  if (node.kind === "block") return node.body.some(leaves);
  return node.kind === "other" && /^(?:continue|break)\b/.test(node.file.text.slice(node.start, node.start + 9));
}

/** A call whose promise nobody waits for, in a function that could. */
function isFloating(node: Node): boolean {
  if (node.kind !== "call" && !(node.kind === "unary" && node.operator === "void")) return false;
  // the body of an arrow function is what it returns
  if (node.parent?.kind === "function") return false;
  const fn = enclosingFunction(node);
  return fn !== undefined && (fn.isAsync || fn.isGenerator);
}

/** What counts of a call that is only started: the timers that it sets. */
function started(node: Node, frame: Frame | undefined, state: State, depth: number): readonly Part[] {
  const call = node.kind === "unary" ? node.argument : node;
  if (call.kind !== "call") return [];
  noteEnd(call, state);
  return limit(call, state.program.effects.calledBy(call, frame).refs, frame, state, depth, true) ?? [];
}

function longest(branches: readonly (() => readonly Part[])[], state: State): readonly Part[] {
  const { ended } = state;
  let best: readonly Part[] = [];
  let allEnded = branches.length > 0;
  for (const branch of branches) {
    state.ended = ended;
    const parts = branch();
    allEnded &&= state.ended;
    if (sumOf(parts) > sumOf(best)) best = parts;
  }
  state.ended = ended || allEnded;
  return best;
}

/** The limits on what runs when a node runs. */
function taken(node: Node, frame: Frame | undefined, state: State, depth: number): readonly Part[] {
  if (state.ended || state.budget-- <= 0) return [];
  const take = (inner: Node) => taken(inner, frame, state, depth);
  switch (node.kind) {
    case "function":
    case "class":
    case "import":
      return [];
    case "block":
    case "sequence":
      return sequence(node.body, frame, state, depth);
    case "call":
      return ofCall(node, frame, state, depth);
    case "name":
      return [];
    case "await":
    case "return":
    case "yield":
      return node.argument ? awaited(node.argument, frame, state, depth) : [];
    case "declarator":
      return node.init ? ofInitialiser(node.init, frame, state, depth) : [];
    case "if":
    case "conditional": {
      const { then, otherwise } = node;
      const test = take(node.test);
      const truth = state.program.values.truth(node.test, frame);
      const branches = [...(truth === false ? [] : [() => take(then)]), ...(truth === true ? [] : [() => (otherwise ? take(otherwise) : [])])];
      return [...test, ...longest(branches, state)];
    }
    case "switch":
      return [...take(node.discriminant), ...longest([...node.cases.map((branch) => () => sequence(branch.body, frame, state, depth)), () => []], state)];
    case "loop":
      return ofLoop(node, frame, state, depth);
    default:
      return childrenOf(node).flatMap(take);
  }
}

/** A promise that is waited for: `await p` waits for what `const p = call()` began. */
function awaited(node: Node, frame: Frame | undefined, state: State, depth: number): readonly Part[] {
  if (node.kind !== "name") return taken(node, frame, state, depth);
  const definition = state.program.semantics.definitionOfName(node);
  if (definition?.kind !== "variable" || definition.path.length > 0) return [];
  const { init } = definition.declarator;
  if (!init || init.kind === "await" || state.counted.has(definition.declarator)) return [];
  state.counted.add(definition.declarator);
  return taken(init, frame, state, depth);
}

/** `const response = await …` takes its time here; `const promise = call()` where it is awaited; a signal runs from here on. */
function ofInitialiser(init: Node, frame: Frame | undefined, state: State, depth: number): readonly Part[] {
  if (init.kind !== "call" || hasAwait(init)) return taken(init, frame, state, depth);
  const { refs } = state.program.effects.calledBy(init, frame);
  const own = isWaitedForElsewhere(init) ? undefined : limit(init, refs, frame, state, depth, true);
  return own ?? [];
}

/** Whether the variable that a call initialises is awaited (or returned) later on. */
function isWaitedForElsewhere(init: CallNode): boolean {
  const declarator = init.parent;
  if (declarator?.kind !== "declarator" || declarator.target.kind !== "name") return false;
  const scope = enclosingFunction(init) ?? init.file.root;
  const { text } = declarator.target;
  const waits = (node: Node): boolean => {
    if ((node.kind === "await" || node.kind === "return") && node.argument?.kind === "name" && node.argument.text === text) return true;
    if (node.kind === "call" && isCombinator(node) && node.args.some((argument) => argument.kind === "array" && argument.elements.some((element) => element.kind === "name" && element.text === text))) return true;
    return childrenOf(node).some(waits);
  };
  return waits(scope);
}

function ofLoop(loop: LoopNode, frame: Frame | undefined, state: State, depth: number): readonly Part[] {
  const take = (node: Node | undefined) => (node ? taken(node, frame, state, depth) : []);
  const before = [...take(loop.init), ...take(loop.iterated)];
  const times = timesOf(loop, frame, state);
  const round = [...take(loop.test), ...take(loop.body), ...take(loop.update)];
  return [...before, ...(times === 1 ? round : round.map((part) => ({ ...part, times: part.times * times })))];
}

/** How often a loop runs where that is constant; else once, which it does at least. */
function timesOf(loop: LoopNode, frame: Frame | undefined, state: State): number {
  if (loop.iterated) {
    const jobs = state.timesOver(loop.iterated, frame);
    if (jobs !== undefined) return Math.max(1, jobs);
    const settled = state.program.values.settle(loop.iterated, frame);
    const list = settled.kind === "other" ? settled.node : loop.iterated;
    return list.kind === "array" && !list.elements.some((element) => element.kind === "spread") ? Math.max(1, list.elements.length) : 1;
  }
  const { init, test, update } = loop;
  if (init?.kind !== "declare" || test?.kind !== "binary" || update?.kind !== "unary" || update.operator !== "++") return 1;
  const counter = init.declarators[0];
  const from = counter?.init && state.durations.number(counter.init, frame);
  const to = test.left.kind === "name" && counter?.target.kind === "name" && test.left.text === counter.target.text ? state.durations.number(test.right, frame) : undefined;
  if (from === undefined || to === undefined || (test.operator !== "<" && test.operator !== "<=")) return 1;
  return Math.max(1, Math.ceil(to - from) + (test.operator === "<=" ? 1 : 0));
}

function hasAwait(node: Node): boolean {
  return node.kind === "await" || (node.kind !== "function" && node.kind !== "class" && childrenOf(node).some(hasAwait));
}

function isCombinator(call: CallNode): boolean {
  const { callee } = call;
  return callee.kind === "member" && callee.object.kind === "name" && callee.object.text === "Promise" && ["all", "allSettled", "any", "race"].includes(callee.property ?? "");
}

function ofCall(call: CallNode, frame: Frame | undefined, state: State, depth: number): readonly Part[] {
  const { callee, refs } = state.program.effects.calledBy(call, frame);
  if (isCombinator(call)) return together(call, frame, state, depth);
  const own = limit(call, refs, frame, state, depth, false);
  if (own) {
    noteEnd(call, state);
    return own;
  }
  const parts = [...receiverOf(call).flatMap((node) => taken(node, frame, state, depth)), ...argumentsOf(call, frame, state, depth)];
  noteEnd(call, state);
  if (state.ended) return parts;
  return [...parts, ...below(call, callee, frame, state, depth)];
}

function noteEnd(call: CallNode, state: State): void {
  const name = nameOfCallee(call);
  if (name !== undefined && state.endedBy.includes(name)) state.ended = true;
}

function receiverOf(call: CallNode): readonly Node[] {
  return call.callee.kind === "member" ? [call.callee.object] : call.callee.kind === "name" ? [] : [call.callee];
}

function argumentsOf(call: CallNode, frame: Frame | undefined, state: State, depth: number, except?: number): readonly Part[] {
  return call.args.flatMap((argument, index) => (index === except ? [] : taken(argument, frame, state, depth)));
}

/** What the function takes that is called, or the functions that it is handed and runs. */
function below(call: CallNode, callee: Settled, frame: Frame | undefined, state: State, depth: number): readonly Part[] {
  const { values, semantics, effects } = state.program;
  if (callee.kind === "closure") return inside(callee, values.enter(callee, call, frame), state, depth + 1);
  if (isExecutor(call)) {
    const [executor] = functionArguments(call, (node) => values.settle(node, frame));
    return executor ? inside(executor.value, callbackFrame(executor.value), state, depth) : [];
  }
  if (callee.kind === "declared") {
    const [only, ...others] = semantics.implementationsOf(callee.definition);
    if (only && others.length === 0) {
      return inside({ kind: "closure", fn: only, frame: undefined, self: undefined }, { fn: only, args: call.args.map((node) => ({ node, frame })), self: undefined, up: undefined }, state, depth + 1);
    }
  }
  if (isTimer(call)) return [];
  return effects.callbacksRunNow(call, frame).flatMap((callback) => inside(callback, callbackFrame(callback), state, depth));
}

function callbackFrame({ fn, self, frame }: Closure): Frame {
  return { fn, args: undefined, self, up: frame };
}

function isExecutor(call: CallNode): boolean {
  return call.isNew && call.callee.kind === "name" && call.callee.text === "Promise";
}

/** What a timer runs runs later, and nobody waits for it. */
function isTimer(call: CallNode): boolean {
  return ["setTimeout", "setInterval", "setImmediate", "nextTick", "queueMicrotask"].includes(nameOfCallee(call) ?? "");
}

function inside({ fn }: Closure, frame: Frame, state: State, depth: number): readonly Part[] {
  if (!fn.body || depth > DEPTH || state.following.has(fn)) return [];
  state.read.add(fn);
  state.following.add(fn);
  const parts = taken(fn.body, frame, state, depth);
  state.following.delete(fn);
  return fn.body.kind === "name" ? [...parts, ...awaited(fn.body, frame, state, depth)] : parts;
}

/** `Promise.all` takes as long as its longest member; `Promise.race` is over with the first limit. */
function together(call: CallNode, frame: Frame | undefined, state: State, depth: number): readonly Part[] {
  const [list] = call.args;
  if (!list) return [];
  const settled = list.kind === "name" ? state.program.values.settle(list, frame) : undefined;
  const members = list.kind === "array" ? list : settled?.kind === "other" && settled.node.kind === "array" ? settled.node : undefined;
  if (!members) return taken(list, frame, state, depth);
  const { ended } = state;
  const each = members.elements.map((element) => {
    state.ended = ended;
    return awaited(element, frame, state, depth);
  });
  state.ended = ended;
  if (call.callee.kind === "member" && call.callee.property === "race") return firstOf(each);
  return each.toSorted((a, b) => sumOf(b) - sumOf(a))[0] ?? [];
}

/** Of several that run at once and end together, the one that ends first; what has no limit never does. */
function firstOf(each: readonly (readonly Part[])[]): readonly Part[] {
  return each.filter((parts) => parts.length > 0).toSorted((a, b) => sumOf(a) - sumOf(b))[0] ?? [];
}

/** The limit that a call sets itself; `undefined` where it is none that the catalogue knows. */
function limit(call: CallNode, refs: readonly Ref[], frame: Frame | undefined, state: State, depth: number, startedOnly: boolean): readonly Part[] | undefined {
  const index = deadlinesOf(state.program.knowledge)[call.isNew ? "constructors" : "calls"];
  // mapped types have no declaration, their signature has
  const known = refs.length === 0 && call.callee.kind === "member" && index.hasName(call.callee.property) ? state.program.semantics.signatureOf(call) : refs;
  const found = index.find(known);
  for (const { entry, library } of found) {
    if (startedOnly && entry.timer === undefined && !entry.isSignal) continue;
    if (entry.combines) return firstOf(givenAt(call.args, frame, entry.slot, state.program.values).flatMap((given) => (given.kind === "given" ? [taken(given.value, given.frame, state, depth)] : [])));
    const own = entry.setBy ? setByMaker(call, entry, library, frame, state) : setHere(call, entry, frame, state);
    if (own.length === 0) continue;
    if (entry.timer !== undefined) {
      const ends = endedByTimer(call, entry.timer);
      return ends ? own.map((part) => ({ ...part, isWait: ends === "wait" })) : [];
    }
    if (entry.around !== undefined) return [...own, ...argumentsOf(call, frame, state, depth, entry.around)];
    // whichever of the call's own limit and a signal in its options is first
    const given = [...receiverOf(call).flatMap((node) => taken(node, frame, state, depth)), ...argumentsOf(call, frame, state, depth)];
    if (given.length > 0) return sumOf(given) < sumOf(own) ? given : own;
    return call.args.some((argument) => hasSignal(argument)) ? [] : own;
  }
  return undefined;
}

function setHere(call: CallNode, entry: Deadline, frame: Frame | undefined, state: State): readonly Part[] {
  return givenAt(call.args, frame, entry.slot, state.program.values).flatMap((given) => {
    const ms = given.kind === "given" ? state.durations.inMs(given.value, given.frame, entry.unit) : undefined;
    return given.kind === "given" && ms !== undefined && ms > 0 ? [{ ms, times: 1, node: given.name === undefined ? call : given.at, label: given.name ?? nameOfCall(call), isWait: entry.isWait ?? false }] : [];
  });
}

/** A limit of the client that a call goes through. */
function setByMaker(call: CallNode, entry: Deadline, library: Library, frame: Frame | undefined, state: State): readonly Part[] {
  const { effects, values } = state.program;
  if (call.callee.kind !== "member") return [];
  const made = values.settle(call.callee.object, frame);
  if (made.kind !== "other" || made.node.kind !== "call") return [];
  const maker = made.node;
  if (entry.isNet && state.counted.has(maker)) return [];
  const { refs } = effects.calledBy(maker, made.frame);
  if (!isOneOf(entry.setBy, maker.isNew ? "new" : "member", library, refs)) return [];
  const given = firstGiven(maker.args, made.frame, entry.slot, values);
  const ms = given.kind === "given" ? state.durations.inMs(given.value, given.frame, entry.unit) : undefined;
  if (given.kind !== "given" || ms === undefined || ms <= 0) return [];
  if (entry.isNet) state.counted.add(maker);
  return [{ ms, times: 1, node: given.at, label: given.name ?? nameOfCall(maker), isWait: false }];
}

function hasSignal(node: Node): boolean {
  return node.kind === "object" && node.properties.some((property) => property.key === "signal");
}

function nameOfCall(call: CallNode): string {
  const { callee } = call;
  const name = nameOfCallee(call) ?? "call";
  return callee.kind === "member" && callee.object.kind === "name" ? `${callee.object.text}.${name}` : name;
}

/** What a timer ends: a wait, where it resolves a promise; something that it limits, where it rejects one or aborts a signal. */
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
    if (at !== -1) return fn.parent?.kind === "call" && isExecutor(fn.parent) ? (at === 0 ? "wait" : "limit") : undefined;
  }
  return undefined;
}

function callsIn(node: Node): CallNode[] {
  const inner = childrenOf(node).flatMap(callsIn);
  return node.kind === "call" ? [node, ...inner] : inner;
}

/** The declarator that binds what an expression is made from, for `Messages` of `const { Messages } = await …`. */
export function isMadeFrom(node: Node, origin: Node, program: Program, depth = 0): boolean {
  if (depth > 6) return false;
  if (contains(node, origin)) return true;
  if (node.kind === "name") {
    const definition = program.semantics.definitionOfName(node);
    const declarator: DeclaratorNode | undefined = definition?.kind === "variable" ? definition.declarator : undefined;
    return declarator?.init !== undefined && isMadeFrom(declarator.init, origin, program, depth + 1);
  }
  if (node.kind === "function") return false;
  return childrenOf(node).some((child) => isMadeFrom(child, origin, program, depth + 1));
}
