import type { ManualTransaction } from "../catalogue/vocabulary.js";
import type { FileAnalysis } from "./analysis.js";
import { childrenOf, contains, type CallNode, type Node, type TryNode } from "./code/node.js";
import { nameOfCallee } from "./effects.js";
import { execute } from "./execution.js";
import { triesIn } from "./tries.js";
import { isObserverName } from "./words.js";

/** Work behind a commit, in a `try` whose `catch` rolls the transaction back. */
export interface LateFailure {
  /** What may fail. */
  readonly call: CallNode;
  readonly commit: CallNode;
  readonly rollback: CallNode;
  /** How many more awaited calls stand behind the commit. */
  readonly others: number;
  /** With which error the rollback fails. */
  readonly error: string;
  /** Nobody waits for the rollback, so that nobody catches its error. */
  readonly isFloating: boolean;
}

/** Calls followed from a function of the project to the library's commit. */
const DEPTH = 2;
/** They give back what the transaction was run on, and are nothing that it did. */
const closing = /^(?:release|end|close|destroy|disconnect|endSession|dispose|unlock|unref)/i;

/** The failures of a file that come behind a commit and are answered by a rollback. */
export function lateFailuresIn(analysis: FileAnalysis): readonly LateFailure[] {
  const { file, knowledge } = analysis;
  if (!/commit/i.test(file.text) || !/rollback|abort/i.test(file.text)) return [];
  if (!knowledge.libraries.some(({ manual = [] }) => manual.some(({ rollbackAfterCommit }) => rollbackAfterCommit)))
    return [];
  return triesIn(file).flatMap((node) => (node.handler ? inTry(node, node.handler, analysis) : []));
}

function inTry(node: TryNode, handler: Node, analysis: FileAnalysis): readonly LateFailure[] {
  const commits = callsNamed(node.block, /commit/i);
  const rollbacks = commits.length > 0 ? callsNamed(handler, /rollback|abort/i) : [];
  if (rollbacks.length === 0) return [];
  const { wrappers } = analysis;
  return commits.flatMap((commit) => {
    // a commit in a `try` of its own is rolled back there
    if (innermostTry(commit) !== node || wrappers.turnOf(commit, undefined) !== "commit") return [];
    const calls = awaitedBehind(commit, node, analysis);
    const [call] = calls;
    if (!call) return [];
    const rollback = rollbacks.find(
      (candidate) =>
        isOfSame(candidate, commit) &&
        wrappers.turnOf(candidate, undefined) === "rollback" &&
        !isChecked(candidate, commit, handler) &&
        !isForgotten(commit, node),
    );
    const error = rollback && entryOf(commit, analysis)?.rollbackAfterCommit;
    if (!rollback || error === undefined) return [];
    return [{ call, commit, rollback, others: calls.length - 1, error, isFloating: rollback.parent?.kind === "block" }];
  });
}

/** The calls of code, without the functions in it. */
function callsNamed(node: Node, name: RegExp): readonly CallNode[] {
  if (node.kind === "function" || node.kind === "class") return [];
  const own = node.kind === "call" && name.test(nameOfCallee(node) ?? "") ? [node] : [];
  return [...own, ...childrenOf(node).flatMap((child) => callsNamed(child, name))];
}

function innermostTry(node: Node): TryNode | undefined {
  for (let inner = node, around = node.parent; around; inner = around, around = around.parent) {
    if (around.kind === "try" && around.block === inner && around.handler) return around;
    if (around.kind === "function") return undefined;
  }
  return undefined;
}

/** What is awaited after the commit and inside the `try`, up to where the next transaction begins. */
function awaitedBehind(commit: CallNode, node: TryNode, { wrappers }: FileAnalysis): readonly CallNode[] {
  const calls: CallNode[] = [];
  const collect = (inner: Node): boolean => {
    if (inner.kind === "function" || inner.kind === "class") return true;
    // what is caught here reaches no other `catch`
    if (inner.kind === "try" && inner.handler) return collect(inner.handler);
    if (inner.kind === "call" && wrappers.mayTurn(inner) && wrappers.turnOf(inner, undefined) !== undefined)
      return false;
    if (inner.kind === "await" && inner.argument?.kind === "call" && mayFail(inner.argument))
      calls.push(inner.argument);
    return childrenOf(inner).every(collect);
  };
  for (
    let inner: Node = commit, around = commit.parent;
    around && inner !== node.block;
    inner = around, around = around.parent
  ) {
    if (around.kind !== "block") continue;
    const behind = around.body.slice(around.body.indexOf(inner) + 1);
    if (!behind.every(collect) || behind.some(leaves)) break;
  }
  return calls;
}

function leaves(node: Node): boolean {
  return node.kind === "return" || node.kind === "throw";
}

function mayFail(call: CallNode): boolean {
  const names = textOf(call.callee).split(/[^\w$]+/);
  return !names.some((name) => isObserverName(name)) && !closing.test(names.at(-1) ?? "") && !names.includes("catch");
}

/** Whether two calls are about one transaction: the same receiver, or the same argument. */
function isOfSame(one: CallNode, other: CallNode): boolean {
  const handles = (call: CallNode) =>
    [...(call.callee.kind === "member" ? [call.callee.object] : []), ...call.args]
      .filter(({ kind }) => kind === "name" || kind === "member" || kind === "this")
      .map(textOf);
  const others = handles(other);
  return handles(one).some((handle) => others.includes(handle));
}

/** Whether a condition decides about the rollback that may know of the commit, or an error of it is caught. */
function isChecked(rollback: CallNode, commit: CallNode, handler: Node): boolean {
  const own = new Set(conditionsAround(commit).map(textOf));
  const handle = rollback.callee.kind === "member" ? textOf(rollback.callee.object) : undefined;
  const isOfHandle = (test: Node) => textOf(test).replaceAll(/[!()\s]|undefined|null|={2,3}|&&/g, "") === handle;
  if (conditionsAround(rollback, handler).some((test) => !own.has(textOf(test)) && !isOfHandle(test))) return true;
  const caught = rollback.parent?.kind === "member" && rollback.parent.property === "catch";
  const inTry = innermostTry(rollback);
  return caught || (inTry !== undefined && contains(handler, inTry));
}

function conditionsAround(node: Node, until?: Node): readonly Node[] {
  const tests: Node[] = [];
  for (let inner = node, around = node.parent; around && inner !== until; inner = around, around = around.parent) {
    if (around.kind === "function") break;
    if ((around.kind === "if" || around.kind === "conditional") && around.test !== inner) tests.push(around.test);
    if (around.kind === "switch") tests.push(around.discriminant);
    if (around.kind === "binary" && /^(?:&&|\|\|)$/.test(around.operator) && around.right === inner)
      tests.push(around.left);
  }
  return tests;
}

/** `trx = undefined` behind the commit: the `catch` finds nothing to roll back. */
function isForgotten(commit: CallNode, { block }: TryNode): boolean {
  const handle = commit.callee.kind === "member" ? textOf(commit.callee.object) : undefined;
  const assigns = (node: Node): boolean =>
    (node.kind === "assign" && node.start > commit.end && textOf(node.target) === handle) ||
    childrenOf(node).some(assigns);
  return assigns(block);
}

/** What the catalogue says of a commit, also of one in a short function of the project. */
function entryOf(call: CallNode, analysis: FileAnalysis, depth = 0): ManualTransaction | undefined {
  const { effects, knowledge, values } = analysis;
  const { callee, refs } = effects.calledBy(call, undefined);
  const [known] = knowledge.commits.find(refs);
  if (known) return known.entry;
  if (callee.kind !== "closure" || !callee.fn.body || depth >= DEPTH) return undefined;
  const result: { entry?: ManualTransaction | undefined } = {};
  execute(callee.fn.body, values.enter(callee, call, undefined), values, {
    call: (inner) => {
      result.entry ??= /commit/i.test(nameOfCallee(inner) ?? "") ? entryOf(inner, analysis, depth + 1) : undefined;
      return result.entry !== undefined;
    },
  });
  return result.entry;
}

function textOf({ file, start, end }: Node): string {
  return file.text.slice(start, end);
}
