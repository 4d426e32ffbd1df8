import type { Program } from "./analysis.js";
import { childrenOf, contains, type CallNode, type FunctionNode, type Node } from "./code/node.js";
import { runningOf } from "./deferral.js";
import { nameOfCallee } from "./effects.js";
import { labelOf } from "./semantics.js";

const NODES = 400;

/** A transaction around work that is only described where it stands: an Effect, given or piped in. */
export interface DescribedTransaction {
  readonly label: string;
  readonly work: readonly Node[];
}

/** Reads `sql.withTransaction(effect)` and `effect.pipe(sql.withTransaction)`. */
export function describedTransaction(
  call: CallNode,
  { effects, knowledge, values, wrappers }: Program,
): DescribedTransaction | undefined {
  const name = nameOfCallee(call);
  if (name === "pipe") {
    for (const [index, step] of call.args.entries()) {
      if (step.kind !== "member" || !wrappers.openerNames.has(step.property ?? "")) continue;
      const refs = effects.refsOfCallee(step, values.settle(step, undefined));
      const [ref] = refs;
      if (!ref || !knowledge.transactions.find(refs).some(({ entry }) => entry.effect)) continue;
      const { callee } = call;
      return {
        label: labelOf(ref),
        work: [...(callee.kind === "member" ? [callee.object] : []), ...call.args.slice(0, index)],
      };
    }
    return undefined;
  }
  if (name === undefined || !wrappers.openerNames.has(name)) return undefined;
  const { refs } = effects.calledBy(call, undefined);
  const [ref] = refs;
  const [work] = call.args;
  return ref && work && knowledge.transactions.find(refs).some(({ entry }) => entry.effect)
    ? { label: labelOf(ref), work: [work] }
    : undefined;
}

/** A function that runs when described work runs, and the node of the description that stands for it. */
export interface WorkFunction {
  readonly fn: FunctionNode;
  readonly at: Node;
}

/** The functions that described work is made of, and those of the work that they yield. */
export function functionsOfWork(work: readonly Node[], program: Program): readonly WorkFunction[] {
  const functions: WorkFunction[] = [];
  const seen = new Set<Node>();
  let at: Node | undefined;
  const visit = (node: Node): void => {
    if (seen.has(node) || seen.size > NODES) return;
    seen.add(node);
    if (work.some((part) => contains(part, node))) at = node;
    if (node.kind === "function") {
      functions.push({ fn: node, at: at ?? node });
      if (node.body?.kind === "block") visitYields(node.body);
      else if (node.body) visit(node.body);
    } else if (node.kind === "name" || node.kind === "member") follow(node);
    else if (node.kind === "call") {
      const { callee, refs } = program.effects.calledBy(node, undefined);
      if (runningOf(refs, node, program.knowledge) === "after commit") return;
      if (callee.kind === "closure") visit(callee.fn);
      else if (node.callee.kind === "member") visit(node.callee.object);
      for (const argument of node.args) visit(argument);
    } else for (const child of childrenOf(node)) visit(child);
  };
  const visitYields = (node: Node): void => {
    if (node.kind === "function") return;
    if ((node.kind === "yield" || node.kind === "return") && node.argument) visit(node.argument);
    else for (const child of childrenOf(node)) visitYields(child);
  };
  const follow = (node: Extract<Node, { kind: "name" | "member" }>): void => {
    const settled = program.values.settle(node, undefined);
    if (settled.kind === "closure") visit(settled.fn);
    else if (settled.kind === "other" && settled.node !== node) visit(settled.node);
    const definition = node.kind === "name" ? program.semantics.definitionOfName(node) : undefined;
    if (definition?.kind === "variable" && definition.declarator.init) visit(definition.declarator.init);
  };
  for (const node of work) visit(node);
  return functions;
}
