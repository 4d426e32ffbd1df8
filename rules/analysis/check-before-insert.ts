import type { FileAnalysis } from "./analysis.js";
import type { CallNode, Node } from "./code/node.js";
import { nameOfCallee } from "./effects.js";
import { guardsOf } from "./guards.js";
import { isClientName, workOf } from "./words.js";

/** The look-up that found nothing, so that a row is inserted into the same table. */
export function checkBefore(insert: CallNode, analysis: FileAnalysis): CallNode | undefined {
  if (!isInsert(insert, analysis)) return undefined;
  const { clientNames } = analysis.knowledge;
  const subjects = subjectsOf(insert, clientNames);
  return guardsOf(insert, analysis)
    .map(({ read }) => lookUpIn(read))
    .find((look) => look && subjectsOf(look, clientNames).some((subject) => subjects.includes(subject)));
}

function isInsert(call: CallNode, { effects, knowledge }: FileAnalysis): boolean {
  const name = nameOfCallee(call);
  if (!knowledge.stores.hasName(name) || /upsert|ignore|update/i.test(name ?? "")) return false;
  const { refs } = effects.calledBy(call, undefined);
  return knowledge.stores
    .find(refs)
    .some(({ entry }) => entry.insertsIn === undefined || /insert\s+into/i.test(textOf(call)));
}

/** The call of a chain that asks: `findOne`, `select`, `first`. */
function lookUpIn(call: CallNode): CallNode | undefined {
  const name = nameOfCallee(call) ?? "";
  if (workOf(name, []) === "reads" || /^(?:select|first|query|execute|from|where|limit)/i.test(name)) return call;
  const { callee } = call;
  return callee.kind === "member" && callee.object.kind === "call" ? lookUpIn(callee.object) : undefined;
}

/** What a call is about: the table, model or collection, as the code names it. */
function subjectsOf(call: CallNode, clientNames: ReadonlySet<string>): readonly string[] {
  const [, table] = /["'`][^"'`]*\b(?:into|from)\s+["'`]?([\w.]+)/i.exec(textOf(call)) ?? [];
  const subjects = table === undefined ? [] : [table.toLowerCase()];
  let node: Node = call.callee;
  for (;;) {
    if (node.kind === "call") {
      const [first] = node.args;
      if (first && isWord(first)) subjects.push(textOf(first).replaceAll(/["'`]/g, "").toLowerCase());
      node = node.callee;
    } else if (node.kind === "member") {
      const { object }: { object: Node } = node;
      const name = object.kind === "member" ? object.property : object.kind === "name" ? object.text : undefined;
      const isClient = name !== undefined && (isClientName(name) || clientNames.has(name.toLowerCase()));
      if (name !== undefined && !isClient) subjects.push(name.toLowerCase());
      else if (name !== undefined && node === call.callee && call.args[0] && isWord(call.args[0]))
        subjects.push(textOf(call.args[0]).replaceAll(/["'`]/g, "").toLowerCase());
      if (name !== undefined) break;
      node = object;
    } else break;
  }
  return subjects;
}

function isWord(node: Node): boolean {
  return (
    node.kind === "name" ||
    node.kind === "member" ||
    (node.kind === "literal" && typeof node.value === "string" && /^[\w.]+$/.test(node.value))
  );
}

function textOf(node: Node): string {
  return node.file.text.slice(node.start, node.end);
}
