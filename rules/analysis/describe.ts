import type { Arrival } from "./arrivals.js";
import type { HandlerPath } from "./callers.js";
import { lineOf, type FunctionNode, type Node } from "./code/node.js";
import { nameOfCallee, nameOfVariable } from "./effects.js";

/** Where a value arrives, as seen from its origin: `` `prisma.order.create` (line 31) ``. */
export function describeArrival(from: Node, arrival: Pick<Arrival, "at" | "label">): string {
  return `\`${arrival.label}\` (${placeOf(arrival.at, from)})`;
}

/** Code in a message: one line, and not too much of it. */
export function textOf({ file, start, end }: Node): string {
  const text = file.text.slice(start, end).replaceAll(/\s+/g, " ");
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/** A callee as a reader finds it again: the end of a long chain, without what was passed on the way. */
export function calleeText(node: Node): string {
  const callee = node.kind === "call" ? node.callee : node.kind === "template" ? (node.tag ?? node) : node;
  const text = callee.file.text.slice(callee.start, callee.end);
  const short = text.replaceAll(/\((?:[^()]|\([^()]*\))*\)/g, "(…)").replaceAll(/\s+/g, "");
  return short.length > 60 ? `…${short.slice(-59)}` : short;
}

/** The way down from the handler: "It runs in the job handler `confirm` (src/worker.ts:3), through `store`." */
export function describeHandler({ handler, steps }: HandlerPath, from: Node): string {
  const [first, ...below] = steps;
  const name = first && nameOfFunction(first);
  const registration = handler.registration && nameOfCallee(handler.registration);
  const what =
    name !== undefined
      ? `the job handler \`${name}\``
      : registration !== undefined
        ? `the job handler given to \`${registration}\``
        : "a job handler";
  const named = below.flatMap((fn) => nameOfFunction(fn) ?? []);
  const way = named.length === 0 ? "" : `, through ${named.map((step) => `\`${step}\``).join(" → ")}`;
  return `It runs in ${what} (${placeOf(first ?? handler.fn, from)})${way}.`;
}

function nameOfFunction(fn: FunctionNode): string | undefined {
  const name = fn.name ?? nameOfVariable(fn);
  const owner = fn.owner?.kind === "class" ? fn.owner.name : undefined;
  return owner === undefined || name === undefined ? name : `${owner}.${name}`;
}

function placeOf(node: Node, from: Node): string {
  const line = String(lineOf(node.file, node.start));
  return node.file === from.file ? `line ${line}` : `${relative(node.file.path, from.file.path)}:${line}`;
}

/** A path without the folders that both files share, but never less than its folder and name. */
function relative(path: string, from: string): string {
  const parts = path.split("/");
  const others = from.split("/");
  let shared = 0;
  while (shared < parts.length - 2 && parts[shared] === others[shared]) shared++;
  return parts.slice(shared).join("/");
}
