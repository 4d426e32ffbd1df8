import { childrenOf, type CodeFile, type FunctionNode, type Node } from "./code/node.js";
import { nameOfVariable } from "./effects.js";

/** A function with the name that callers use, for searches by name. */
export interface NamedFunction {
  readonly fn: FunctionNode;
  readonly name: string;
  /** Names that its parameters bind. */
  readonly parameters: readonly string[];
}

const known = new WeakMap<CodeFile, readonly NamedFunction[]>();

/** Every named function of a file. Kept as long as the file is unchanged. */
export function functionsIn(file: CodeFile): readonly NamedFunction[] {
  let found = known.get(file);
  if (!found) {
    const functions: NamedFunction[] = [];
    collect(file.root, functions);
    known.set(file, (found = functions));
  }
  return found;
}

function collect(node: Node, found: NamedFunction[]): void {
  if (node.kind === "function" && node.body) {
    const name = node.name ?? nameOfVariable(node) ?? nameOfMaker(node);
    if (name !== undefined && name !== "constructor") found.push({ fn: node, name, parameters: node.params.flatMap((parameter) => namesIn(parameter.target)) });
  }
  for (const child of childrenOf(node)) collect(child, found);
}

/** `withTx` for the inner function of `const withTx = (deps) => async (work) => …`. */
function nameOfMaker(fn: FunctionNode): string | undefined {
  for (let above = fn.parent; above; above = above.parent) {
    if (above.kind === "function") return above.name ?? nameOfVariable(above) ?? nameOfMaker(above);
    if (above.kind !== "return" && above.kind !== "block") return undefined;
  }
  return undefined;
}

function namesIn(target: Node): string[] {
  if (target.kind === "name") return [target.text];
  return target.kind === "pattern" ? target.entries.flatMap((entry) => namesIn(entry.target)) : [];
}
