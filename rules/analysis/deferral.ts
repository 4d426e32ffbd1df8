import type { CallNode, Node } from "./code/node.js";
import { oneOrMore, type Knowledge } from "./knowledge.js";
import type { Ref } from "./semantics.js";
import type { Settled, Values } from "./values.js";

/** When the functions that are passed to a call run. */
export type Running =
  /** During the call, or soon after it without regard to the transaction: it belongs to the code around. */
  | "now"
  /** After the transaction's end. */
  | "after commit"
  /** Outside the transaction around, in none. */
  | "outside"
  /** Kept for later, or nobody knows. */
  | "later";

/** Members of the language and the platform that keep what they are given instead of calling it. */
const keepers = new Set([
  "push",
  "unshift",
  "splice",
  "concat",
  "fill",
  "with",
  "add",
  "set",
  "of",
  "assign",
  "defineProperty",
  "on",
  "once",
  "off",
  "addListener",
  "removeListener",
  "prependListener",
  "addEventListener",
  "removeEventListener",
  "subscribe",
]);

/** Whether and when a call of declared (library) code runs the functions that it is given. */
export function runningOf(refs: readonly Ref[], call: CallNode, knowledge: Knowledge): Running {
  for (const { entry } of knowledge.afterCommit.find(refs)) {
    if (entry.event === undefined || firstText(call) === entry.event) return "after commit";
  }
  if (knowledge.outside.find(refs).length > 0) return "outside";
  if (refs.some((ref) => isStandard(ref))) return refs.some((ref) => keepers.has(ref.name)) ? "later" : "now";
  return knowledge.runners.find(refs).length > 0 ? "now" : "later";
}

/** Declared by the language or the platform: `map`, `Promise.all`, `then`, `setTimeout` run their callbacks. */
function isStandard(ref: Ref): boolean {
  return ref.package === "typescript" || ref.package === "node" || ref.package.startsWith("node:");
}

const standardContainers = new Set(["Promise", "Array", "Object", "Reflect"]);
const standardMembers = new Set([
  "map",
  "forEach",
  "flatMap",
  "filter",
  "reduce",
  "reduceRight",
  "some",
  "every",
  "find",
  "findIndex",
  "sort",
  "then",
  "catch",
  "finally",
  "nextTick",
]);
const standardFunctions = new Set(["setTimeout", "setImmediate", "queueMicrotask"]);

/** The same where there are no types: by names that belong to the language. */
export function looksStandard(callee: Node): boolean {
  if (callee.kind === "name") return standardFunctions.has(callee.text);
  if (callee.kind !== "member" || callee.property === undefined) return false;
  return (
    standardMembers.has(callee.property) ||
    (callee.object.kind === "name" && standardContainers.has(callee.object.text))
  );
}

function firstText(call: CallNode): string | undefined {
  const [first] = call.args;
  return first?.kind === "literal" && typeof first.value === "string" ? first.value : undefined;
}

/** The arguments of a call that are functions, as far as they can be found. */
export function functionArguments(
  call: CallNode,
  settle: (node: Node) => Settled,
): { index: number; value: Extract<Settled, { kind: "closure" }> }[] {
  return call.args.flatMap((argument, index) => {
    if (argument.kind === "literal" || argument.kind === "template" || argument.kind === "binary") return [];
    const value = settle(argument.kind === "spread" && argument.argument ? argument.argument : argument);
    return value.kind === "closure" ? [{ index, value }] : [];
  });
}

/** The argument at an index of the catalogue. */
export function argumentAt(call: CallNode, index: number | "last"): Node | undefined {
  return index === "last" ? call.args.at(-1) : call.args[index];
}

/** The index of the function that an index of the catalogue means: "last" is the last argument that can be one. */
export function callbackIndex(call: CallNode, index: number | "last"): number {
  if (index !== "last") return index;
  const isFunction = (argument: Node) => argument.kind === "function";
  const mayBe = (argument: Node) => ["name", "member", "call", "conditional"].includes(argument.kind);
  return call.args.findLastIndex(call.args.some(isFunction) ? isFunction : mayBe);
}

/** Whether argument 0 of a call is an instance of one of the classes (`client.send(new SendMessageCommand())`). */
export function isCommand(
  call: CallNode,
  classes: string | readonly string[],
  values: Values,
  typesOf: (node: Node) => readonly Ref[],
  frame: Parameters<Values["settle"]>[1],
): boolean {
  const [first] = call.args;
  if (!first) return false;
  const settled = values.settle(first, frame);
  const made = settled.kind === "other" ? settled.node : first;
  if (made.kind === "call" && made.isNew) {
    const callee = values.settle(made.callee, undefined);
    if (
      callee.kind === "declared" &&
      callee.refs.some((ref) =>
        oneOrMore(classes).some(
          (name) => ref.name === name || ref.name === `${name}_base` || ref.container === `${name}_base`,
        ),
      )
    )
      return true;
  }
  return typesOf(first).some((type) => oneOrMore(classes).includes(type.name));
}
