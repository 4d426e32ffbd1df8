import type { CalendarPart } from "../catalogue/vocabulary.js";
import type { FileAnalysis, Program } from "./analysis.js";
import { enclosingFunction, type CallNode, type FunctionNode, type Node } from "./code/node.js";
import { nameOfCallee } from "./effects.js";
import { isSmall } from "./flow.js";
import { libraryDeclares, oneOrMore, parseMember, type EntryOf, type Known } from "./knowledge.js";
import { occurrences } from "./occurrences.js";
import type { Semantics } from "./semantics.js";
import { resultsOf } from "./values.js";

/** What an expression makes of the worker's clock. */
export interface OfClock {
  /** The call that reads the clock, or a small function of the project that does. */
  readonly clock: CallNode;
  readonly gives: "day" | "moment";
}

const DEPTH = 8;
const compared =
  /^(?:diff|isBefore|isAfter|isSame\w*|get(?:UTC)?(?:Hours|Minutes|Seconds|Milliseconds)|getTimezoneOffset)$/;
const aboutHours = /[HhKkmsSaApxXTtBb]/;
const units = /^(?:d|day|date|w|week|isoweek|M|month|Q|quarter|y|year)s?$/;
/** At a glance: a function without arguments that is called after a day, or after now. */
const dayMaker =
  /^(?:today|yesterday|tomorrow|day|date|month|week|quarter|period|year|now|stamp)|Today|Day|Date|Month|Week|Quarter|Period|Year|Stamp|Now/;

const perSemantics = new WeakMap<Semantics, Clocks>();

export function clocksOf(program: Program): Clocks {
  let clocks = perSemantics.get(program.semantics);
  if (!clocks) perSemantics.set(program.semantics, (clocks = new Clocks(program)));
  return clocks;
}

/** Tells what is made of the clock of the machine that runs the code: read backwards from an expression. */
export class Clocks {
  readonly #program: Program;
  readonly #makers = new WeakMap<FunctionNode, OfClock["gives"] | null>();

  constructor(program: Program) {
    this.#program = program;
  }

  /** Whether a call reads the clock by itself. */
  readBy(call: CallNode): EntryOf<"clocks"> | undefined {
    const { knowledge, effects } = this.#program;
    const index = call.isNew ? knowledge.clockConstructors : knowledge.clocks;
    const fits = ({ entry }: Known<EntryOf<"clocks">>) => !entry.withoutArguments || call.args.length === 0;
    if (!index.named(nameOfCallee(call)).some(fits)) return undefined;
    return index.find(effects.calledBy(call, undefined).refs).find(fits)?.entry;
  }

  /** What a small function of the project makes of the clock. */
  makerOf(fn: FunctionNode): OfClock["gives"] | undefined {
    const known = this.#makers.get(fn);
    if (known !== undefined) return known ?? undefined;
    this.#makers.set(fn, null);
    const gives =
      isSmall(fn) && fn.params.length === 0
        ? resultsOf(fn).flatMap((result) => this.behind(result)?.gives ?? [])[0]
        : undefined;
    this.#makers.set(fn, gives ?? null);
    return gives;
  }

  /** What an expression makes of the clock. A value that comes from elsewhere on another branch is left to that. */
  behind(node: Node, depth = 0): OfClock | undefined {
    if (depth > DEPTH) return undefined;
    switch (node.kind) {
      case "call":
        return this.#ofCall(node, depth);
      case "member":
        // `toISOString().split("T")[0]`
        return node.index ? this.behind(node.object, depth + 1) : undefined;
      case "name": {
        const init = this.#constant(node);
        return init && this.behind(init, depth + 1);
      }
      case "unary":
        return node.operator === "+" ? this.behind(node.argument, depth + 1) : undefined;
      case "binary":
        return /^[-+*/%]$/.test(node.operator)
          ? (this.behind(node.left, depth + 1) ?? this.behind(node.right, depth + 1))
          : undefined;
      case "template":
        return node.tag ? undefined : this.#first(node.expressions, depth);
      default:
        return undefined;
    }
  }

  /** The result of a calendar's member, where its subject is of the clock. */
  #ofCall(call: CallNode, depth: number): OfClock | undefined {
    const own = this.readBy(call);
    if (own) return { clock: call, gives: own.gives ?? "moment" };
    const { callee, args } = call;
    const name = nameOfCallee(call) ?? "";
    if (args.length === 0 && dayMaker.test(name)) {
      const called = this.#program.values.settle(callee, undefined);
      const gives = called.kind === "closure" ? this.makerOf(called.fn) : undefined;
      if (gives) return { clock: call, gives };
    }
    if (call.isNew) return name === "Date" ? this.#first(args, depth) : undefined;
    if (compared.test(name)) return undefined;
    const isOfNumbers =
      callee.kind === "member" && callee.object.kind === "name" && /^(?:Math|Date)$/.test(callee.object.text);
    const inner =
      callee.kind === "member" && !isOfNumbers ? this.behind(callee.object, depth + 1) : this.#first(args, depth);
    // most calls that are called like one of a calendar's have nothing of the clock
    if (!inner) return undefined;
    const part = this.calendarPartOf(call);
    if (callee.kind !== "member" && !part && !/^(?:String|Number)$/.test(name) && !this.#isOfDateLibrary(call))
      return undefined;
    return { ...inner, gives: isCut(call) || this.#givesDay(part, call) ? "day" : inner.gives };
  }

  #first(nodes: readonly Node[], depth: number): OfClock | undefined {
    let first: OfClock | undefined;
    for (const node of nodes) {
      const found = this.behind(node, depth + 1);
      if (found?.gives === "day") return found;
      first ??= found;
    }
    return first;
  }

  /** What the catalogue says of a call that may make a day: methods by their name, functions by who declares them. */
  calendarPartOf(call: CallNode): CalendarPart | undefined {
    const { knowledge, effects } = this.#program;
    const name = nameOfCallee(call);
    if (call.isNew || !knowledge.calendar.hasName(name)) return undefined;
    if (call.callee.kind !== "member") return knowledge.calendar.find(effects.calledBy(call, undefined).refs)[0]?.entry;
    return knowledge.calendar
      .named(name)
      .find(({ entry }) => oneOrMore(entry.member).some((member) => isMethod(member, name)))?.entry;
  }

  #givesDay(part: CalendarPart | undefined, call: CallNode): boolean {
    if (!part || part.cut) return false;
    if (part.sets) return isOneOf(call.args[0], part.sets);
    if (part.unit !== undefined)
      return units.test(this.#text(call.args[part.unit])?.replace(/^\w{2,}$/, (word) => word.toLowerCase()) ?? "");
    if (part.pattern === undefined) return true;
    const pattern = this.#text(call.args[part.pattern])?.replaceAll(/'[^']*'|\[[^\]]*\]/g, "");
    return pattern !== undefined && !aboutHours.test(pattern) && !/\bL(?:T|TS)\b/.test(pattern);
  }

  #text(node: Node | undefined): string | undefined {
    const value = node && this.#program.values.constant(node, undefined)?.value;
    return typeof value === "string" ? value : undefined;
  }

  #isOfDateLibrary(call: CallNode): boolean {
    const { knowledge, effects } = this.#program;
    const libraries = knowledge.libraries.filter(({ calendar }) => calendar !== undefined);
    const { refs } = effects.calledBy(call, undefined);
    return refs.some((ref) => libraries.some((library) => libraryDeclares(library, ref)));
  }

  /** What a variable of a function was made of, where nothing else is assigned to it. */
  #constant(node: Extract<Node, { kind: "name" }>): Node | undefined {
    const definition = this.#program.semantics.definitionOfName(node);
    if (definition?.kind !== "variable" || definition.path.length > 0) return undefined;
    const { declarator } = definition;
    const scope = enclosingFunction(declarator);
    if (!scope || !declarator.init) return undefined;
    if (declarator.isConst) return declarator.init;
    const text = scope.file.text.slice(declarator.end, scope.end);
    return new RegExp(`(?<![\\w$.])${node.text.replaceAll("$", "\\$")}\\s*(?:[-+*/|&?]*=(?!=|>))`).test(text)
      ? undefined
      : declarator.init;
  }

  /** The calls of a file whose name a clock has. */
  readsIn({ file }: FileAnalysis): readonly CallNode[] {
    const { clocks, clockConstructors } = this.#program.knowledge;
    const calls = new Set<CallNode>();
    for (const name of new Set([...clocks.names, ...clockConstructors.names])) {
      if (!file.text.includes(name)) continue;
      for (const node of occurrences(file, name)) {
        const call = node.parent;
        if (call?.kind === "call" && call.callee === node) calls.add(call);
      }
    }
    return [...calls];
  }
}

function isMethod(member: string, name: string | undefined): boolean {
  const parsed = parseMember(member);
  return parsed.name === name && parsed.container !== undefined;
}

function isOneOf(node: Node | undefined, numbers: readonly number[]): boolean {
  return node?.kind === "literal" && typeof node.value === "number" && numbers.includes(node.value);
}

/** `x.slice(0, 10)`, `x.substring(0, 7)`, `x.split("T")` of the text of a moment. */
function isCut({ callee, args }: CallNode): boolean {
  if (callee.kind !== "member" || callee.object.kind !== "call") return false;
  const [first, second] = args;
  if (callee.property === "split") return first?.kind === "literal" && (first.value === "T" || first.value === " ");
  return (
    /^(?:slice|substr|substring)$/.test(callee.property ?? "") &&
    isOneOf(first, [0]) &&
    second?.kind === "literal" &&
    typeof second.value === "number" &&
    second.value > 0 &&
    second.value <= 10
  );
}
