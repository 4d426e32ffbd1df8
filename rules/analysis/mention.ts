import { childrenOf, contains, type CallNode, type Node } from "./code/node.js";
import type { Semantics } from "./semantics.js";

/** Whether one of the names is used in code: called, or handed on. */
export function mentionsName(node: Node, names: readonly string[]): boolean {
  if (node.kind === "name" && names.includes(node.text)) return true;
  if (node.kind === "member" && node.property !== undefined && names.includes(node.property)) return true;
  // a pattern takes a function out of what a handler is given: only its use counts
  if (node.kind === "pattern" || node.kind === "import") return false;
  return childrenOf(node).some((child) => mentionsName(child, names));
}

/** Whether an expression is made from another one, as `Messages` is from the call in `const { Messages } = await …`. */
export function isMadeFrom(node: Node, origin: Node, semantics: Semantics, depth = 0): boolean {
  if (depth > 6) return false;
  if (contains(node, origin)) return true;
  if (node.kind === "name") {
    const definition = semantics.definitionOfName(node);
    const init = definition?.kind === "variable" ? definition.declarator.init : undefined;
    return init !== undefined && isMadeFrom(init, origin, semantics, depth + 1);
  }
  if (node.kind === "function") return false;
  return childrenOf(node).some((child) => isMadeFrom(child, origin, semantics, depth + 1));
}

/** Every call in a piece of code, whether it runs there or not. */
export function callsIn(node: Node): CallNode[] {
  const inner = childrenOf(node).flatMap(callsIn);
  return node.kind === "call" ? [node, ...inner] : inner;
}
