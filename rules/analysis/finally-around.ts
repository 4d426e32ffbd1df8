import type { Program } from "./analysis.js";
import { childrenOf, type CallNode, type Node, type TryNode } from "./code/node.js";
import { nameOfCallee } from "./effects.js";
import { labelOf } from "./semantics.js";

/** A transaction that a `try` with a `finally` stands around. */
export interface TriedTransaction {
  readonly label: string;
  readonly openedAt: Node;
}

/** The transaction in the `try` block itself that is over, committed or rolled back, when the `finally` block runs. */
export function triedTransaction(
  { block, finalizer }: TryNode,
  { wrappers, effects }: Program,
): TriedTransaction | undefined {
  if (!finalizer) return undefined;
  const search = (node: Node): CallNode | undefined => {
    if (node.kind === "function" || node.kind === "class") return undefined;
    if (
      node.kind === "call" &&
      (wrappers.openedBy(node, undefined).length > 0 || wrappers.turnOf(node, undefined) === "commit")
    )
      return node;
    for (const child of childrenOf(node)) {
      const found = search(child);
      if (found) return found;
    }
    return undefined;
  };
  const openedAt = search(block);
  const [ref] = openedAt ? effects.calledBy(openedAt, undefined).refs : [];
  return openedAt && { label: ref ? labelOf(ref) : (nameOfCallee(openedAt) ?? ""), openedAt };
}
