import type { Program } from "./analysis.js";
import type { CallNode, FunctionNode, Node } from "./code/node.js";
import type { Frame } from "./values.js";

/**
 * Whether a call is of a member of which nothing can be known, because neither the catalogue nor the project has one of
 * that name: `rows.map(…)`, `tx.order.findMany(…)`. Such calls are the most there are, and each question about the type of
 * what they are called on may cost the checker more than all of the analysis.
 */
export function isForeign({ callee, isNew }: CallNode, { knowledge, semantics }: Program): boolean {
  const name = callee.kind === "member" && !isNew ? callee.property : undefined;
  if (name === undefined || name === "call" || name === "apply" || knowledge.isName(name)) return false;
  return !semantics.mayDeclareMember(name);
}

/** Whether a call may be given a function that does anything when it runs, as far as that can be told without types. */
export function mayRunWork({ args }: CallNode, frame: Frame | undefined, { values }: Program): boolean {
  return args.some((argument) => {
    if (argument.kind === "function") return callsAnything(argument);
    // what a name stands for costs little to find out
    return argument.kind === "name"
      ? /^(?:closure|parameter)$/.test(values.settle(argument, frame).kind)
      : !data.has(argument.kind);
  });
}

/** Whether nothing that a call is given can be a function by itself. */
export function isGivenData({ args }: CallNode): boolean {
  return args.every(({ kind }) => data.has(kind));
}

/** What holds no function, or nothing that is run for being passed. */
const data: ReadonlySet<Node["kind"]> = new Set(["object", "array", "literal", "template", "binary", "unary"]);

/** Whether a function calls anything, as its text tells: most of those that are written among arguments only pick a property. */
export function callsAnything({ file, start, end, body }: FunctionNode): boolean {
  return body !== undefined && /[\w$\])>]\s*(?:\?\.)?\(|`/.test(file.text.slice(start, end));
}
