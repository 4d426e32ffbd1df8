import type { FileAnalysis } from "./analysis.js";
import { callersOf, type HandlerPath } from "./callers.js";
import { enclosingFunction, type CallNode, type FunctionNode, type Node } from "./code/node.js";
import { nameOfDecorator } from "./decorators.js";
import { nameOfCallee } from "./effects.js";
import { isGuarded } from "./guarded-insert.js";
import { guardsOf } from "./guards.js";
import { insertIn } from "./insert-text.js";
import { oneOrMore, parseMember } from "./knowledge.js";
import { occurrences } from "./occurrences.js";
import { originsOf } from "./origin.js";
import { isOfSameRow, linksOf } from "./same-row.js";
import { isRunAlone } from "./test-file.js";
import { isLedgerName } from "./words.js";

/** An insert that only happens where a read found nothing, with nothing that keeps a second one from doing the same. */
export interface CheckedInsert {
  readonly insert: CallNode;
  readonly read: CallNode;
  /** What reads and inserts are about: `order`, `processed_events`. */
  readonly table: string;
  readonly isLedger: boolean;
  /** What inserts in one statement. */
  readonly instead: string | undefined;
  /** The handler whose jobs are delivered again, where one leads here. */
  readonly path: HandlerPath | undefined;
}

interface Access {
  readonly table: string;
  readonly instead: string | undefined;
}

/** One at a time, by other means. */
const serialised =
  /for\s+(?:no\s+key\s+)?update|forUpdate|setLock|pessimistic|advisory|\block\b|[lL]ock\(|with\w*Lock|lock\.(?:using|acquire)\(|mutex|semaphore|runExclusive|serializable|LOCK\b/i;
/** The violation of the unique key is expected. */
const expected = /P2002|23505|11000|1062|ER_DUP|duplicate|unique|already.?exists|constraint|conflict/i;

/** The inserts of a file that a read decides about. */
export function checkedInsertsIn(analysis: FileAnalysis): readonly CheckedInsert[] {
  const { file, knowledge } = analysis;
  if (isRunAlone(file.path) || !/\bif\b|\?\?|\|\||\?/.test(file.text)) return [];
  const names = [...knowledge.inserts.names].filter((name) => file.text.includes(`.${name}(`));
  const hasSql = /\binsert\s+into\b/i.test(file.text) && /\bselect\b/i.test(file.text);
  if (names.length === 0 && !hasSql) return [];
  const sqlNames = hasSql ? [...knowledge.sql.names, ...knowledge.stores.names] : [];
  const calls = [...new Set([...names, ...sqlNames])].flatMap((name) => callsOf(name, analysis));
  return calls.flatMap((call) => checked(call, hasSql, analysis) ?? []);
}

function callsOf(name: string, { file }: FileAnalysis): readonly CallNode[] {
  return /^[\w$]+$/.test(name) && file.text.includes(name)
    ? occurrences(file, name).flatMap((node) =>
        node.parent?.kind === "call" && node.parent.callee === node ? [node.parent] : [],
      )
    : [];
}

/** Everything that the code alone tells comes before the first question about types. */
function checked(insert: CallNode, hasSql: boolean, analysis: FileAnalysis): CheckedInsert | undefined {
  const fn = enclosingFunction(insert);
  const text = fn && hasSql ? sqlOf(insert) : undefined;
  const name = nameOfCallee(insert);
  if (!fn || insert.isNew || !(text !== undefined || analysis.knowledge.inserts.hasName(name))) return undefined;
  const inSql = text === undefined ? undefined : insertIn(text);
  if (inSql ? inSql.isGuarded : isGuarded(insert, undefined)) return undefined;
  const guards = guardsOf(insert, analysis);
  if (guards.length === 0 || isSerialised(fn) || isExpected(insert) || isHook(fn, analysis)) return undefined;
  for (const { read, isEnd } of guards) {
    const table = inSql ? tableOfSqlRead(read) : undefined;
    if (inSql && table !== inSql.table.toLowerCase()) continue;
    if (!isOfSameRow(read, insert)) continue;
    const access = inSql ? sqlAccess(insert, inSql.table, analysis) : memberAccess(insert, read, analysis);
    if (!access) continue;
    const isLedger = isLedgerName(access.table);
    // a refusal of a second one is for the person who asks; the database still has the last word
    if (isEnd === "refusal" && !isLedger) continue;
    return { insert, read, ...access, isLedger, path: callersOf(analysis).handlerAbove(fn) };
  }
  return undefined;
}

function isSerialised(fn: FunctionNode): boolean {
  for (let around: FunctionNode | undefined = fn; around; around = enclosingFunction(around)) {
    const call = around.parent;
    const text = call?.kind === "call" && call.args.includes(around) ? textOf(call) : textOf(around);
    if (serialised.test(text)) return true;
  }
  return false;
}

/** What an ORM calls about a row that is new is alone with it. */
function isHook({ decorators }: FunctionNode, { knowledge }: FileAnalysis): boolean {
  return decorators.some((decorator) => knowledge.hookDecorators.hasName(nameOfDecorator(decorator)));
}

/** Whether the insert stands in a `try` (or before a `.catch`) that knows of the violation. */
function isExpected(insert: CallNode): boolean {
  for (let inner: Node = insert, around = insert.parent; around; inner = around, around = around.parent) {
    if (around.kind === "try" && around.block === inner && around.handler && expected.test(textOf(around.handler)))
      return true;
    if (around.kind === "member" && around.object === inner && around.property === "catch") return true;
    if (around.kind === "function" && around.owner) return false;
  }
  return false;
}

// the table

function memberAccess(insert: CallNode, read: CallNode, analysis: FileAnalysis): Access | undefined {
  const { effects, knowledge, semantics } = analysis;
  const candidates = knowledge.inserts.named(nameOfCallee(insert));
  // names first: of what is read and of what is inserted
  const meant = candidates.filter(({ library, entry }) => {
    const table = tableOf(insert, entry.table);
    return (
      table !== undefined &&
      readingLinksOf(read).some((link) =>
        (library.reads ?? []).some(
          (access) =>
            oneOrMore(access.member).some((member) => parseMember(member).name === nameOfCallee(link)) &&
            tableOf(link, access.table) === table,
        ),
      )
    );
  });
  if (meant.length === 0) return undefined;
  const { refs } = effects.calledBy(insert, undefined);
  const [known] = knowledge.inserts.find(refs.length > 0 ? refs : semantics.signatureOf(insert));
  if (!known || !meant.some(({ library }) => library === known.library)) return undefined;
  const table = tableOf(insert, known.entry.table);
  return table === undefined ? undefined : { table, instead: known.entry.instead };
}

/** The calls of a chain that reads; none where it changes rows. */
function readingLinksOf(read: CallNode): readonly CallNode[] {
  const links = linksOf(read);
  const changes = links.some((link) =>
    /^(?:insert|update|delete|del|patch|upsert|merge)/.test(nameOfCallee(link) ?? ""),
  );
  return changes ? [] : links;
}

function tableOf(call: CallNode, at: "receiver" | "chain" | number): string | undefined {
  if (typeof at === "number") return nameOfTable(call.args[at]);
  if (call.callee.kind !== "member") return undefined;
  if (at === "receiver") {
    const { object } = call.callee;
    // `manager.getRepository(Order)`, `connection.getRepository(ctx, Order)`, `db.collection("orders")`
    return nameOfTable(object.kind === "call" ? object.args.findLast(nameOfTable) : object);
  }
  const first = linksOf(call).at(-1);
  if (!first) return undefined;
  return first.args.length > 0
    ? nameOfTable(first.args[0])
    : first.callee.kind === "member"
      ? nameOfTable(first.callee.object)
      : undefined;
}

function nameOfTable(node: Node | undefined): string | undefined {
  if (node?.kind === "name") return node.text;
  if (node?.kind === "member") return node.property;
  return node?.kind === "literal" && typeof node.value === "string" ? node.value : undefined;
}

// SQL

function sqlOf(call: CallNode): string | undefined {
  const [first] = call.args;
  const text =
    first?.kind === "template"
      ? first.strings.join("?")
      : first?.kind === "literal" && typeof first.value === "string"
        ? first.value
        : undefined;
  return text !== undefined && insertIn(text) ? text : undefined;
}

function tableOfSqlRead(read: CallNode): string | undefined {
  const [first] = read.args;
  const text =
    first?.kind === "template" ? first.strings.join("?") : first?.kind === "literal" ? String(first.value) : "";
  const [, table] = /^\s*select\b[^]*?\bfrom\s+["'`]?([\w.]+)/i.exec(text) ?? [];
  return table?.toLowerCase();
}

function sqlAccess(
  insert: CallNode,
  table: string,
  { effects, knowledge, semantics }: FileAnalysis,
): Access | undefined {
  const { refs } = effects.calledBy(insert, undefined);
  const known = refs.length > 0 ? refs : semantics.signatureOf(insert);
  const isSql =
    knowledge.sql.find(known).length > 0 ||
    knowledge.stores.find(known).some(({ entry }) => entry.insertsIn !== undefined);
  return isSql ? { table, instead: "`ON CONFLICT` or a `catch` for the unique violation" } : undefined;
}

/** Whether a row gets an id by chance in a job handler: with an id from the payload the second insert would meet the first. */
export function hasRandomId({ insert }: CheckedInsert, analysis: FileAnalysis): boolean {
  const origins = originsOf(analysis);
  return origins
    .randomValuesIn(analysis)
    .some(({ call }) =>
      origins
        .arrivalsOf(call)
        .some(
          ({ at, top, kind }) => at === insert && kind === "stored" && top && callersOf(analysis).handlerAbove(top),
        ),
    );
}

function textOf({ file, start, end }: Node): string {
  return file.text.slice(start, end);
}
