import type { FileAnalysis } from "./analysis.js";
import { childrenOf, type FunctionNode, type Node } from "./code/node.js";
import { nameOfDecorator, refsOfDecorator } from "./decorators.js";
import { oneOrMore } from "./knowledge.js";
import type { Scope } from "./transaction-scope.js";

/** The transaction in which a decorator runs the whole method. */
export function scopeOfDecorator(decorator: Node, fn: FunctionNode, analysis: FileAnalysis): Scope | undefined {
  const refs = refsOfDecorator(decorator, analysis);
  const entry = analysis.knowledge.decorators.find(refs)[0]?.entry;
  const isTransactional = entry
    ? !isOutside(decorator, entry.outside, entry.unknown) && !isOff(decorator, entry.offWhenFalse)
    : analysis.wrappers.decoratorOpens(decorator);
  const label = `@${refs[0]?.name ?? nameOfDecorator(decorator) ?? ""}`;
  return isTransactional ? { kind: "decorator", label, openedAt: decorator, body: fn } : undefined;
}

/** Whether the arguments name a propagation with which the code runs outside, or nobody knows. */
export function isOutside(call: Node, ...names: (string | readonly string[] | undefined)[]): boolean {
  const all = names.flatMap((name) => oneOrMore(name));
  if (all.length === 0 || call.kind !== "call") return false;
  const mentions = (node: Node): boolean =>
    (node.kind === "member" && node.property !== undefined && all.includes(node.property)) ||
    (node.kind === "literal" && typeof node.value === "string" && all.includes(node.value)) ||
    (node.kind !== "function" && childrenOf(node).some(mentions));
  return call.args.some(mentions);
}

function isOff(decorator: Node, property: string | undefined): boolean {
  if (property === undefined || decorator.kind !== "call") return false;
  return decorator.args.some(
    (argument) =>
      argument.kind === "object" &&
      argument.properties.some(
        (entry) => entry.key === property && entry.value.kind === "literal" && entry.value.value === false,
      ),
  );
}
