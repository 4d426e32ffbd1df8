import type { FileAnalysis } from "./analysis.js";
import { enclosingFunction, type CallNode, type ConditionalNode, type NameNode, type Node } from "./code/node.js";
import { nameOfCallee } from "./effects.js";
import { isClientName, workOf } from "./words.js";

/** The look-up whose answer decides whether a row is inserted into the same table. */
export function checkBefore(insert: CallNode, analysis: FileAnalysis): CallNode | undefined {
  if (!isInsert(insert, analysis)) return undefined;
  const subjects = subjectsOf(insert);
  for (const test of testsBefore(insert)) {
    const name = testedName(test);
    const definition = name && analysis.semantics.definitionOfName(name);
    const init = definition?.kind === "variable" ? definition.declarator.init : undefined;
    const asked = init?.kind === "await" ? init.argument : init;
    const look = asked?.kind === "call" ? lookUpIn(asked) : undefined;
    if (look && subjectsOf(look).some((subject) => subjects.includes(subject))) return look;
  }
  return undefined;
}

function isInsert(call: CallNode, { effects, knowledge }: FileAnalysis): boolean {
  const name = nameOfCallee(call);
  if (!knowledge.stores.hasName(name) || /upsert|ignore|update/i.test(name ?? "")) return false;
  const { refs } = effects.calledBy(call, undefined);
  return knowledge.stores
    .find(refs)
    .some(({ entry }) => entry.insertsIn === undefined || /insert\s+into/i.test(textOf(call)));
}

/** The conditions on which a call depends: of branches around it, and of those that leave before it. */
function testsBefore(call: CallNode): readonly Node[] {
  const tests: Node[] = [];
  const fn = enclosingFunction(call);
  for (let node: Node = call; node.parent && node !== fn; node = node.parent) {
    const { parent }: Node = node;
    if ((parent.kind === "if" || parent.kind === "conditional") && node !== parent.test) tests.push(parent.test);
    if (parent.kind === "block")
      tests.push(
        ...parent.body
          .slice(0, parent.body.indexOf(node))
          .filter(isLeaving)
          .map(({ test }) => test),
      );
  }
  return tests;
}

function isLeaving(node: Node): node is ConditionalNode {
  if (node.kind !== "if" || node.otherwise) return false;
  const last = node.then.kind === "block" ? node.then.body.at(-1) : node.then;
  return last?.kind === "return" || last?.kind === "throw";
}

/** `existing`, `!existing`, `existing !== null`, `rows.length > 0`. */
function testedName(test: Node): NameNode | undefined {
  switch (test.kind) {
    case "name":
      return test;
    case "unary":
      return test.operator === "!" ? testedName(test.argument) : undefined;
    case "binary":
      return test.operator === "&&" ||
        test.operator === "||" ||
        test.right.kind === "literal" ||
        test.right.kind === "name"
        ? testedName(test.left)
        : undefined;
    case "member":
      return ["length", "size", "rowCount", "exists"].includes(test.property ?? "") ||
        (test.object.kind === "name" && test.index !== undefined)
        ? rootOf(test)
        : undefined;
    default:
      return undefined;
  }
}

function rootOf(node: Node): NameNode | undefined {
  let root = node;
  while (root.kind === "member") root = root.object;
  return root.kind === "name" ? root : undefined;
}

/** The call of a chain that asks: `findOne`, `select`, `first`. */
function lookUpIn(call: CallNode): CallNode | undefined {
  const name = nameOfCallee(call) ?? "";
  if (workOf(name, []) === "reads" || /^(?:select|first|query|execute|from|where|limit)/i.test(name)) return call;
  const { callee } = call;
  return callee.kind === "member" && callee.object.kind === "call" ? lookUpIn(callee.object) : undefined;
}

/** What a call is about: the table, model or collection, as the code names it. */
function subjectsOf(call: CallNode): readonly string[] {
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
      if (name !== undefined && !isClientName(name)) subjects.push(name.toLowerCase());
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
