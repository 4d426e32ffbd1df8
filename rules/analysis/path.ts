import { lineOf, type CallNode, type Node, type TemplateNode } from "./code/node.js";
import { nameOfCallee, nameOfVariable } from "./effects.js";

/**
 * The way from a report to what it is about, for the message: ` Path: OrderService.confirm → Mailer.welcome
 * (src/mailer.ts:12) → Queue.add (src/mailer.ts:31).` Empty where the report stands at the place itself.
 */
export function describePath(from: Node, path: readonly (CallNode | TemplateNode)[]): string {
  if (path.length < 2) return "";
  const root = commonFolder(path.map((step) => step.file.path));
  const steps = path.map((step, index) =>
    index === 0 && step === from
      ? nameOfStep(step)
      : `${nameOfStep(step)} (${step.file.path.slice(root.length)}:${String(lineOf(step.file, step.start))})`,
  );
  return ` Path: ${steps.join(" → ")}.`;
}

/** What a call calls, as a reader would say it: `mailer.welcome`. */
function nameOfStep(call: CallNode | TemplateNode): string {
  if (call.kind === "template") return call.tag?.kind === "name" ? call.tag.text : "query";
  const { callee } = call;
  const name =
    nameOfCallee(call) ??
    (callee.kind === "call"
      ? nameOfStep(callee)
      : callee.kind === "function"
        ? (callee.name ?? nameOfVariable(callee))
        : undefined) ??
    "function";
  if (callee.kind !== "member") return name;
  const { object } = callee;
  const of =
    object.kind === "name"
      ? object.text
      : object.kind === "member"
        ? object.property
        : object.kind === "this"
          ? "this"
          : undefined;
  return of === undefined ? name : `${of}.${name}`;
}

function commonFolder(paths: readonly string[]): string {
  const [first = ""] = paths;
  let length = first.lastIndexOf("/") + 1;
  while (length > 0 && !paths.every((path) => path.startsWith(first.slice(0, length))))
    length = first.lastIndexOf("/", length - 2) + 1;
  return first.slice(0, length);
}
