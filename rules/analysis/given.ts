import type { ArgumentIndex, OneOrMore, Slot } from "../catalogue/vocabulary.js";
import type { Node, ObjectNode } from "./code/node.js";
import { oneOrMore } from "./knowledge.js";
import { resultsOf, type Frame, type Settled, type Values } from "./values.js";

/** What stands at a slot of a call. */
export type Given =
  | {
      readonly kind: "given";
      readonly value: Node;
      readonly frame: Frame | undefined;
      /** Where a person changes it: the property, or the argument itself. */
      readonly at: Node;
      /** The last property name on the way. */
      readonly name: string | undefined;
    }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown" };

export type GivenValue = Extract<Given, { kind: "given" }>;

const absent: Given = { kind: "absent" };
const unknown: Given = { kind: "unknown" };

/** What stands at the slots: everything that is given; else whether that is known. */
export function givenAt(
  args: readonly Node[],
  frame: Frame | undefined,
  slots: OneOrMore<Slot> | undefined,
  values: Values,
): readonly Given[] {
  const found = oneOrMore(slots).flatMap((slot) => givenAtOne(args, frame, slot, values));
  const given = found.filter((each) => each.kind === "given");
  if (given.length > 0) return given;
  return found.some((each) => each.kind === "unknown") ? [unknown] : [absent];
}

/** What stands at the first slot where something is given. */
export function firstGiven(
  args: readonly Node[],
  frame: Frame | undefined,
  slots: OneOrMore<Slot> | undefined,
  values: Values,
): Given {
  return givenAt(args, frame, slots, values)[0] ?? absent;
}

function givenAtOne(args: readonly Node[], frame: Frame | undefined, slot: Slot, values: Values): readonly Given[] {
  const index = indexOf(slot.argument, args);
  if (args.slice(0, index + 1).some((argument) => argument.kind === "spread")) return [unknown];
  const argument = args[index];
  if (!argument) return [absent];
  return step({ kind: "given", value: argument, frame, at: argument, name: undefined }, stepsOf(slot.path), values);
}

function indexOf(index: ArgumentIndex, args: readonly Node[]): number {
  return index === "last" ? args.length - 1 : index;
}

/** Follows the steps of a path from a value. */
export function step(from: GivenValue, steps: readonly string[], values: Values): readonly Given[] {
  const [key, ...rest] = steps;
  if (key === undefined) return [from];
  return into(values.settle(from.value, from.frame), key, from, values, 0).flatMap((next) =>
    next.kind === "given" ? step(next, rest, values) : [next],
  );
}

function into(settled: Settled, key: string, from: GivenValue, values: Values, depth: number): readonly Given[] {
  if (depth > 8) return [unknown];
  switch (settled.kind) {
    case "absent":
      return [absent];
    case "object": {
      if (isChangedLater(settled.node, key)) return [unknown];
      const found: Given[] = [];
      for (const property of settled.node.properties.toReversed()) {
        if (property.isSpread) {
          const spread = into(values.settle(property.value, settled.frame), key, from, values, depth + 1);
          if (key !== "*" && spread.some((each) => each.kind !== "absent")) return spread;
          found.push(...spread);
        } else if (key === "*" || property.key === key) {
          const given: Given = {
            kind: "given",
            value: property.value,
            frame: settled.frame,
            at: property,
            name: property.key,
          };
          if (key !== "*") return [given];
          found.push(given);
        } else if (property.key === undefined) return [unknown];
      }
      return key === "*" ? found : [absent];
    }
    case "closure":
      return key === "()"
        ? resultsOf(settled.fn).map((value) => ({
            ...from,
            value,
            frame: { fn: settled.fn, args: undefined, self: settled.self, up: settled.frame },
          }))
        : [absent];
    case "other": {
      const { node, frame } = settled;
      if (node.kind === "literal") return node.value === undefined ? [unknown] : [absent];
      if (node.kind === "function" || node.kind === "template" || node.kind === "binary") return [absent];
      if (node.kind !== "array") return [unknown];
      if (key === "[]")
        return node.elements.map((element): Given =>
          element.kind === "spread" ? unknown : { kind: "given", value: element, frame, at: element, name: from.name },
        );
      const element = node.elements[Number(key)];
      return [
        !element
          ? absent
          : element.kind === "spread"
            ? unknown
            : { kind: "given", value: element, frame, at: element, name: from.name },
      ];
    }
    default:
      return [unknown];
  }
}

/** `options.lockDuration = …` behind `const options = { … }`. */
function isChangedLater(object: ObjectNode, key: string): boolean {
  const { parent, file } = object;
  if (parent?.kind !== "declarator" || parent.target.kind !== "name" || !/^\w+$/.test(key)) return false;
  return new RegExp(`(?<![\\w$.])${parent.target.text.replaceAll("$", "\\$")}\\.${key}\\s*=(?!=)`).test(file.text);
}

/** `"useFactory().settings.lockDuration"`, `"[].opts"`, `"'max.poll.interval.ms'"` → steps. */
export function stepsOf(path: string | undefined): string[] {
  return [...(path ?? "").matchAll(/'([^']+)'|\[\]|\(\)|[^.[\]()]+/g)].map(([whole, quoted]) => quoted ?? whole);
}
