import type { IgnoringStatement, InsertIgnore } from "../catalogue/vocabulary.js";
import type { FileAnalysis, Program } from "./analysis.js";
import { childrenOf, type CallNode, type Node, type TemplateNode } from "./code/node.js";
import { databasesNamed } from "./database-settings.js";
import { argumentAt } from "./deferral.js";
import { nameOfCallee } from "./effects.js";
import { execute } from "./execution.js";
import type { Frame } from "./values.js";

/** An insert that skips more rows than the duplicates that it is meant to skip. */
export interface IgnoringInsert {
  readonly node: CallNode | TemplateNode;
  readonly statement: IgnoringStatement;
  /** The member that becomes it; absent: the statement is written as SQL. */
  readonly member: string | undefined;
  /** The table, where the SQL names it. */
  readonly table: string | undefined;
}

/** Calls followed from the statement to what sends it. */
const DEPTH = 3;

const inSql =
  /^\s*(?:(?:--[^\n]*\n|\/\*[^]*?\*\/)\s*)*insert\s+(?:(?:low_priority|high_priority|delayed)\s+)?((?:or\s+)?ignore)\b(?:\s+into)?\s+["'`[]?([\w.$]*)/i;

/** The inserts of a file that ignore errors. */
export function ignoringInsertsIn(analysis: FileAnalysis): readonly IgnoringInsert[] {
  const { file, knowledge } = analysis;
  const hasSql = /IGNORE|[iI]gnore/.test(file.text) && /\binsert\s+(?:\w+\s+)?ignore\b/i.test(file.text);
  const hasMember = [...knowledge.insertIgnores.names].some((name) => file.text.includes(name));
  if (!hasSql && !hasMember) return [];
  const found: IgnoringInsert[] = [];
  const visit = (node: Node): void => {
    const one =
      node.kind === "call"
        ? ((hasSql ? bySql(node, undefined, analysis, 0) : undefined) ?? byMember(node, analysis))
        : node.kind === "template" && node.tag && hasSql
          ? byTag(node, node.tag, analysis)
          : undefined;
    if (one && (node.kind === "call" || node.kind === "template")) found.push({ ...one, node });
    for (const child of childrenOf(node)) visit(child);
  };
  visit(file.root);
  return found;
}

type Found = Omit<IgnoringInsert, "node">;

/** SQL that a call sends or prepares, by itself or as a function of the project around one. */
function bySql(call: CallNode, frame: Frame | undefined, analysis: FileAnalysis, depth: number): Found | undefined {
  const { effects, knowledge, semantics, values } = analysis;
  const name = nameOfCallee(call);
  const isSql = knowledge.sql.hasName(name) || knowledge.stores.hasName(name);
  const [text] = call.args;
  if (!text || call.isNew || depth > DEPTH) return undefined;
  // what a function of the project is given has to say so by itself
  if (!isSql && frame === undefined && text.kind !== "literal" && text.kind !== "template") return undefined;
  const statement = statementIn(textOf(text, frame, analysis));
  if (!statement) return undefined;
  const { callee, refs } = effects.calledBy(call, frame);
  const known = refs.length > 0 || callee.kind === "closure" ? refs : semantics.signatureOf(call);
  if (knowledge.sql.find(known).length > 0) return statement;
  if (knowledge.stores.find(known).some(({ entry }) => entry.insertsIn === 0)) return statement;
  if (callee.kind !== "closure" || !callee.fn.body) return undefined;
  const result: { found?: Found | undefined } = {};
  execute(callee.fn.body, values.enter(callee, call, frame), values, {
    call: (inner, innerFrame) => {
      result.found = bySql(inner, innerFrame, analysis, depth + 1);
      return result.found !== undefined;
    },
  });
  return result.found;
}

function byTag(template: TemplateNode, tag: Node, { knowledge, semantics, values }: FileAnalysis): Found | undefined {
  const statement = statementIn(template.strings.join("?"));
  if (!statement) return undefined;
  const settled = values.settle(tag, undefined);
  const refs = settled.kind === "declared" ? settled.refs : [];
  const called = semantics.typesOf(tag).map((type) => ({ ...type, container: type.name, name: "()" }));
  return knowledge.sql.find([...refs, ...called]).length > 0 ? statement : undefined;
}

function byMember(call: CallNode, analysis: FileAnalysis): Found | undefined {
  const { effects, knowledge, semantics } = analysis;
  const name = nameOfCallee(call);
  if (name === undefined || !knowledge.insertIgnores.hasName(name)) return undefined;
  if (knowledge.insertIgnores.named(name).every(({ entry }) => entry.when && !isOn(call, entry.when, analysis)))
    return undefined;
  const { refs } = effects.calledBy(call, undefined);
  for (const { entry } of knowledge.insertIgnores.find(refs.length > 0 ? refs : semantics.signatureOf(call))) {
    if (entry.when && !isOn(call, entry.when, analysis)) continue;
    const statement = typeof entry.as === "string" ? entry.as : statementOf(entry.as, analysis);
    const member = entry.when ? `${entry.when.path ?? ""}: true` : `.${name}()`;
    if (statement) return { statement, member, table: undefined };
  }
  return undefined;
}

function isOn(
  call: CallNode,
  { argument, path = "" }: NonNullable<InsertIgnore["when"]>,
  { values }: Program,
): boolean {
  const options = argumentAt(call, argument);
  const settled = options && values.step(values.settle(options, undefined), path.split("."));
  return settled?.kind === "other" && settled.node.kind === "literal" && settled.node.value === true;
}

/** The statement for the database that the project names, if it names one kind only. */
function statementOf(
  { option, databases }: Exclude<InsertIgnore["as"], string>,
  { semantics }: Program,
): IgnoringStatement | undefined {
  const found = new Set([...databasesNamed(option, semantics)].flatMap((name) => databases[name] ?? []));
  const [first] = found;
  return found.size === 1 && first !== "ON CONFLICT" ? first : undefined;
}

function textOf(text: Node, frame: Frame | undefined, { values }: Program): unknown {
  if (text.kind === "template") return text.strings.join("?");
  if (text.kind === "object") {
    const property = text.properties.find(({ key }) => key === "text" || key === "sql");
    return property && textOf(property.value, frame, { values } as Program);
  }
  const settled = values.settle(text, frame);
  if (settled.kind !== "other") return undefined;
  return settled.node.kind === "template"
    ? settled.node.strings.join("?")
    : settled.node.kind === "literal"
      ? settled.node.value
      : undefined;
}

function statementIn(text: unknown): Found | undefined {
  const [, words, table = ""] = typeof text === "string" ? (inSql.exec(text) ?? []) : [];
  if (words === undefined) return undefined;
  return {
    statement: /^or\b/i.test(words) ? "INSERT OR IGNORE" : "INSERT IGNORE",
    member: undefined,
    table: table === "" ? undefined : table,
  };
}
