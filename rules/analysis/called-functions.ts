import type { Program } from "./analysis.js";
import type { CallNode, FunctionNode } from "./code/node.js";
import type { Called } from "./effects.js";

/** An interface with more implementations than this says nothing about a call. */
const IMPLEMENTATIONS = 6;

/** The functions of the project that a call runs: its callee, a constructor, or what is behind an interface. */
export function calledFunctions(
  call: CallNode,
  { callee, refs }: Called,
  { semantics }: Program,
): readonly FunctionNode[] {
  if (callee.kind === "closure") return callee.fn.body ? [callee.fn] : [];
  if (callee.kind === "class" && call.isNew) {
    const constructor = callee.node.members.find(
      (member) => member.kind === "function" && member.role === "constructor" && member.body !== undefined,
    );
    return constructor?.kind === "function" ? [constructor] : [];
  }
  if (!refs.some((ref) => ref.isProject)) return [];
  // what an injected service is depends on the caller, but its type names the interface
  const declared =
    callee.kind === "declared"
      ? callee.definition
      : call.callee.kind === "member"
        ? semantics.definitionOfMember(call.callee)
        : undefined;
  if (declared?.kind === "function") return declared.fn.body ? [declared.fn] : [];
  return declared?.kind === "declared" ? semantics.implementationsOf(declared).slice(0, IMPLEMENTATIONS) : [];
}
