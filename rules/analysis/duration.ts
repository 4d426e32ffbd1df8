import type { DurationMaker, DurationUnit } from "../catalogue/vocabulary.js";
import type { Program } from "./analysis.js";
import type { BinaryNode, CallNode, Node, ObjectNode } from "./code/node.js";
import { nameOfCallee } from "./effects.js";
import { MemberIndex, type Knowledge } from "./knowledge.js";
import type { Frame, Settled } from "./values.js";

/** What a constant expression comes to. */
type Folded =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "duration"; readonly ms: number };

const DEPTH = 24;

const msIn: Readonly<Record<Exclude<DurationUnit, "written">, number>> = {
  ns: 1e-6,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const makers = new WeakMap<Knowledge, MemberIndex<DurationMaker>>();

function makersOf(knowledge: Knowledge): MemberIndex<DurationMaker> {
  let index = makers.get(knowledge);
  if (!index)
    makers.set(
      knowledge,
      (index = new MemberIndex<DurationMaker>(knowledge.libraries, "member", (library) =>
        (library.durations ?? []).map((entry) => [entry, entry.member] as const),
      )),
    );
  return index;
}

/** Folds constant expressions to numbers and durations. What is not constant has no value: nothing is guessed. */
export class Durations {
  readonly #program: Program;

  constructor(program: Program) {
    this.#program = program;
  }

  /** The duration that an expression means where a bare number counts in `unit`. */
  inMs(node: Node, frame: Frame | undefined, unit: DurationUnit): number | undefined {
    const folded = this.#fold(node, frame, 0);
    return folded && inMs(folded, unit);
  }

  /** The number that an expression comes to. */
  number(node: Node, frame: Frame | undefined): number | undefined {
    const folded = this.#fold(node, frame, 0);
    return folded?.kind === "number" ? folded.value : undefined;
  }

  /** The text that an expression comes to. */
  text(node: Node, frame: Frame | undefined): string | undefined {
    const folded = this.#fold(node, frame, 0);
    return folded?.kind === "text" ? folded.value : undefined;
  }

  #fold(node: Node, frame: Frame | undefined, depth: number): Folded | undefined {
    if (depth > DEPTH) return undefined;
    switch (node.kind) {
      case "literal":
        return ofValue(node.value);
      case "template":
        return this.#template(node, frame, depth);
      case "object":
        return this.#parts(node, frame, depth);
      case "unary":
        return this.#unary(node.operator, this.#fold(node.argument, frame, depth + 1));
      case "binary":
        return this.#binary(node, frame, depth);
      case "conditional":
        return this.#either(node.test, node.then, node.otherwise, frame, depth);
      case "call":
        return this.#call(node, frame, depth);
      default:
        return this.#settled(this.#program.values.settle(node, frame), node, depth);
    }
  }

  #settled(settled: Settled, from: Node, depth: number): Folded | undefined {
    if (settled.kind === "object") return this.#parts(settled.node, settled.frame, depth + 1);
    return settled.kind === "other" && settled.node !== from
      ? this.#fold(settled.node, settled.frame, depth + 1)
      : undefined;
  }

  #template(node: Extract<Node, { kind: "template" }>, frame: Frame | undefined, depth: number): Folded | undefined {
    if (node.tag) return undefined;
    let text = node.strings[0] ?? "";
    for (const [index, expression] of node.expressions.entries()) {
      const part = this.#fold(expression, frame, depth + 1);
      if (!part || part.kind === "duration") return undefined;
      text += String(part.value) + (node.strings[index + 1] ?? "");
    }
    return { kind: "text", value: text };
  }

  /** `{ minutes: 5, seconds: 30 }`. */
  #parts(node: ObjectNode, frame: Frame | undefined, depth: number): Folded | undefined {
    let ms = 0;
    for (const { key, value, isSpread } of node.properties) {
      const unit = isSpread || key === undefined ? undefined : unitCalled(key);
      const folded = unit === undefined ? undefined : this.#fold(value, frame, depth + 1);
      const amount = folded && numberOf(folded);
      if (unit === undefined || amount === undefined) return undefined;
      ms += amount * unit;
    }
    return node.properties.length > 0 ? { kind: "duration", ms } : undefined;
  }

  #unary(operator: string, argument: Folded | undefined): Folded | undefined {
    const value = argument && numberOf(argument);
    if (value === undefined) return undefined;
    return operator === "-" ? finite(-value) : operator === "+" ? finite(value) : undefined;
  }

  #binary(node: BinaryNode, frame: Frame | undefined, depth: number): Folded | undefined {
    const { operator } = node;
    const left = this.#fold(node.left, frame, depth + 1);
    if (operator === "??" || operator === "||") {
      if (left) return operator === "??" || isTruthy(left) ? left : this.#fold(node.right, frame, depth + 1);
      return this.#program.values.settle(node.left, frame).kind === "absent"
        ? this.#fold(node.right, frame, depth + 1)
        : undefined;
    }
    const right = left && this.#fold(node.right, frame, depth + 1);
    if (!left || !right || left.kind === "duration" || right.kind === "duration") return undefined;
    if (operator === "+" && (left.kind === "text" || right.kind === "text"))
      return { kind: "text", value: `${left.value}${right.value}` };
    const a = numberOf(left);
    const b = numberOf(right);
    return a === undefined || b === undefined ? undefined : calculate(operator, a, b);
  }

  #either(
    test: Node,
    then: Node,
    otherwise: Node | undefined,
    frame: Frame | undefined,
    depth: number,
  ): Folded | undefined {
    const truth = this.#program.values.truth(test, frame);
    if (truth === true) return this.#fold(then, frame, depth + 1);
    if (truth === false) return otherwise && this.#fold(otherwise, frame, depth + 1);
    const one = this.#fold(then, frame, depth + 1);
    const other = otherwise && this.#fold(otherwise, frame, depth + 1);
    return one && other && JSON.stringify(one) === JSON.stringify(other) ? one : undefined;
  }

  #call(node: CallNode, frame: Frame | undefined, depth: number): Folded | undefined {
    const { callee, refs } = this.#program.effects.calledBy(node, frame);
    for (const { entry } of makersOf(this.#program.knowledge).find(refs)) {
      const read =
        entry.of === "receiver" ? (node.callee.kind === "member" ? node.callee.object : undefined) : node.args[0];
      const folded = read && this.#fold(read, frame, depth + 1);
      const ms = folded && inMs(folded, entry.reads);
      if (ms === undefined) return undefined;
      return entry.makes === "written" ? { kind: "duration", ms } : finite(ms / msIn[entry.makes]);
    }
    if (callee.kind === "closure") {
      const settled = this.#program.values.settle(node, frame);
      if (settled.kind === "object") return this.#parts(settled.node, settled.frame, depth + 1);
      const [result, ...others] = resultsIn(callee);
      return result && others.length === 0
        ? this.#fold(result, this.#program.values.enter(callee, node, frame), depth + 1)
        : undefined;
    }
    return this.#builtIn(node, frame, depth);
  }

  /** The functions of the language that people convert numbers with. */
  #builtIn(node: CallNode, frame: Frame | undefined, depth: number): Folded | undefined {
    const name = nameOfCallee(node) ?? "";
    const object = node.callee.kind === "member" ? node.callee.object : undefined;
    if (object && (name === "toString" || name === "valueOf") && node.args.length === 0) {
      const value = this.#fold(object, frame, depth + 1);
      return value?.kind === "number" && name === "toString" ? { kind: "text", value: String(value.value) } : value;
    }
    const args = node.args.map((argument) => this.#fold(argument, frame, depth + 1));
    const numbers = args.map((argument) => argument && numberOf(argument));
    const [first] = numbers;
    if (object === undefined || (object.kind === "name" && object.text === "Number")) {
      if (node.callee.kind === "name" && name === "String")
        return args[0]?.kind === "number" ? { kind: "text", value: String(args[0].value) } : undefined;
      if (name === "Number" || name === "parseFloat" || name === "BigInt")
        return first === undefined ? undefined : finite(first);
      return name === "parseInt" && first !== undefined && (numbers.length === 1 || numbers[1] === 10)
        ? finite(Math.trunc(first))
        : undefined;
    }
    if (object.kind !== "name" || object.text !== "Math" || numbers.some((value) => value === undefined))
      return undefined;
    return mathematics.has(name) ? finite(Math[name as "max"](...(numbers as number[]))) : undefined;
  }
}

const mathematics = new Set(["max", "min", "floor", "ceil", "round", "trunc", "abs", "pow"]);

function resultsIn(callee: Extract<Settled, { kind: "closure" }>): readonly Node[] {
  const { body } = callee.fn;
  if (!body || body.kind !== "block") return body ? [body] : [];
  const last = body.body.at(-1);
  return body.body.length === 1 && last?.kind === "return" && last.argument ? [last.argument] : [];
}

function ofValue(value: string | number | bigint | boolean | null | undefined): Folded | undefined {
  if (typeof value === "number" || typeof value === "bigint") return finite(Number(value));
  return typeof value === "string" ? { kind: "text", value } : undefined;
}

function finite(value: number): Folded | undefined {
  return Number.isFinite(value) ? { kind: "number", value } : undefined;
}

function numberOf(folded: Folded): number | undefined {
  if (folded.kind === "duration") return undefined;
  if (folded.kind === "number") return folded.value;
  return isNumeric(folded.value) ? Number(folded.value) : undefined;
}

function isNumeric(text: string): boolean {
  return /^\s*[+-]?(?:\d[\d_]*)(?:\.\d+)?\s*$/.test(text) && !text.includes("_");
}

function isTruthy(folded: Folded): boolean {
  return folded.kind === "duration" || Boolean(folded.value);
}

function calculate(operator: string, a: number, b: number): Folded | undefined {
  switch (operator) {
    case "+":
      return finite(a + b);
    case "-":
      return finite(a - b);
    case "*":
      return finite(a * b);
    case "/":
      return finite(a / b);
    case "%":
      return finite(a % b);
    case "**":
      return finite(a ** b);
    default:
      return undefined;
  }
}

function inMs(folded: Folded, unit: DurationUnit): number | undefined {
  const ms =
    folded.kind === "duration"
      ? folded.ms
      : folded.kind === "text"
        ? msOfText(folded.value, unit)
        : unit === "written"
          ? undefined
          : folded.value * msIn[unit];
  // `1e-6 * 30_000` and its like leave crumbs
  return ms === undefined || ms < 0 || !Number.isFinite(ms) ? undefined : Number(ms.toPrecision(12));
}

/** The duration that a text means: `"5m"`, `"1 hour 30 minutes"`, `"PT5M"`, and digits alone in the unit of the place. */
export function msOfText(text: string, unit: DurationUnit): number | undefined {
  if (isNumeric(text)) return unit === "written" ? undefined : Number(text) * msIn[unit];
  return text.length > 60 ? undefined : (msOfIso(text) ?? msOfWords(text));
}

function msOfIso(text: string): number | undefined {
  const match = /^\s*P(?:([\d.]+)W)?(?:([\d.]+)D)?(?:T(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?)?\s*$/i.exec(text);
  if (!match?.slice(1).some(Boolean)) return undefined;
  const [weeks, days, hours, minutes, seconds] = match.slice(1).map((part: string | undefined) => Number(part ?? 0));
  return (
    (((weeks ?? 0) * 7 + (days ?? 0)) * 24 + (hours ?? 0)) * msIn.h +
    (minutes ?? 0) * msIn.min +
    (seconds ?? 0) * msIn.s
  );
}

function msOfWords(text: string): number | undefined {
  if (!/^\s*(?:\d*\.?\d+\s*[a-zµ]+[\s,]*(?:and\s+)?)+$/i.test(text)) return undefined;
  let ms = 0;
  for (const [, amount, word] of text.matchAll(/(\d*\.?\d+)\s*([a-zµ]+)/gi)) {
    const unit = unitCalled(word ?? "");
    if (unit === undefined) return undefined;
    ms += Number(amount) * unit;
  }
  return ms;
}

const words: readonly (readonly [ms: number, names: string])[] = [
  [1e-6, "ns nsec nsecs nano nanos nanosecond nanoseconds"],
  [1e-3, "us µs usec micro micros microsecond microseconds"],
  [1, "ms msec msecs milli millis millisecond milliseconds"],
  [msIn.s, "s sec secs second seconds"],
  [msIn.min, "m min mins minute minutes"],
  [msIn.h, "h hr hrs hour hours"],
  [msIn.d, "d day days"],
  [7 * msIn.d, "w week weeks"],
];
const unitsByName = new Map(words.flatMap(([ms, names]) => names.split(" ").map((name) => [name, ms] as const)));

function unitCalled(word: string): number | undefined {
  return unitsByName.get(word.toLowerCase());
}

const units = [
  ["h", msIn.h],
  ["min", msIn.min],
  ["s", msIn.s],
  ["ms", 1],
] as const;

/** Durations as a reader compares them: all in the largest unit in which they are whole numbers. */
export function inOneUnit(...all: readonly number[]): readonly string[] {
  const [unit, size] = units.find(([, candidate]) => all.every((ms) => ms > 0 && ms % candidate === 0)) ?? ["ms", 1];
  return all.map((ms) => `${String(Number((ms / size).toFixed(3)))} ${unit}`);
}
