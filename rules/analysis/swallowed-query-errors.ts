import type { FileAnalysis } from "./analysis.js";
import { handleUsedIn } from "./concurrent-queries.js";
import { childrenOf, enclosingFunction, type CallNode, type FunctionNode, type Node } from "./code/node.js";
import { databasesNamed } from "./database-settings.js";
import { nameOfCallee } from "./effects.js";
import { endsInThrow } from "./execution.js";
import { oneOrMore } from "./knowledge.js";
import { callsIn } from "./mention.js";
import { mayStandInTransaction, openHandle, type OpenHandle } from "./open-handles.js";
import { receiverOf } from "./opened-on.js";
import { isChainTop } from "./query-chain.js";
import { mayHoldTransactions } from "./transaction-gate.js";

/** An insert of a transaction whose error is kept from it, so that it goes on although the server has given it up. */
export interface SwallowedError {
  /** The `catch` block, or the call of `catch`. */
  readonly node: Node;
  readonly statement: CallNode;
  readonly handle: OpenHandle;
}

const reporters =
  /^(?:log|warn|error|info|debug|trace|verbose|fatal|child|capture\w*|record\w*|add\w*Tag|String|stringify)$/;

/** The swallowed errors of a file whose transactions then pretend to commit. */
export function swallowedErrorsIn(analysis: FileAnalysis): readonly SwallowedError[] {
  const { file, knowledge } = analysis;
  if (!file.text.includes("catch") || !knowledge.libraries.some(({ hiddenRollback }) => hiddenRollback)) return [];
  if (!mayHoldTransactions(analysis)) return [];
  const found: SwallowedError[] = [];
  const visit = (node: Node): void => {
    if (node.kind === "try" && node.handler && mayStandInTransaction(node, analysis)) {
      const one = insertIn(node.block, analysis);
      const parameter = parameterOf(node.handler);
      if (one && isSwallowed(node.handler, parameter, analysis)) found.push({ node: node.handler, ...one });
    } else if (node.kind === "call" && nameOfCallee(node) === "catch" && mayStandInTransaction(node, analysis)) {
      const [caught] = node.args;
      const tried = node.callee.kind === "member" ? node.callee.object : undefined;
      const one = tried && caught?.kind === "function" ? insertIn(tried, analysis) : undefined;
      if (one && caught?.kind === "function" && caught.body && !isThrown(caught.body)) {
        const [parameter] = caught.params;
        const name = parameter?.target.kind === "name" ? parameter.target.text : undefined;
        if (isSwallowed(caught.body, name, analysis)) found.push({ node, ...one });
      }
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(file.root);
  return found;
}

/** An insert over the handle of a transaction that hides its rollback, in the code itself. */
function insertIn(node: Node, analysis: FileAnalysis): Omit<SwallowedError, "node"> | undefined {
  const fn = enclosingFunction(node);
  for (const statement of callsIn(node)) {
    if (enclosingFunction(statement) !== fn || !isChainTop(statement) || !isInsert(statement, analysis)) continue;
    const handle = handleUsedIn(statement, analysis);
    if (!handle || (handle.body && handle.body !== fn) || isNested(handle, analysis)) continue;
    if (fn && /savepoint/i.test(fn.file.text.slice(fn.start, fn.end))) continue;
    if (hidesRollback(handle, analysis)) return { statement, handle };
  }
  return undefined;
}

/** What fails for a duplicate, so that somebody may want to go on: reads and updates fail for the client's own reasons too. */
function isInsert(statement: CallNode, { effects, knowledge }: FileAnalysis): boolean {
  const fn = enclosingFunction(statement);
  return (
    callsIn(statement).some((call) => {
      if (enclosingFunction(call) !== fn || !knowledge.stores.hasName(nameOfCallee(call))) return false;
      return knowledge.stores.find(effects.calledBy(call, undefined).refs).some(({ entry }) => {
        if (entry.insertsIn === undefined) return true;
        const text = typeof entry.insertsIn === "number" ? call.args[entry.insertsIn] : undefined;
        const sql = text?.kind === "literal" ? text.value : text?.kind === "template" ? text.strings[0] : undefined;
        return typeof sql === "string" && /^\s*insert\b(?![^]*\bon\s+conflict\b)/i.test(sql);
      });
    }) && !callsIn(statement).some((call) => /conflict|ignore/i.test(nameOfCallee(call) ?? ""))
  );
}

/** A savepoint that fails makes its release fail. */
function isNested({ body }: OpenHandle, analysis: FileAnalysis): boolean {
  const call = body?.parent;
  const receiver = call?.kind === "call" ? receiverOf(call) : undefined;
  return receiver !== undefined && openHandle(receiver, analysis) !== undefined;
}

function hidesRollback({ library, node }: OpenHandle, { knowledge, semantics }: FileAnalysis): boolean {
  const hidden = library.hiddenRollback;
  if (!hidden) return false;
  const { handles, option, databases = [], unless } = hidden;
  const tells = knowledge.libraries.some(({ packages }) => packages.some((name) => oneOrMore(unless).includes(name)));
  if (tells) return false;
  // one import makes databases of every dialect: only types tell them apart
  if (handles)
    return semantics.isTyped && semantics.typesOf(node).some(({ name }) => oneOrMore(handles).includes(name));
  if (option === undefined) return true;
  const named = [...databasesNamed(option, semantics)].filter((name) => isDatabase(name));
  return named.length > 0 && named.every((name) => databases.includes(name));
}

/** Options have other uses: `type: "button"`. */
function isDatabase(name: string): boolean {
  return /sql|^pg|postgres|maria|oracle|cockroach|^pglite|spanner|^sap$|mongo|redshift/i.test(name);
}

function parameterOf(handler: Node): string | undefined {
  const { parent } = handler;
  return parent?.kind === "try" ? caughtName(parent) : undefined;
}

/** What the clause calls the error: the tree has no node for it. */
function caughtName(node: Extract<Node, { kind: "try" }>): string | undefined {
  const { file, block, handler } = node;
  const clause = file.text.slice(block.end, handler?.start);
  return /\bcatch\s*\(\s*([\w$]+)/.exec(clause)?.[1];
}

/** Whether a handler lets the code around go on, and does not keep the error for later. */
function isSwallowed(handler: Node, error: string | undefined, analysis: FileAnalysis): boolean {
  if (isThrown(handler) || /rollback|abort/i.test(handler.file.text.slice(handler.start, handler.end))) return false;
  let isKept = false;
  const visit = (node: Node): void => {
    if (node.kind === "assign" && mentions(node.value, error)) isKept = true;
    if (node.kind === "assign" && node.target.kind === "name" && /err|fail|abort/i.test(node.target.text))
      isKept = true;
    if (node.kind === "call" && mayGoOnWith(node, error, analysis)) isKept = true;
    for (const child of childrenOf(node)) visit(child);
  };
  visit(handler);
  return !isKept;
}

/** A call that may throw or keep the error, or that rolls back. */
function mayGoOnWith(call: CallNode, error: string | undefined, analysis: FileAnalysis): boolean {
  const name = nameOfCallee(call) ?? "";
  if (/reject|fail|exit/i.test(name)) return true;
  if (!call.args.some((argument) => mentions(argument, error)) || isInTest(call)) return false;
  const { callee } = analysis.effects.calledBy(call, undefined);
  if (callee.kind === "closure" && callee.fn.body) return holdsThrow(callee.fn);
  return !reporters.test(name);
}

function isInTest(node: Node): boolean {
  for (let current: Node = node; current.parent && current.parent.kind !== "function"; current = current.parent) {
    const above: Node = current.parent;
    if ((above.kind === "if" || above.kind === "conditional") && above.test === current) return true;
  }
  return false;
}

function holdsThrow(fn: FunctionNode): boolean {
  const visit = (node: Node): boolean => node.kind === "throw" || childrenOf(node).some(visit);
  return fn.body !== undefined && visit(fn.body);
}

function mentions(node: Node, name: string | undefined): boolean {
  if (name === undefined) return false;
  return (node.kind === "name" && node.text === name) || childrenOf(node).some((child) => mentions(child, name));
}

/** Whether every way through a block ends in a throw. */
function isThrown(node: Node): boolean {
  const last = node.kind === "block" ? node.body.at(-1) : node;
  if (!last) return false;
  if (endsInThrow(last)) return true;
  return last.kind === "if" && last.otherwise !== undefined && isThrown(last.then) && isThrown(last.otherwise);
}
