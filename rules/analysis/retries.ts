import type { Program } from "./analysis.js";
import {
  childrenOf,
  contains,
  enclosingFunction,
  lineOf,
  type CallNode,
  type LoopNode,
  type Node,
} from "./code/node.js";
import { nameOfCallee } from "./effects.js";
import { labelOf } from "./semantics.js";
import { isRetryName } from "./words.js";

/** Code that is run again when it failed. */
export interface Rerun {
  /** All that is run again: what is declared outside keeps what earlier attempts did to it. */
  readonly node: Node;
  /** Who runs it again, for the message. */
  readonly by: string;
}

/** What runs a call again, up to the function that the call stands in: a loop of attempts, or a function that retries. */
export function rerunAround(call: CallNode, program: Program): Rerun | undefined {
  let tried = false;
  for (let node: Node = call; node.parent; node = node.parent) {
    const { parent }: Node = node;
    if (parent.kind === "try" && parent.block === node) tried ||= parent.handler !== undefined;
    else if (parent.kind === "loop" && parent.body === node && tried && isLoopOfAttempts(parent))
      return { node: parent.body, by: `the loop in line ${String(lineOf(parent.file, parent.start))}` };
    if (node.kind === "function") {
      const around = parent.kind === "call" && parent.args.includes(node) ? parent : undefined;
      const by = around && retrierOf(around, program);
      return by === undefined ? undefined : { node, by: `\`${by}\`` };
    }
  }
  return undefined;
}

/** `for (let attempt = 0; …)`, `while (true) { try { …; return } catch { … } }`. */
function isLoopOfAttempts({ init, test, update, iterated, body }: LoopNode): boolean {
  if (iterated) return false;
  const says = [init, test, update].some((part) => part !== undefined && mentions(part, isRetryName));
  const isEndless = test === undefined || (test.kind === "literal" && test.value === true);
  return says || (isEndless && mentions(body, isRetryName));
}

/** The name of a function that runs what it is given again: a library's, or one of the project that is called so and has a loop. */
function retrierOf(call: CallNode, program: Program): string | undefined {
  const { knowledge, effects } = program;
  const name = nameOfCallee(call);
  if (name === undefined || !(knowledge.runners.hasName(name) || isRetryName(name))) return undefined;
  const { callee, refs } = effects.calledBy(call, undefined);
  const [runner] = knowledge.runners.find(refs);
  if (runner?.entry.reruns) return refs[0] ? labelOf(refs[0]) : name;
  if (callee.kind !== "closure" || !callee.fn.body || !isRetryName(name)) return undefined;
  return repeats(callee.fn.body) ? name : undefined;
}

function repeats(node: Node): boolean {
  if (node.kind === "loop") return node.iterated === undefined && mentionsTry(node.body);
  if (node.kind === "call") {
    const fn = enclosingFunction(node);
    const name = nameOfCallee(node);
    if (fn && name !== undefined && (fn.name === name || isNamedConstant(fn, name)) && contains(fn, node)) return true;
  }
  return childrenOf(node).some(repeats);
}

function isNamedConstant({ parent }: Node, name: string): boolean {
  return parent?.kind === "declarator" && parent.target.kind === "name" && parent.target.text === name;
}

function mentionsTry(node: Node): boolean {
  return node.kind === "try" || childrenOf(node).some(mentionsTry);
}

function mentions(node: Node, isMeant: (name: string) => boolean): boolean {
  if (node.kind === "name" && isMeant(node.text)) return true;
  if (node.kind === "member" && node.property !== undefined && isMeant(node.property)) return true;
  return node.kind !== "function" && childrenOf(node).some((child) => mentions(child, isMeant));
}
