import type { Program } from "./analysis.js";
import { childrenOf, type CallNode, type FunctionNode, type Node } from "./code/node.js";
import { runningOf } from "./deferral.js";
import { nameOfCallee } from "./effects.js";

/**
 * The functions of a file that run in a transaction which other code opened, as the settings say: its functions and
 * methods, and what its top level hands on (`router.post("/orders", async () => …)`).
 */
export function functionsAtTop(node: Node, program: Program): readonly FunctionNode[] {
  if (node.kind === "function") return [node, ...childrenOf(node).flatMap(routesIn)];
  if (node.kind === "call" && runsElsewhere(node, program)) return [];
  return childrenOf(node).flatMap((child) => functionsAtTop(child, program));
}

/** The same where a function sets the routes up: `(app) => { app.post("/orders", async () => …); }`. */
function routesIn(node: Node): readonly FunctionNode[] {
  if (node.kind === "call" && /^(?:get|post|put|patch|delete|all)$/.test(nameOfCallee(node) ?? ""))
    return node.args.filter((argument) => argument.kind === "function");
  return childrenOf(node).flatMap(routesIn);
}

function runsElsewhere(call: CallNode, { effects, knowledge }: Program): boolean {
  const running = runningOf(effects.calledBy(call, undefined).refs, call, knowledge);
  return running === "after commit" || running === "outside";
}
