import type { Join, OneOrMore } from "../catalogue/vocabulary.js";
import type { Program } from "./analysis.js";
import { childrenOf, type CallNode, type Node } from "./code/node.js";
import { argumentAt } from "./deferral.js";
import { oneOrMore } from "./knowledge.js";
import type { DispatchInside } from "./work-inside.js";
import type { Frame, Value } from "./values.js";

/** Why a dispatch does not take part in the transaction although its library could. */
export type NotJoined = "no handle" | "outer client";

/** Where a value comes from: a client that was there before the transaction, the transaction, or neither. */
type Side = "outer" | "inner" | "neither";

/** Whether a dispatch runs in the transaction's own code, and could have taken part in it. */
export function couldJoin({ scope, reached }: DispatchInside): boolean {
  const could = reached.notJoined !== undefined || reached.known.entry.joinsAs !== undefined;
  return could && scope.kind !== "hook" && scope.kind !== "finally";
}

const DEPTH = 6;

/** Tells whether a dispatch that can take part in the open transaction does. */
export class Joining {
  readonly #program: Program;

  constructor(program: Program) {
    this.#program = program;
  }

  of(call: CallNode, joins: OneOrMore<Join> | undefined, frame: Frame | undefined): NotJoined | "joined" | undefined {
    if (joins === undefined) return undefined;
    let isOuter = false;
    for (const join of oneOrMore(joins)) {
      const handle = this.#handleGiven(call, join, frame);
      // what cannot be read may hold the handle
      if (handle === "unknown") return "joined";
      if (!handle || this.#isLeftOut(handle)) continue;
      if (this.#sideOf(handle.node, handle.frame, 0) !== "outer") return "joined";
      isOuter = true;
    }
    return isOuter ? "outer client" : "no handle";
  }

  /** A parameter that was not given; what an object lacks may be put into it later. */
  #isLeftOut({ node, frame }: Value): boolean {
    let root = node;
    while (root.kind === "member") root = root.object;
    return root.kind === "name" && this.#program.values.settle(root, frame).kind === "absent";
  }

  #handleGiven(call: CallNode, join: Join, frame: Frame | undefined): Value | "unknown" | undefined {
    if ("chained" in join) {
      const node = chainedArgument(call, join.chained);
      return node && { node, frame };
    }
    const node = "argument" in join ? call.args[join.argument] : argumentAt(call, join.option.argument);
    if (!node) return undefined;
    const path = "argument" in join ? undefined : join.option.path;
    return path === undefined ? { node, frame } : this.#propertyOf({ node, frame }, path.split("."));
  }

  #propertyOf({ node, frame }: Value, path: readonly string[]): Value | "unknown" | undefined {
    const [key, ...rest] = path;
    if (key === undefined) return { node, frame };
    const settled = this.#program.values.settle(node, frame);
    if (settled.kind === "object") {
      for (const property of settled.node.properties.toReversed()) {
        const value: Value = { node: property.value, frame: settled.frame };
        const found = property.isSpread
          ? this.#propertyOf(value, path)
          : property.key === undefined
            ? "unknown"
            : property.key === key
              ? this.#propertyOf(value, rest)
              : undefined;
        if (found) return found;
      }
      return undefined;
    }
    const isReadable =
      settled.kind === "absent" ||
      (settled.kind === "other" && ["literal", "template", "array"].includes(settled.node.kind));
    return isReadable ? undefined : "unknown";
  }

  /** An expression is outer if a client of before the transaction is all that it is made of. */
  #sideOf(node: Node, frame: Frame | undefined, depth: number): Side {
    if (depth > DEPTH) return "inner";
    switch (node.kind) {
      case "literal":
      case "parameter":
      case "function":
        return node.kind === "function" && node.body ? this.#sideOfBody(node, frame, depth) : "neither";
      case "name":
      case "member":
        return this.#sideOfValue(node, frame, depth);
      case "call": {
        const { callee } = node;
        const parts = [...node.args, ...(callee.kind === "member" ? [callee.object] : [])].map((part) =>
          this.#sideOf(part, frame, depth + 1),
        );
        return joined(parts);
      }
      case "this":
        return "inner";
      default:
        return joined(childrenOf(node).map((child) => this.#sideOf(child, frame, depth + 1)));
    }
  }

  #sideOfBody(fn: Extract<Node, { kind: "function" }>, frame: Frame | undefined, depth: number): Side {
    const own = new Set(
      fn.params.flatMap((parameter) => (parameter.target.kind === "name" ? [parameter.target.text] : [])),
    );
    const isOwn = (node: Node) => node.kind === "name" && own.has(node.text);
    const sides = (node: Node): Side[] => {
      if (isOwn(node)) return [];
      if (node.kind === "name" || node.kind === "member" || node.kind === "call") {
        if (node.kind === "call")
          return [...(node.callee.kind === "member" ? sides(node.callee.object) : []), ...node.args.flatMap(sides)];
        return [this.#sideOf(node, frame, depth + 1)];
      }
      return childrenOf(node).flatMap(sides);
    };
    return fn.body ? joined(sides(fn.body)) : "neither";
  }

  #sideOfValue(node: Extract<Node, { kind: "name" | "member" }>, frame: Frame | undefined, depth: number): Side {
    const { knowledge, semantics } = this.#program;
    const types = semantics.typesOf(node);
    if (knowledge.handlesOf(types).length > 0) return "inner";
    if (knowledge.isClient(types)) return "outer";
    if (node.kind === "member")
      return node.object.kind === "name" && semantics.definitionOfName(node.object)?.kind === "declared"
        ? "neither"
        : "inner";
    const definition = semantics.definitionOfName(node);
    switch (definition?.kind) {
      case "declared":
      case "function":
      case "class":
        return "neither";
      case "variable": {
        const { init, isConst } = definition.declarator;
        return init && isConst && definition.path.length === 0 ? this.#sideOf(init, frame, depth + 1) : "inner";
      }
      case "parameter": {
        let up = frame;
        while (up && up.fn !== definition.fn) up = up.up;
        const given = definition.path.length === 0 ? up?.args?.[definition.index] : undefined;
        return given ? this.#sideOf(given.node, given.frame, depth + 1) : "inner";
      }
      default:
        return "inner";
    }
  }
}

function joined(sides: readonly Side[]): Side {
  return sides.includes("inner") ? "inner" : sides.includes("outer") ? "outer" : "neither";
}

/** The argument of a member further along the chain: `Job.dispatch(p).with(adapter)`. */
function chainedArgument(call: CallNode, member: string): Node | undefined {
  for (let link = call.parent; link; link = link.parent) {
    if (link.kind === "call" && link.callee.kind === "member" && link.callee.property === member) return link.args[0];
    if (link.kind !== "member" && link.kind !== "call") return undefined;
  }
  return undefined;
}
