import type { CallNode, Node, TemplateNode } from "./code/node.js";
import { childrenOf } from "./code/node.js";
import type { Frame, Values } from "./values.js";

/** What is told of code that runs. Returning `true` from `call` ends the walk. */
export interface Visitor {
  call(call: CallNode, frame: Frame | undefined): boolean;
  /** A tagged template runs its tag. */
  template?(template: TemplateNode, frame: Frame | undefined): boolean;
  /** Around branches: lets a visitor with a state join the states of both. */
  branches?(run: readonly (() => Flow)[]): Flow;
  /** Around a `catch` block. */
  handler?(run: () => Flow): Flow;
}

/** How code goes on after a node. */
export type Flow = "on" | "left" | "stop";

/**
 * Walks the code that runs when `node` runs, in the order in which it runs. Functions that are only defined do not run;
 * branches that what was passed rules out do not run, nor does what stands behind a return. A `catch` or a branch that
 * ends in a throw is left out: what it does, it does because the work failed.
 */
export function execute(node: Node, frame: Frame | undefined, values: Values, visitor: Visitor): Flow {
  const walk = (inner: Node): Flow => execute(inner, frame, values, visitor);
  const all = (nodes: readonly Node[]): Flow => {
    for (const inner of nodes) {
      const flow = walk(inner);
      if (flow !== "on") return flow;
    }
    return "on";
  };
  switch (node.kind) {
    case "function":
    case "class":
      return "on";
    case "call": {
      const flow = all([...(node.callee.kind === "member" ? childrenOf(node.callee) : [node.callee]), ...node.args]);
      if (flow !== "on") return flow;
      return visitor.call(node, frame) ? "stop" : "on";
    }
    case "template": {
      const flow = all(node.expressions);
      if (flow !== "on" || !node.tag) return flow;
      return visitor.template?.(node, frame) === true ? "stop" : "on";
    }
    case "binary": {
      const left = walk(node.left);
      if (left !== "on" || !isShortCircuit(node.operator)) return left === "on" ? walk(node.right) : left;
      const truth = node.operator === "??" ? undefined : values.truth(node.left, frame);
      if (truth !== undefined && truth === (node.operator === "||")) return "on";
      return either(visitor, [() => walk(node.right), () => "on"]);
    }
    case "conditional":
    case "if": {
      const test = walk(node.test);
      if (test !== "on") return test;
      const { otherwise } = node;
      const truth = values.truth(node.test, frame);
      const branch = (taken: Node): Flow => (endsInThrow(taken) ? "left" : walk(taken));
      if (truth === true) return branch(node.then);
      if (truth === false) return otherwise ? branch(otherwise) : "on";
      return either(visitor, [() => branch(node.then), () => (otherwise ? branch(otherwise) : "on")]);
    }
    case "switch": {
      const subject = walk(node.discriminant);
      if (subject !== "on") return subject;
      const chosen = values.constant(node.discriminant, frame);
      const branches = node.cases.filter((branch) => {
        const value = chosen && branch.test && values.constant(branch.test, frame);
        return !chosen || !value || typeof chosen.value === "object" || value.value === chosen.value;
      });
      return either(visitor, [...branches.map((branch) => () => all(branch.body)), () => "on"]);
    }
    case "loop": {
      const before = all([node.init, node.iterated, node.test].filter((part) => part !== undefined));
      if (before !== "on") return before;
      if (node.iterated && values.isEmpty(node.iterated, frame)) return "on";
      const flow = all([node.body, ...(node.update ? [node.update] : [])]);
      return flow === "stop" ? "stop" : "on";
    }
    case "try":
      return tried(node, walk, visitor);
    case "return":
    case "throw": {
      const flow = node.argument ? walk(node.argument) : "on";
      return flow === "stop" ? "stop" : "left";
    }
    default:
      return all(childrenOf(node));
  }
}

function tried(node: Extract<Node, { kind: "try" }>, walk: (inner: Node) => Flow, visitor: Visitor): Flow {
  const block = walk(node.block);
  if (block === "stop") return "stop";
  const { handler, finalizer } = node;
  let caught: Flow = "on";
  if (handler && !endsInThrow(handler)) {
    caught = visitor.handler ? visitor.handler(() => walk(handler)) : walk(handler);
    if (caught === "stop") return "stop";
  }
  const last = finalizer ? walk(finalizer) : "on";
  if (last !== "on") return last;
  return block === "left" && (!handler || endsInThrow(handler) || caught === "left") ? "left" : "on";
}

function either(visitor: Visitor, branches: readonly (() => Flow)[]): Flow {
  if (visitor.branches) return visitor.branches(branches);
  const flows: Flow[] = [];
  for (const branch of branches) {
    const flow = branch();
    if (flow === "stop") return "stop";
    flows.push(flow);
  }
  return flows.every((flow) => flow === "left") ? "left" : "on";
}

function isShortCircuit(operator: string): boolean {
  return operator === "&&" || operator === "||" || operator === "??";
}

/** Whether a block surely ends in a throw. */
export function endsInThrow(block: Node): boolean {
  if (block.kind === "throw") return true;
  if (block.kind !== "block") return false;
  const last = block.body.at(-1);
  return last !== undefined && endsInThrow(last);
}
