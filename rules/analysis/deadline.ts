import type { Program } from "./analysis.js";
import {
  childrenOf,
  enclosingFunction,
  type CallNode,
  type FunctionNode,
  type LoopNode,
  type Node,
} from "./code/node.js";
import { functionArguments } from "./deferral.js";
import { Durations } from "./duration.js";
import { nameOfCallee } from "./effects.js";
import { firstOf, isExecutor, Limits, longestOf, type Part } from "./limit.js";
import type { Frame, Settled, Value } from "./values.js";

type Closure = Extract<Settled, { kind: "closure" }>;

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

/** The time that nodes take which run one after the other. */
export function timeOf(nodes: readonly Node[], frame: Frame | undefined, program: Program, options: TimeOptions): Time {
  const clock = new Clock(program, options);
  return { parts: clock.sequence(nodes, frame), read: [...clock.read] };
}

/** The time that a function takes. */
export function timeOfFunction(closure: Closure, frame: Frame, program: Program, options: TimeOptions): Time {
  const { fn } = closure;
  const time = timeOf(fn.body ? [fn.body] : [], frame, program, options);
  return { ...time, read: [fn, ...time.read] };
}

/** Functions of the project that are followed below the handler. */
const DEPTH = 3;
const BUDGET = 2000;

/** Adds up the limits that are met when code runs. */
class Clock {
  readonly read = new Set<FunctionNode>();
  readonly #program: Program;
  readonly #options: TimeOptions;
  readonly #limits: Limits;
  readonly #durations: Durations;
  readonly #following = new Set<FunctionNode>();
  /** Variables whose promise was waited for already. */
  readonly #awaited = new Set<Node>();
  readonly #within = (node: Node, frame: Frame | undefined) => this.#taken(node, frame);
  #depth = 0;
  #hasEnded = false;
  #budget = BUDGET;

  constructor(program: Program, options: TimeOptions) {
    this.#program = program;
    this.#options = options;
    this.#limits = new Limits(program);
    this.#durations = new Durations(program);
  }

  sequence(nodes: readonly Node[], frame: Frame | undefined): readonly Part[] {
    const parts: Part[] = [];
    for (const [index, node] of nodes.entries()) {
      if (this.#hasEnded) break;
      if (node.kind === "if" && leaves(node.then) && !node.otherwise) {
        // `if (…) return …`: the rest runs only where this did not
        const rest = nodes.slice(index + 1);
        return [
          ...parts,
          ...this.#either(
            node.test,
            frame,
            () => this.#taken(node.then, frame),
            () => this.sequence(rest, frame),
          ),
        ];
      }
      parts.push(...(isFloating(node) ? this.#started(node, frame) : this.#taken(node, frame)));
      if (node.kind === "return" || node.kind === "throw") break;
    }
    return parts;
  }

  /** The time that passes when a node runs. */
  #taken(node: Node, frame: Frame | undefined): readonly Part[] {
    if (this.#hasEnded || this.#budget-- <= 0) return [];
    switch (node.kind) {
      case "function":
      case "class":
      case "import":
      case "name":
        return [];
      case "block":
      case "sequence":
        return this.sequence(node.body, frame);
      case "call":
        return this.#called(node, frame);
      case "await":
      case "return":
      case "yield":
        return node.argument ? this.#waitedFor(node.argument, frame) : [];
      case "declarator":
        return node.init ? this.#initialised(node.init, frame) : [];
      case "if":
      case "conditional": {
        const { test, then, otherwise } = node;
        return this.#either(
          test,
          frame,
          () => this.#taken(then, frame),
          () => (otherwise ? this.#taken(otherwise, frame) : []),
        );
      }
      case "switch": {
        const branches = node.cases.map((branch) => () => this.sequence(branch.body, frame));
        return [...this.#taken(node.discriminant, frame), ...this.#longest([...branches, () => []])];
      }
      case "loop":
        return this.#looped(node, frame);
      default:
        return childrenOf(node).flatMap((child) => this.#taken(child, frame));
    }
  }

  #either(
    test: Node,
    frame: Frame | undefined,
    then: () => readonly Part[],
    otherwise: () => readonly Part[],
  ): readonly Part[] {
    const before = this.#taken(test, frame);
    const truth = this.#program.values.truth(test, frame);
    return [...before, ...this.#longest([...(truth === false ? [] : [then]), ...(truth === true ? [] : [otherwise])])];
  }

  /** Of branches only one runs; the time ends where it ends in each. */
  #longest(branches: readonly (() => readonly Part[])[]): readonly Part[] {
    const before = this.#hasEnded;
    const ends: boolean[] = [];
    const each = branches.map((branch) => {
      this.#hasEnded = before;
      const parts = branch();
      ends.push(this.#hasEnded);
      return parts;
    });
    this.#hasEnded = before || (ends.length > 0 && ends.every(Boolean));
    return longestOf(each);
  }

  /** What counts of a call that is only started: the timers that it sets. */
  #started(node: Node, frame: Frame | undefined): readonly Part[] {
    const call = node.kind === "unary" ? node.argument : node;
    if (call.kind !== "call") return [];
    this.#noteEnd(call);
    const { refs } = this.#program.effects.calledBy(call, frame);
    return this.#limits.ofStarted(call, refs, frame, this.#within) ?? [];
  }

  /** A promise that is waited for: `await p` waits for what `const p = call()` began. */
  #waitedFor(node: Node, frame: Frame | undefined): readonly Part[] {
    if (node.kind !== "name") return this.#taken(node, frame);
    const definition = this.#program.semantics.definitionOfName(node);
    if (definition?.kind === "parameter") {
      const given = definition.path.length === 0 ? argumentOf(definition.fn, definition.index, frame) : undefined;
      return given && given.node !== node ? this.#waitedFor(given.node, given.frame) : [];
    }
    if (definition?.kind !== "variable" || definition.path.length > 0) return [];
    const { declarator } = definition;
    if (!declarator.init || declarator.init.kind === "await" || this.#awaited.has(declarator)) return [];
    this.#awaited.add(declarator);
    return this.#taken(declarator.init, frame);
  }

  /**
   * `const response = await …` takes its time here; `const promise = call()` where it is awaited; a signal runs from
   * here on.
   */
  #initialised(init: Node, frame: Frame | undefined): readonly Part[] {
    if (init.kind !== "call" || hasAwait(init)) return this.#taken(init, frame);
    if (isWaitedForElsewhere(init)) return [];
    const { refs } = this.#program.effects.calledBy(init, frame);
    return this.#limits.ofStarted(init, refs, frame, this.#within) ?? [];
  }

  #looped(loop: LoopNode, frame: Frame | undefined): readonly Part[] {
    const take = (node: Node | undefined) => (node ? this.#taken(node, frame) : []);
    const before = [...take(loop.init), ...take(loop.iterated)];
    const times = this.#timesOf(loop, frame);
    const round = [...take(loop.test), ...take(loop.body), ...take(loop.update)];
    return [...before, ...round.map((part) => ({ ...part, times: part.times * times }))];
  }

  /** How often a loop runs where that is constant; else once, which it does at least. */
  #timesOf(loop: LoopNode, frame: Frame | undefined): number {
    if (loop.iterated) {
      const jobs = this.#options.timesOver(loop.iterated, frame);
      if (jobs !== undefined) return Math.max(1, jobs);
      const settled = this.#program.values.settle(loop.iterated, frame);
      const list = settled.kind === "other" ? settled.node : loop.iterated;
      const isConstant = list.kind === "array" && !list.elements.some((element) => element.kind === "spread");
      return isConstant ? Math.max(1, list.elements.length) : 1;
    }
    const { init, test, update } = loop;
    if (init?.kind !== "declare" || test?.kind !== "binary") return 1;
    if (update?.kind !== "unary" || update.operator !== "++") return 1;
    const [counter] = init.declarators;
    if (counter?.target.kind !== "name" || test.left.kind !== "name" || test.left.text !== counter.target.text)
      return 1;
    const from = counter.init && this.#durations.number(counter.init, frame);
    const to = this.#durations.number(test.right, frame);
    if (from === undefined || to === undefined || (test.operator !== "<" && test.operator !== "<=")) return 1;
    return Math.max(1, Math.ceil(to - from) + (test.operator === "<=" ? 1 : 0));
  }

  #called(call: CallNode, frame: Frame | undefined): readonly Part[] {
    if (isCombinator(call)) return this.#together(call, frame);
    const { callee, refs } = this.#program.effects.calledBy(call, frame);
    const own = this.#limits.of(call, refs, frame, this.#within);
    if (own) {
      this.#noteEnd(call);
      return own;
    }
    // a promise that is handed to a function of the project takes its time where that waits for it
    const isFollowed = callee.kind === "closure" && callee.fn.body !== undefined;
    const args = call.args.flatMap((node) => (isFollowed ? this.#initialised(node, frame) : this.#taken(node, frame)));
    const parts = [...receiverOf(call).flatMap((node) => this.#taken(node, frame)), ...args];
    this.#noteEnd(call);
    // a signal that was made before limits whatever it is handed to, and has been counted
    if (this.#hasEnded || call.args.some(handsSignalOn)) return parts;
    return [...parts, ...this.#below(call, callee, frame)];
  }

  #noteEnd(call: CallNode): void {
    if (this.#options.endedBy.includes(nameOfCallee(call) ?? "")) this.#hasEnded = true;
  }

  /** What the function takes that is called, or the functions that it is handed and runs. */
  #below(call: CallNode, callee: Settled, frame: Frame | undefined): readonly Part[] {
    const { values, semantics, effects } = this.#program;
    if (callee.kind === "closure") return this.#followed(callee.fn, values.enter(callee, call, frame));
    if (isExecutor(call)) {
      const [executor] = functionArguments(call, (node) => values.settle(node, frame));
      return executor ? this.#inside(executor.value.fn, callbackFrame(executor.value)) : [];
    }
    if (callee.kind === "declared") {
      const [only, ...others] = semantics.implementationsOf(callee.definition);
      const args = call.args.map((node) => ({ node, frame }));
      if (only && others.length === 0) return this.#followed(only, { fn: only, args, self: undefined, up: undefined });
    }
    if (isTimer(call)) return [];
    return effects
      .callbacksRunNow(call, frame)
      .flatMap((callback) => this.#inside(callback.fn, callbackFrame(callback)));
  }

  #followed(fn: FunctionNode, frame: Frame): readonly Part[] {
    if (this.#depth >= DEPTH) return [];
    this.#depth++;
    const parts = this.#inside(fn, frame);
    this.#depth--;
    return parts;
  }

  #inside(fn: FunctionNode, frame: Frame): readonly Part[] {
    if (!fn.body || this.#following.has(fn)) return [];
    this.read.add(fn);
    this.#following.add(fn);
    const parts = this.#waitedFor(fn.body, frame);
    this.#following.delete(fn);
    return parts;
  }

  /** `Promise.all` takes as long as its longest member; `Promise.race` is over with the first limit. */
  #together(call: CallNode, frame: Frame | undefined): readonly Part[] {
    const [list] = call.args;
    if (!list) return [];
    const settled = list.kind === "name" ? this.#program.values.settle(list, frame) : undefined;
    const members = settled?.kind === "other" ? settled.node : list;
    if (members.kind !== "array") return this.#taken(list, frame);
    const before = this.#hasEnded;
    const each = members.elements.map((element) => {
      this.#hasEnded = before;
      return this.#waitedFor(element, frame);
    });
    this.#hasEnded = before;
    return nameOfCallee(call) === "race" ? firstOf(each) : longestOf(each);
  }
}

/** Whether a statement surely leaves the function or the round of the loop. */
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

/** Whether the variable that a call initialises is awaited (or returned) later on. */
function isWaitedForElsewhere(init: CallNode): boolean {
  const { parent } = init;
  if (parent?.kind !== "declarator" || parent.target.kind !== "name") return false;
  const { text } = parent.target;
  const isIt = (node: Node | undefined) => node?.kind === "name" && node.text === text;
  const waits = (node: Node): boolean => {
    if ((node.kind === "await" || node.kind === "return") && isIt(node.argument)) return true;
    if (
      node.kind === "call" &&
      isCombinator(node) &&
      node.args.some((list) => list.kind === "array" && list.elements.some(isIt))
    )
      return true;
    return childrenOf(node).some(waits);
  };
  return waits(enclosingFunction(init) ?? init.file.root);
}

/** What was passed for a parameter. */
function argumentOf(fn: FunctionNode, index: number, frame: Frame | undefined): Value | undefined {
  for (let up = frame; up; up = up.up) if (up.fn === fn) return up.args?.[index];
  return undefined;
}

/** `work(signal)`, `fetch(url, { signal: controller.signal })`. */
function handsSignalOn(argument: Node): boolean {
  if (argument.kind === "object") return argument.properties.some(({ value }) => handsSignalOn(value));
  return argument.kind === "name"
    ? /signal$/i.test(argument.text)
    : argument.kind === "member" && argument.property === "signal";
}

function hasAwait(node: Node): boolean {
  if (node.kind === "await") return true;
  return node.kind !== "function" && node.kind !== "class" && childrenOf(node).some(hasAwait);
}

function isCombinator(call: CallNode): boolean {
  const { callee } = call;
  if (callee.kind !== "member" || callee.object.kind !== "name" || callee.object.text !== "Promise") return false;
  return ["all", "allSettled", "any", "race"].includes(callee.property ?? "");
}

/** What a timer runs runs later, and nobody waits for it. */
function isTimer(call: CallNode): boolean {
  return ["setTimeout", "setInterval", "setImmediate", "nextTick", "queueMicrotask"].includes(nameOfCallee(call) ?? "");
}

function receiverOf(call: CallNode): readonly Node[] {
  return call.callee.kind === "member" ? [call.callee.object] : call.callee.kind === "name" ? [] : [call.callee];
}

function callbackFrame({ fn, self, frame }: Closure): Frame {
  return { fn, args: undefined, self, up: frame };
}
