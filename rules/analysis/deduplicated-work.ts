import type { FileAnalysis, Program } from "./analysis.js";
import { callersOf } from "./callers.js";
import {
  childrenOf,
  enclosingClass,
  lineOf,
  type CallNode,
  type CodeFile,
  type FunctionNode,
  type Node,
} from "./code/node.js";
import { labelOfCall } from "./arrivals.js";
import { nameOfVariable } from "./effects.js";
import { oneOrMore, parseMember } from "./knowledge.js";
import { mentions, occurrences } from "./occurrences.js";
import { firstText, queueOfDispatch, queueOfHandler } from "./queue-names.js";
import { withRenames } from "./renames.js";
import type { Semantics } from "./semantics.js";
import { isTestFile } from "./test-file.js";
import { stepsOf } from "./trail.js";
import { keysOf } from "./unstable-keys.js";
import { unguardedWorkIn, type UnguardedWork } from "./unguarded-work.js";

/** A charge or mail in a job handler whose jobs are only kept from being dispatched twice. */
export interface DeduplicatedWork {
  readonly work: UnguardedWork;
  /** `jobId`, `singletonKey`. */
  readonly column: string;
  readonly dispatch: string;
  readonly place: string;
  readonly holds: string;
}

interface Deduplication {
  /** The queue's name, where the queue is an object of its own. */
  readonly queue: string | undefined;
  /** The first argument: the queue's name where it has no object, else the job's. */
  readonly first: string | undefined;
  readonly call: CallNode;
  readonly column: string;
  readonly holds: string;
}

/** Finds handlers of a file that charge or send, and whose queue is given a key that drops a second job. */
export function deduplicatedWorkIn(analysis: FileAnalysis): readonly DeduplicatedWork[] {
  const deduplications = analysis.knowledge.hasHandlers ? deduplicationsOf(analysis) : [];
  if (deduplications.length === 0) return [];
  const found = new Map<Node, DeduplicatedWork>();
  const mayBeAbout = handlersAbout(deduplications, analysis);
  for (const fn of handlersIn(analysis, mayBeAbout)) {
    const queue = queueOfHandler(fn, analysis);
    const registration = callersOf(analysis).handlerAbove(fn)?.handler.registration;
    const isMember = registration?.isNew === false;
    const made = registration && firstCall(registration, analysis);
    const deduplication = deduplications.find(
      ({ queue: name, first, call }) => call === made || (queue !== undefined && (isMember ? first : name) === queue),
    );
    if (!fn.body || !deduplication) continue;
    const work = unguardedWorkIn(fn.body, fn.start, { fn, args: undefined, self: undefined, up: undefined }, analysis);
    if (!work || work.kind === "insert" || found.has(work.node)) continue;
    const { call, column, holds } = deduplication;
    found.set(work.node, { work, column, holds, dispatch: labelOfCall(call), place: placeOf(call, analysis.file) });
  }
  return [...found.values()];
}

/** The call that made the queue which a handler is registered with: `connection.queue("mail", …)`. */
function firstCall(registration: CallNode, { values }: Program): CallNode | undefined {
  const [first] = registration.args;
  const settled = first && values.settle(first, undefined);
  return settled?.kind === "other" && settled.node.kind === "call" ? settled.node : undefined;
}

function placeOf({ file, start }: CallNode, from: CodeFile): string {
  const line = String(lineOf(file, start));
  return file === from ? `line ${line}` : `${file.path.split("/").slice(-2).join("/")}:${line}`;
}

/**
 * What may be a handler of one of the queues, before anything is asked of types: a method of a class whose decorator
 * names one, and any function where something in the program is registered with one.
 */
function handlersAbout(
  deduplications: readonly Deduplication[],
  program: FileAnalysis,
): ((fn: FunctionNode) => boolean) | undefined {
  const names = new Set(deduplications.flatMap(({ queue, first }) => [queue, first]));
  const calls = new Set(deduplications.map(({ call }) => call));
  const isAbout = (call: CallNode): boolean => {
    const text = firstText(call, program);
    if (text !== undefined) return names.has(text);
    const made = firstCall(call, program);
    return made !== undefined && calls.has(made);
  };
  let isRegistered = registered.get(program.semantics);
  if (isRegistered === undefined)
    registered.set(program.semantics, (isRegistered = registrationsIn(program).some(isAbout)));
  if (isRegistered) return undefined;
  return (fn) => {
    const [decorator] = enclosingClass(fn)?.decorators ?? [];
    return decorator?.kind === "call" && isAbout(decorator);
  };
}

const registered = new WeakMap<Semantics, boolean>();

/** The calls in the program that are called like registrations. */
function registrationsIn({ knowledge, semantics }: Program): readonly CallNode[] {
  const files = semantics.projectFiles();
  const names = withRenames(new Set([...knowledge.handlerCalls.names, ...knowledge.handlerConstructors.names]), files);
  return files.flatMap((file) =>
    [...names].flatMap((name) =>
      occurrences(file, name).flatMap(({ parent }) => (parent?.kind === "call" ? [parent] : [])),
    ),
  );
}

/** The job handlers that stand in a file, by themselves or by a registration beside them. */
export function handlersIn(
  analysis: FileAnalysis,
  mayBe: (fn: FunctionNode) => boolean = () => true,
): readonly FunctionNode[] {
  const { handlers } = callersOf(analysis);
  const found: FunctionNode[] = [];
  const isRegistered = (fn: FunctionNode): boolean => {
    const name = fn.name ?? nameOfVariable(fn);
    return (
      name !== undefined &&
      occurrences(fn.file, name).some((use) => handlers.handlerBy(fn, use) !== undefined && isUseOf(use, fn, analysis))
    );
  };
  const visit = (node: Node): void => {
    if (node.kind === "function" && node.body && mayBe(node) && (handlers.handlerOf(node) || isRegistered(node)))
      found.push(node);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(analysis.file.root);
  return found;
}

function isUseOf(use: Node, fn: FunctionNode, { values }: Program): boolean {
  const settled = values.settle(use, undefined);
  return settled.kind === "closure" && settled.fn === fn;
}

const perProgram = new WeakMap<Semantics, readonly Deduplication[]>();

/** The keys in the program by which a queue drops a second job. */
function deduplicationsOf(program: Program): readonly Deduplication[] {
  let found = perProgram.get(program.semantics);
  if (!found) perProgram.set(program.semantics, (found = [...search(program)]));
  return found;
}

function* search(program: Program): Generator<Deduplication> {
  for (const { keys = [] } of program.knowledge.libraries) {
    for (const { role, slot, member } of keys) {
      const option = stepsOf(slot.path ?? "").find((step) => step !== "[]" && step !== "opts");
      if (role !== "dedup" || option === undefined) continue;
      for (const file of program.semantics.projectFiles()) {
        if (isTestFile(file.path) || !mentions(file, option)) continue;
        for (const name of new Set(oneOrMore(member).map((each) => parseMember(each).name)))
          for (const { parent } of occurrences(file, name))
            if (parent?.kind === "call") yield* keyedDispatches(parent, program);
      }
    }
  }
}

function* keyedDispatches(call: CallNode, program: Program): Generator<Deduplication> {
  for (const { entry } of keysOf(call, program)) {
    if (entry.role !== "dedup") continue;
    const column = (entry.slot.path ?? "").replaceAll("[].", "").replace(/^opts\./, "");
    yield {
      queue: queueOfDispatch(call, program),
      first: firstText(call, program),
      call,
      column,
      holds: entry.holds ?? "",
    };
  }
}
