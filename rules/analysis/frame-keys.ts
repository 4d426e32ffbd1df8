import type { Node } from "./code/node.js";
import { labelOf } from "./semantics.js";
import type { Frame, Settled, Values } from "./values.js";

/** How deep, and how long, the description of a frame may be for an answer about it to be kept. */
const DEPTH = 8;
const LENGTH = 600;
const TOO_LONG = "?".repeat(LENGTH + 1);

/** Describes calls by what they bind, so that what was found for one holds for all that are alike. */
export class FrameKeys {
  readonly #values: Values;
  readonly #ids = new WeakMap<Node, number>();
  #nextId = 1;

  constructor(values: Values) {
    this.#values = values;
  }

  /** A key for what a frame binds; none where it binds too much to be asked again. */
  keyOf(frame: Frame): string | undefined {
    const key = this.#frameKey(frame, 0);
    return key.length > LENGTH ? undefined : key;
  }

  #frameKey(frame: Frame | undefined, depth: number): string {
    if (!frame) return "";
    if (depth > DEPTH) return TOO_LONG;
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
