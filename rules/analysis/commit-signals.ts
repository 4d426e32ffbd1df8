import type { AfterCommitMethod, UnreliableSlot } from "../catalogue/vocabulary.js";
import type { FileAnalysis } from "./analysis.js";
import {
  childrenOf,
  enclosingFunction,
  type CallNode,
  type ClassNode,
  type FunctionNode,
  type Node,
} from "./code/node.js";
import { argumentAt } from "./deferral.js";
import { refsOfDecorator } from "./decorators.js";
import { nameOfCallee } from "./effects.js";
import { execute, type Flow } from "./execution.js";
import { isSince } from "./installed-version.js";
import { isOneOf, oneOrMore } from "./knowledge.js";
import { callsIn } from "./mention.js";
import { isWritten } from "./project-text.js";
import { occurrences } from "./occurrences.js";
import type { ReachedDispatch } from "./reach.js";
import { mayHoldTransactions } from "./transaction-gate.js";
import type { Frame, Settled } from "./values.js";

/** A dispatch that takes something for a commit which is none, or not always. */
export type CommitSignal = {
  readonly node: Node;
  readonly reached: ReachedDispatch;
  /** What is taken for the commit. */
  readonly signal: CallNode;
} & (
  | { readonly kind: "commit"; readonly provenBy: string }
  | { readonly kind: "resolved"; readonly rollback: CallNode }
  | { readonly kind: "slot"; readonly slot: UnreliableSlot }
);

/** A method that is called at the end of nested transactions as well, and dispatches. */
export interface EveryLevelMethod {
  readonly node: Node;
  readonly reached: ReachedDispatch;
  readonly method: string;
  readonly outermost: string;
}

/** The dispatches of a file behind something that is no sure sign of a commit. */
export function commitSignalsIn(analysis: FileAnalysis): readonly CommitSignal[] {
  if (!mayHoldTransactions(analysis)) return [];
  return [...behindCommits(analysis), ...behindTransactions(analysis), ...inSlots(analysis)].sort(
    (one, other) => one.node.start - other.node.start,
  );
}

/** The calls of some names in a file; only the code around the names is read. */
function callsOf(names: Iterable<string>, { file }: FileAnalysis): readonly CallNode[] {
  return [...names]
    .flatMap((name) => occurrences(file, name))
    .flatMap((node) => (node.parent?.kind === "call" && node.parent.callee === node ? node.parent : []));
}

// `await trx.commit(); await queue.add(…)`

function behindCommits(analysis: FileAnalysis): readonly CommitSignal[] {
  const { effects, knowledge } = analysis;
  const names = knowledge.libraries.flatMap(({ manual = [] }) =>
    manual.flatMap(({ commit, provenBy }) => (provenBy ? oneOrMore(commit).map(lastName) : [])),
  );
  return callsOf(new Set(names), analysis).flatMap((call): readonly CommitSignal[] => {
    const fn = enclosingFunction(call);
    const known = knowledge.commits.find(effects.calledBy(call, undefined).refs);
    const provenBy = known.find(({ entry }) => entry.provenBy)?.entry.provenBy;
    if (!fn || provenBy === undefined || textOf(fn).includes(lastName(provenBy))) return [];
    const proof = provenBy.replace("$", call.callee.kind === "member" ? textOf(call.callee.object) : "trx");
    // A refused COMMIT is rare: what a listener in this process makes of the event has to weigh enough, which nobody knows.
    return dispatchesBehind(call, fn, analysis)
      .filter(({ reached }) => reached.known.entry.to !== "in-process bus")
      .map((dispatch) => ({ ...dispatch, kind: "commit", signal: call, provenBy: proof }));
  });
}

// `await knex.transaction(async (trx) => { …; await trx.rollback(); }); await queue.add(…)`

function behindTransactions(analysis: FileAnalysis): readonly CommitSignal[] {
  const { effects, file, knowledge, wrappers } = analysis;
  const openers = knowledge.libraries.flatMap(({ transactions = [] }) =>
    transactions.flatMap(({ open, resolvesAfter }) =>
      oneOrMore(resolvesAfter).some((member) => file.text.includes(lastName(member))) ? oneOrMore(open) : [],
    ),
  );
  return callsOf(new Set(openers.map(lastName)), analysis).flatMap((call): readonly CommitSignal[] => {
    const [opened] = wrappers.openedBy(call, undefined);
    const callback = opened && call.args[opened.argument];
    const fn = enclosingFunction(call);
    if (!fn || callback?.kind !== "function" || !opened?.entry?.resolvesAfter) return [];
    const { resolvesAfter } = opened.entry;
    const names = oneOrMore(resolvesAfter).map(lastName);
    const isRollback = (inner: CallNode) => {
      const { refs } = effects.calledBy(inner, undefined);
      // a handle may be declared by another library: a session, a query builder's transaction
      return knowledge.libraries.some((library) => isOneOf(resolvesAfter, "member", library, refs));
    };
    const rollback = callsIn(callback).find(
      (inner) =>
        names.includes(nameOfCallee(inner) ?? "") &&
        inner.args.length === 0 &&
        !isFollowedByThrow(inner, callback) &&
        isRollback(inner),
    );
    if (!rollback) return [];
    return dispatchesBehind(call, fn, analysis)
      .filter(({ node }) => !isDecided(node, call, fn))
      .map((dispatch) => ({ ...dispatch, kind: "resolved", signal: call, rollback }));
  });
}

/** What is thrown behind a rollback rejects the promise. */
function isFollowedByThrow(rollback: Node, callback: FunctionNode): boolean {
  for (let node = rollback; node.parent && node !== callback; node = node.parent) {
    const { parent } = node;
    if (parent.kind === "throw") return true;
    if (
      parent.kind === "block" &&
      parent.body.slice(parent.body.indexOf(node) + 1).some(({ kind }) => kind === "throw")
    )
      return true;
  }
  return false;
}

/** Whether something between a transaction and a dispatch decides, so that it may know how the transaction ended. */
function isDecided(dispatch: Node, transaction: CallNode, fn: FunctionNode): boolean {
  const visit = (node: Node): boolean => {
    const isBetween = node.start >= transaction.end && node.start <= dispatch.start;
    const decides =
      ["if", "conditional", "switch"].includes(node.kind) ||
      (node.kind === "binary" && /^(?:&&|\|\||\?\?)$/.test(node.operator));
    return (decides && isBetween) || (node.kind !== "function" && childrenOf(node).some(visit));
  };
  return fn.body !== undefined && visit(fn.body);
}

/** The dispatches that run behind a call in the same function. */
function dispatchesBehind(
  signal: CallNode,
  fn: FunctionNode,
  { effects, values }: FileAnalysis,
): readonly { readonly node: Node; readonly reached: ReachedDispatch }[] {
  const found: { node: Node; reached: ReachedDispatch }[] = [];
  if (!fn.body) return found;
  let isBehind = false;
  execute(fn.body, { fn, args: undefined, self: undefined, up: undefined }, values, {
    call: (call, frame) => {
      const reached = isBehind ? effects.reachedBy(call, frame).dispatch : undefined;
      if (reached) found.push({ node: call, reached });
      if (call === signal) isBehind = true;
      return false;
    },
    branches: (run) => {
      const before = isBehind;
      const ends = run.map((branch): { flow: Flow; isBehind: boolean } => {
        isBehind = before;
        return { flow: branch(), isBehind };
      });
      const on = ends.filter(({ flow }) => flow !== "left");
      isBehind = on.some((end) => end.isBehind);
      return on.length > 0 ? "on" : "left";
    },
    handler: (run) => {
      const before = isBehind;
      isBehind = false;
      const flow = run();
      isBehind = before;
      return flow;
    },
  });
  return found;
}

// `t.afterCommit(() => queue.add(…))`

function inSlots(analysis: FileAnalysis): readonly CommitSignal[] {
  const { effects, knowledge, semantics, values } = analysis;
  const slots = knowledge.libraries.flatMap(({ afterCommit = [] }) =>
    afterCommit.flatMap(({ member, unreliable }) => (unreliable ? oneOrMore(member).map(lastName) : [])),
  );
  return callsOf(new Set(slots), analysis).flatMap((call): readonly CommitSignal[] => {
    const [first] = call.args;
    for (const { entry } of knowledge.afterCommit.find(effects.calledBy(call, undefined).refs)) {
      const { event, unreliable: slot } = entry;
      if (!slot || (event !== undefined && !(first?.kind === "literal" && first.value === event))) continue;
      const { unless } = slot;
      if (unless !== undefined && isWritten(unless, semantics)) continue;
      const kept = argumentAt(call, entry.callback);
      const settled = kept && values.settle(kept, undefined);
      const reached = settled?.kind === "closure" ? dispatchIn(settled, analysis) : undefined;
      if (reached) return [{ node: call, reached, kind: "slot", signal: call, slot }];
    }
    return [];
  });
}

function dispatchIn(
  { fn, frame: up, self }: Extract<Settled, { kind: "closure" }>,
  { effects, values }: FileAnalysis,
): ReachedDispatch | undefined {
  const result: { reached?: ReachedDispatch | undefined } = {};
  const frame: Frame = { fn, args: undefined, self, up };
  if (fn.body)
    execute(fn.body, frame, values, {
      call: (call, inner) => (result.reached = effects.reachedBy(call, inner).dispatch) !== undefined,
    });
  return result.reached;
}

// `afterTransactionCommit(event) { … }`

export function everyLevelMethodsIn(analysis: FileAnalysis): readonly EveryLevelMethod[] {
  const { file, knowledge } = analysis;
  const found: EveryLevelMethod[] = [];
  const entries = knowledge.libraries.flatMap((library) =>
    (library.afterCommitMethods ?? []).flatMap((entry) => {
      const { everyLevel, methods } = entry;
      if (!everyLevel || !oneOrMore(methods).some((name) => file.text.includes(name))) return [];
      return everyLevel.since && !isSince(everyLevel.since, file.path) ? [] : [{ library, entry, everyLevel }];
    }),
  );
  if (entries.length === 0) return found;
  const visit = (node: Node): void => {
    if (node.kind === "class")
      for (const { library, entry, everyLevel } of entries) {
        for (const method of methodsOf(node, entry)) {
          if (!isKnownClass(node, entry, library, analysis) || textOf(method).includes(guardOf(everyLevel.outermost)))
            continue;
          const reached = dispatchIn({ kind: "closure", fn: method, frame: undefined, self: undefined }, analysis);
          const [first] = reached?.path ?? [];
          const event = method.params[0]?.target.kind === "name" ? method.params[0].target.text : "event";
          if (reached && first)
            found.push({
              node: first,
              reached,
              method: `${node.name ?? "class"}.${method.name ?? ""}`,
              outermost: everyLevel.outermost.replace(/\bevent\b/, event),
            });
        }
      }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(file.root);
  return found;
}

function methodsOf({ members }: ClassNode, { methods }: AfterCommitMethod): readonly FunctionNode[] {
  return members.filter(
    (member): member is FunctionNode => member.kind === "function" && oneOrMore(methods).includes(member.name ?? ""),
  );
}

function isKnownClass(
  node: ClassNode,
  entry: AfterCommitMethod,
  library: Parameters<typeof isOneOf>[2],
  analysis: FileAnalysis,
): boolean {
  const isDecorated = node.decorators.some((decorator) =>
    isOneOf(entry.classDecorator, "decorator", library, refsOfDecorator(decorator, analysis)),
  );
  const bases = [...oneOrMore(entry.extends), ...oneOrMore(entry.implements)];
  const descends =
    node.interfaces.some((type) => bases.includes(type.path.at(-1) ?? "")) ||
    (node.superClass?.kind === "name" && bases.includes(node.superClass.text));
  return isDecorated || (descends && analysis.semantics.isOfLibrary(node, library.packages));
}

/** What the guard asks: `isTransactionActive` of `!event.queryRunner.isTransactionActive`. */
function guardOf(condition: string): string {
  return lastName(condition);
}

function lastName(member: string): string {
  return member.slice(member.lastIndexOf(".") + 1);
}

function textOf(node: Node): string {
  return node.file.text.slice(node.start, node.end);
}
