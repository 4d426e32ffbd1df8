import type { FileAnalysis } from "./analysis.js";
import { memberRef } from "./annotations.js";
import { childrenOf, enclosingFunction, type CallNode, type Node, type TemplateNode } from "./code/node.js";
import { nameOfCallee } from "./effects.js";
import { execute } from "./execution.js";
import { oneOrMore, type EntryOf } from "./knowledge.js";
import type { Ref } from "./semantics.js";
import type { Frame } from "./values.js";

/** A statement that only means something on one connection, sent through a pool. */
export interface PooledControl {
  readonly node: CallNode | TemplateNode;
  /** `BEGIN`, `SET LOCAL`, as it is written. */
  readonly word: string;
  /** What the pool is called where the statement is sent. */
  readonly pool: string;
  readonly entry: EntryOf<"sql">;
}

type Sent = Omit<PooledControl, "node">;

/** Calls followed from the statement to the pool. */
const DEPTH = 3;

/** One such statement and nothing behind it: several in one text share a connection. What was prepared may be ended anywhere. */
const control =
  /^\s*(?:\/\*.*?\*\/\s*)*(begin|start\s+transaction|commit|end|rollback\s+to|rollback|abort|savepoint|release|set\s+local|set\s+transaction)\b(?!\s+prepared)[^;]*;?\s*$/i;
const controlInText =
  /["'`]\s*(?:begin|start\s+transaction|commit|end|rollback|abort|savepoint|release|set\s+local|set\s+transaction)\b/i;

/** The transaction control of a file that goes through a pool. */
export function pooledControlIn(analysis: FileAnalysis): readonly PooledControl[] {
  if (!controlInText.test(analysis.file.text)) return [];
  if (!analysis.knowledge.libraries.some(({ sql = [] }) => sql.some(({ instead }) => instead !== undefined))) return [];
  const found: PooledControl[] = [];
  const visit = (node: Node): void => {
    const sent =
      node.kind === "call"
        ? sentBy(node, undefined, analysis, 0)
        : node.kind === "template" && node.tag
          ? sentByTag(node, node.tag, analysis)
          : undefined;
    if (sent && (node.kind === "call" || node.kind === "template") && isRunHere(node, sent.entry))
      found.push({ node, ...sent });
    for (const child of childrenOf(node)) visit(child);
  };
  visit(analysis.file.root);
  return found;
}

/** The control that a call sends through a pool, by itself or as a function of the project around one. */
function sentBy(call: CallNode, frame: Frame | undefined, analysis: FileAnalysis, depth: number): Sent | undefined {
  const { effects, knowledge, values } = analysis;
  const { callee } = call;
  const [text] = call.args;
  const name = nameOfCallee(call);
  const isSql = knowledge.sql.hasName(name);
  if (!text || call.isNew || depth > DEPTH || !(isSql || isWritten(text, frame))) return undefined;
  const word = wordOf(text, frame, analysis);
  if (word === undefined) return undefined;
  if (isSql && callee.kind === "member" && name !== undefined) {
    const entry = poolOf(callee.object, name, analysis);
    if (entry) return { word, pool: textOf(callee.object), entry };
    if (analysis.semantics.typesOf(callee.object).some(({ isProject }) => !isProject)) return undefined;
  }
  const { callee: called } = effects.calledBy(call, frame);
  if (called.kind !== "closure" || !called.fn.body) return undefined;
  const result: { sent?: Sent | undefined } = {};
  execute(called.fn.body, values.enter(called, call, frame), values, {
    call: (inner, innerFrame) => {
      result.sent = sentBy(inner, innerFrame, analysis, depth + 1);
      return result.sent !== undefined;
    },
  });
  return result.sent;
}

function sentByTag(template: TemplateNode, tag: Node, analysis: FileAnalysis): Sent | undefined {
  const word = wordIn(template.strings.join(""));
  if (word === undefined) return undefined;
  const entry =
    tag.kind === "member"
      ? poolOf(tag.object, tag.property ?? "", analysis)
      : (poolOf(tag, "()", analysis) ?? exportedPool(tag, analysis));
  return entry && { word, pool: textOf(tag.kind === "member" ? tag.object : tag), entry };
}

/** What the catalogue says of a receiver that is surely a pool of several connections. */
function poolOf(receiver: Node, name: string, analysis: FileAnalysis): EntryOf<"sql"> | undefined {
  const { knowledge, semantics } = analysis;
  const known = semantics.typesOf(receiver).flatMap((type): { type: Ref; entry: EntryOf<"sql"> | undefined }[] => {
    const [sql] = knowledge.sql.find([memberRef(type, name)]);
    return sql || knowledge.handlesOf([type]).length > 0 ? [{ type, entry: sql?.entry }] : [];
  });
  const [first, ...others] = known;
  const { entry } = first ?? {};
  if (entry?.on !== "pool" || entry.instead === undefined) return undefined;
  // a union may be a connection
  const rest = others.filter(({ entry: other }) => other?.on !== "pool").map(({ type }) => type.name);
  const isOne = rest.some((other) => !oneOrMore(entry.inherits).includes(other)) || new Set(rest).size < rest.length;
  return isOne || isOfSizeOne(receiver, entry, analysis) ? undefined : entry;
}

/** An exported tag that is a pool by itself: `` sql`BEGIN` ``. */
function exportedPool(tag: Node, { knowledge, values }: FileAnalysis): EntryOf<"sql"> | undefined {
  const settled = values.settle(tag, undefined);
  const [known] = settled.kind === "declared" ? knowledge.sql.find(settled.refs) : [];
  return known?.entry.instead === undefined ? undefined : known.entry;
}

/** Whether the file, or the one that makes the pool, sets its size to one. */
function isOfSizeOne(receiver: Node, { size }: EntryOf<"sql">, { semantics }: FileAnalysis): boolean {
  if (size === undefined) return false;
  const definition =
    receiver.kind === "name"
      ? semantics.definitionOfName(receiver)
      : receiver.kind === "member"
        ? semantics.definitionOfMember(receiver)
        : undefined;
  const made =
    definition?.kind === "variable"
      ? definition.declarator
      : definition?.kind === "field"
        ? definition.field
        : undefined;
  const isOne = new RegExp(`\\b${size}["']?\\s*:\\s*1\\b`);
  return [receiver.file, ...(made ? [made.file] : [])].some(({ text }) => isOne.test(text));
}

/** What a function of the project is given has to say so by itself. */
function isWritten(text: Node, frame: Frame | undefined): boolean {
  return frame !== undefined || wordIn(text.kind === "literal" ? text.value : undefined) !== undefined;
}

function wordOf(text: Node, frame: Frame | undefined, { values }: FileAnalysis): string | undefined {
  if (text.kind === "template") return wordIn(text.strings.join("x"));
  if (text.kind === "object") {
    const property = text.properties.find(({ key }) => key === "text" || key === "sql");
    return property && wordIn(values.constant(property.value, frame)?.value);
  }
  return wordIn(values.constant(text, frame)?.value);
}

function wordIn(text: unknown): string | undefined {
  const [, word] = typeof text === "string" ? (control.exec(text) ?? []) : [];
  return word?.toUpperCase().replaceAll(/\s+/g, " ");
}

/** Whether the statement is sent where it stands, and not handed to something that sends several together. */
function isRunHere({ parent }: Node, { batched }: EntryOf<"sql">): boolean {
  if (parent?.kind === "array" || parent?.kind === "spread") return false;
  return !batched || parent?.kind === "await" || parent?.kind === "block" || parent?.kind === "member";
}

function textOf(node: Node): string {
  return node.file.text.slice(node.start, node.end).replaceAll(/\s+/g, " ");
}

/** Of statements that belong together (same function, same pool) the first, with the others. */
export function groupsOf(
  controls: readonly PooledControl[],
): readonly { readonly first: PooledControl; readonly others: readonly PooledControl[] }[] {
  const groups = new Map<string, PooledControl[]>();
  for (const one of controls) {
    const key = `${String(outermost(one.node)?.start)} ${one.pool}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].flatMap(([first, ...others]) => (first ? [{ first, others }] : []));
}

/** The outermost function or method around a node: callbacks nest, and their statements belong together. */
function outermost(node: Node): Node | undefined {
  let found: Node | undefined;
  for (let fn = enclosingFunction(node); fn; fn = enclosingFunction(fn)) {
    found = fn;
    if (fn.owner) break;
  }
  return found;
}
