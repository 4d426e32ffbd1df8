import type { Slot } from "../catalogue/vocabulary.js";
import type { Program } from "./analysis.js";
import { memberRef } from "./annotations.js";
import { childrenOf, enclosingFunction, type CallNode, type FunctionNode, type Node } from "./code/node.js";
import { argumentAt, callbackIndex, functionArguments, runningOf } from "./deferral.js";
import { nameOfCallee } from "./effects.js";
import { execute, type Flow } from "./execution.js";
import { callsAnything, isForeign, isGivenData, mayRunWork } from "./foreign-members.js";
import type { EntryOf, Known } from "./knowledge.js";
import { rerunAround } from "./retries.js";
import { labelOf, type Path, type Ref } from "./semantics.js";
import { turnOfSql, turnOfText, type Turn } from "./sql-turns.js";
import type { Frame, Settled, Value } from "./values.js";
import { generic, searchNames, SHORT, tellingOf, type WrapperNames } from "./wrapper-names.js";

type Closure = Extract<Settled, { kind: "closure" }>;

/** A transaction that a call opens around a function that it is given. */
export interface Opened {
  /** What opens it, for the message: `PrismaClient.$transaction`. */
  readonly label: string;
  /** Index of the argument that runs inside, and where in it the function stands. */
  readonly argument: number;
  readonly path: Path;
  readonly entry: EntryOf<"transactions"> | undefined;
  /** The call of the library that opens it: the call itself, or one in a function of the project. */
  readonly by: Value<CallNode> | undefined;
  /** The function runs again after a conflict. */
  readonly reruns: boolean;
}

const DEPTH = 4;
/** How deep in an options object a function may stand. */
const MEMBERS = 3;

const speaksOfTransaction = /tra?n(?:s|x)|tx|session|savepoint/i;

/** The project's own functions around transactions: found by name first, read only where a name is called. */
export class Wrappers {
  readonly #program: Program;
  readonly #opened = new Map<FunctionNode, readonly Opened[]>();
  readonly #turns = new Map<FunctionNode, Turn | null>();
  readonly #run = new Map<FunctionNode, readonly { index: number; path: Path }[]>();
  readonly #inProgress = new Set<FunctionNode>();
  /** Functions in progress that were asked about again. */
  readonly #cut = new Set<FunctionNode>();
  #names: WrapperNames | undefined;

  constructor(program: Program) {
    this.#program = program;
  }

  get #found(): WrapperNames {
    return (this.#names ??= searchNames(this.#program));
  }

  /** Names of functions that may open a transaction around a function: the libraries' and the project's. */
  get openerNames(): ReadonlySet<string> {
    return this.#found.openers;
  }

  /** Names of functions that may begin or end a transaction. */
  get turnNames(): ReadonlySet<string> {
    return this.#found.turns;
  }

  /** Names of both kinds that say something by themselves: what a file must mention to hold a transaction. */
  get tellingNames(): Iterable<string> {
    return tellingOf([...this.openerNames, ...this.turnNames], this.#program.knowledge);
  }

  /** The transactions that a call opens around its arguments. */
  openedBy(call: CallNode, frame: Frame | undefined): readonly Opened[] {
    const name = nameOfCallee(call);
    if (name !== undefined && !this.openerNames.has(name) && name !== "call" && name !== "apply") return [];
    const { knowledge, effects } = this.#program;
    if (call.args.length === 0 || !(this.#tells(call, name) || knowledge.ownNames.has(name ?? ""))) return [];
    if (!knowledge.transactions.hasName(name) && !call.args.some((argument) => this.#mayRun(argument, frame)))
      return [];
    const called = effects.calledBy(call, frame);
    const { callee, refs } = called;
    const opener = refs.find((ref) => knowledge.transactions.find([ref]).length > 0);
    if (opener)
      return knowledge.transactions
        .find(refs)
        .flatMap((known) => this.#opener(known, { node: call, frame }, labelOf(opener)));
    if (effects.isUnknown(called)) return openedByShape(call, name);
    const candidates = callee.kind === "closure" ? [callee] : this.#implementationsOf(callee);
    const found = candidates.map((candidate) => this.#openedIn(candidate)).find((opened) => opened.length > 0) ?? [];
    return found.map((opened) => ({ ...opened, label: name ?? opened.label }));
  }

  /** The code behind a member of an interface or abstract class of the project. */
  #implementationsOf(callee: Settled): readonly Closure[] {
    const declared =
      callee.kind === "declared" ? callee.definition : callee.kind === "parameter" ? callee.declared : undefined;
    if (!declared?.refs.some((ref) => ref.isProject)) return [];
    return this.#program.semantics
      .implementationsOf(declared)
      .map((fn) => ({ kind: "closure", fn, frame: undefined, self: undefined }));
  }

  /** The parameters that a function runs inside a transaction that it opens. */
  runsInside(closure: Closure): readonly Opened[] {
    return this.#openedIn(closure);
  }

  /** Whether a decorator of the project runs the decorated method inside a transaction. */
  decoratorOpens(decorator: Node): boolean {
    const name =
      decorator.kind === "call" ? nameOfCallee(decorator) : decorator.kind === "name" ? decorator.text : undefined;
    if (name === undefined || !this.openerNames.has(name)) return false;
    const body = this.decoratorBody(decorator);
    return body !== undefined && this.#openedIn(body).length > 0;
  }

  /** The function that a decorator of the project puts in the place of the method, in the frame of the decorator. */
  decoratorBody(decorator: Node): Closure | undefined {
    const settled = this.#program.values.settle(decorator, undefined);
    if (settled.kind !== "closure" || !settled.fn.body) return undefined;
    const decorating: Frame = { fn: settled.fn, args: undefined, self: undefined, up: settled.frame };
    const replacement = replacementIn(settled.fn.body);
    return replacement && { kind: "closure", fn: replacement, frame: decorating, self: undefined };
  }

  /** Whether a call may begin or end a transaction, by its name and the SQL in it. */
  mayTurn(call: CallNode): boolean {
    const name = nameOfCallee(call);
    if (name === undefined || !this.turnNames.has(name) || call.args.some((argument) => argument.kind === "function"))
      return false;
    const isSql = this.#program.knowledge.sql.hasName(name);
    if (isSql && this.#sqlTurn(call, name) !== undefined) return true;
    return this.#tells(call, name) && (!isSql || (generic.has(name) && this.#mayTurnWithoutSql(call, name)));
  }

  /** Of the names that take SQL, some begin or end a transaction by themselves too: in a library, or in the project. */
  #mayTurnWithoutSql({ callee }: CallNode, name: string): boolean {
    const { knowledge, semantics } = this.#program;
    const { begins, commits, rollbacks } = knowledge;
    return (
      [begins, commits, rollbacks].some((index) => index.hasName(name)) ||
      callee.kind !== "member" ||
      semantics.mayDeclareMember(name)
    );
  }

  #sqlTurn(call: CallNode, name: string): Turn | undefined {
    if (!this.#program.knowledge.sql.hasName(name)) return undefined;
    const prepared =
      call.callee.kind === "member" && call.callee.object.kind === "call" ? call.callee.object.args[0] : undefined;
    return turnOfText(call.args[0] ?? prepared);
  }

  /** Whether a call begins, commits or rolls back a transaction by itself. */
  turnOf(call: CallNode, frame: Frame | undefined): Turn | undefined {
    const name = nameOfCallee(call);
    if (name === undefined || !this.mayTurn(call)) return undefined;
    const { knowledge, effects } = this.#program;
    const text = this.#sqlTurn(call, name);
    const { callee, refs } = effects.calledBy(call, frame);
    if (
      text !== undefined &&
      this.#isOneConnection(call.callee.kind === "member" ? call.callee.object : undefined, name, refs)
    )
      return text;
    if (knowledge.commits.find(refs).some(({ entry }) => isRun(call, entry))) return "commit";
    if (knowledge.rollbacks.find(refs).length > 0) return "rollback";
    for (const { entry } of knowledge.begins.find(refs)) {
      if (entry.withoutCallback && call.args.some((argument) => this.#isCallback(argument, frame))) continue;
      return "begin";
    }
    const inside = callee.kind === "closure" ? this.#turnIn(callee) : undefined;
    return inside ?? (refs.some((ref) => !ref.isProject) ? undefined : this.#turnByShape(call, name));
  }

  #isCallback(argument: Node, frame: Frame | undefined): boolean {
    if (argument.kind === "function") return true;
    const settled = this.#program.values.settle(argument, frame);
    if (settled.kind === "closure") return true;
    // a wrapper's parameter: options have a name that says so
    const parameter = settled.kind === "parameter" ? settled.fn.params[settled.index] : undefined;
    const said =
      parameter &&
      [...(parameter.type?.path ?? []), parameter.target.kind === "name" ? parameter.target.text : ""].join();
    return said !== undefined && !/options?|opts|config|settings|isolation|mode/i.test(said);
  }

  /**
   * Where types end (`options.database` is `any`), three calls together still tell: a transaction is awaited into a
   * constant, the constant is committed, and it is rolled back.
   */
  #turnByShape(call: CallNode, name: string): Turn | undefined {
    if (isBegunByShape(call, name)) return "begin";
    const turn = /^commit/i.test(name) ? "commit" : /^(?:rollback|abort)/i.test(name) ? "rollback" : undefined;
    if (!turn) return undefined;
    const handles = call.callee.kind === "member" ? [call.callee.object, ...call.args] : call.args;
    const isOfBegun = handles.some((handle) => {
      const definition = handle.kind === "name" ? this.#program.semantics.definitionOfName(handle) : undefined;
      const init = definition?.kind === "variable" ? definition.declarator.init : undefined;
      const begun = init?.kind === "await" ? init.argument : init;
      return begun?.kind === "call" && isBegunByShape(begun, nameOfCallee(begun) ?? "");
    });
    return isOfBegun ? turn : undefined;
  }

  /** The same for `` sql`BEGIN` ``. */
  turnOfTemplate(template: Extract<Node, { kind: "template" }>, frame: Frame | undefined): Turn | undefined {
    const text = template.strings[0] ?? "";
    const turn = turnOfSql(text);
    if (!turn || !template.tag) return undefined;
    const { tag } = template;
    const settled = this.#program.values.settle(tag, frame);
    const refs = settled.kind === "declared" ? settled.refs : [];
    const isOne =
      tag.kind === "member" && refs.length > 0
        ? this.#isOneConnection(tag.object, tag.property ?? "", refs)
        : this.#isOneConnection(tag, "()", refs);
    return isOne ? turn : undefined;
  }

  /** Whether SQL given to a member runs on one connection: the most derived type that is known decides (a pool may extend its connection). */
  #isOneConnection(receiver: Node | undefined, name: string, refs: readonly Ref[]): boolean {
    const { knowledge, semantics } = this.#program;
    const types = receiver ? semantics.typesOf(receiver) : [];
    const candidates = [...types.map((type) => memberRef(type, name)), ...refs];
    const known = candidates.map((ref) => knowledge.sql.find([ref])).find((found) => found.length > 0) ?? [];
    return known.some(({ entry }) => entry.on === "connection");
  }

  /** Whether a name tells by itself, or because the project has such a function, or the rest of the callee does. */
  #tells(call: CallNode, name: string | undefined): boolean {
    if (name === undefined || !generic.has(name) || this.#found.own.has(name)) return true;
    const { callee } = call;
    const builder =
      callee.kind === "member" && callee.object.kind === "name"
        ? this.#program.semantics.definitionOfName(callee.object)
        : undefined;
    const made = builder?.kind === "variable" ? builder.declarator.init : undefined;
    return [callee, ...(made ? [made] : [])].some((node) =>
      speaksOfTransaction.test(node.file.text.slice(node.start, node.end)),
    );
  }

  #opener({ entry }: Known<EntryOf<"transactions">>, by: Value<CallNode>, label: string): readonly Opened[] {
    const call = by.node;
    const argument = callbackIndex(call, entry.callback);
    if (!call.args[argument] || entry.effect || (entry.when && !this.#isOn(call, entry.when))) return [];
    return [{ label, argument, path: [], entry, by, reruns: this.#reruns(call, entry.reruns) }];
  }

  /** Whether an option is surely `true`. */
  #isOn(call: CallNode, slot: Slot): boolean {
    const settled = this.#optionAt(call, slot);
    return settled?.kind === "other" && settled.node.kind === "literal" && settled.node.value === true;
  }

  #reruns(call: CallNode, reruns: EntryOf<"transactions">["reruns"]): boolean {
    if (reruns === undefined || reruns === true) return reruns === true;
    const settled = this.#optionAt(call, reruns);
    if (settled?.kind !== "other" || settled.node.kind !== "literal") return false;
    const { value } = settled.node;
    return typeof value === "number" ? value > (reruns.above ?? 0) : Boolean(value);
  }

  #optionAt(call: CallNode, { argument, path = "" }: Slot): Settled | undefined {
    const { values } = this.#program;
    const options = argumentAt(call, argument);
    return options && values.step(values.settle(options, undefined), path.split("."));
  }

  /** Whether an argument is or holds a function. */
  #mayRun(argument: Node, frame: Frame | undefined): boolean {
    switch (argument.kind) {
      case "function":
        return true;
      case "object":
        return argument.properties.some(
          (property) => property.value.kind === "function" || property.isSpread || property.value.kind === "name",
        );
      case "name":
      case "member":
      case "call": {
        const { kind } = this.#program.values.settle(argument, frame);
        return kind === "closure" || kind === "parameter" || kind === "object";
      }
      default:
        return false;
    }
  }

  /** Of the functions that are written among the arguments of a call, those that do something while it runs. */
  callbacksIn(call: CallNode, frame: Frame | undefined): readonly Closure[] {
    if (!call.args.some((argument) => argument.kind === "function" && callsAnything(argument))) return [];
    return this.ranBy(call, frame).filter(({ fn }) => fn.body !== undefined && call.args.includes(fn));
  }

  /** Of the functions that a call is given, those that run while it runs: `items.map(fn)`, `withSpan("x", fn)`. */
  ranBy(call: CallNode, frame: Frame | undefined): readonly Closure[] {
    if (!call.args.some((argument) => argument.kind === "function" || argument.kind === "object")) return [];
    if (isGivenData(call) && isForeign(call, this.#program)) return [];
    const { effects, values } = this.#program;
    const { callee, refs } = effects.calledBy(call, frame);
    if (callee.kind !== "closure") return effects.callbacksRunNow(call, frame);
    const running = runningOf(refs, call, this.#program.knowledge);
    if (running === "after commit" || running === "outside") return [];
    return this.#parametersRun(callee).flatMap(({ index, path }) => {
      const argument = call.args[index];
      const settled = argument && values.step(values.settle(argument, frame), path);
      return settled?.kind === "closure" ? [settled] : [];
    });
  }

  /** The parameters that a function of the project calls, or hands to something that does. */
  #parametersRun(closure: Closure): readonly { index: number; path: Path }[] {
    const { fn } = closure;
    const known = this.#run.get(fn);
    if (known) return known;
    const found: { index: number; path: Path }[] = [];
    this.#run.set(fn, found);
    const note = (settled: Settled, call: CallNode, frame: Frame | undefined) => {
      if (settled.kind !== "parameter" || settled.fn !== fn || settled.path.length > MEMBERS) return;
      const isFound = found.some(({ index, path }) => index === settled.index && path.join() === settled.path.join());
      if (!isFound && !this.#program.effects.isInOutsideBranch(call, frame))
        found.push({ index: settled.index, path: settled.path });
    };
    const walk = (body: Node, frame: Frame): Flow =>
      execute(body, frame, this.#program.values, {
        call: (call, inner) => {
          if (isForeign(call, this.#program) && !mayRunWork(call, inner, this.#program)) return false;
          const { callee, refs } = this.#program.effects.calledBy(call, inner);
          note(callee, call, inner);
          const handedOn = call.args.filter((argument) => argument.kind === "name" || argument.kind === "member");
          if (callee.kind === "closure" && handedOn.length > 0) {
            // a copy: a function that calls itself finds more while this runs
            for (const { index, path } of [...this.#parametersRun(callee)]) {
              const argument = call.args[index];
              const settled = argument && this.#program.values.step(this.#program.values.settle(argument, inner), path);
              if (settled) note(settled, call, inner);
            }
          } else if (callee.kind === "declared" && runningOf(refs, call, this.#program.knowledge) === "now") {
            for (const argument of handedOn) note(this.#program.values.settle(argument, inner), call, inner);
          }
          for (const ran of this.ranBy(call, inner))
            if (ran.fn.body) walk(ran.fn.body, { fn: ran.fn, args: undefined, self: ran.self, up: ran.frame });
          return false;
        },
      });
    if (fn.body) walk(fn.body, { fn, args: undefined, self: closure.self, up: closure.frame });
    return found;
  }

  /** The parameters that a function of the project runs inside a transaction that it opens. */
  #openedIn(closure: Closure): readonly Opened[] {
    return this.#once(this.#opened, closure.fn, [], () => this.#findOpened(closure));
  }

  #findOpened(closure: Closure): readonly Opened[] {
    const { fn } = closure;
    const found: Opened[] = [];
    let label = "";
    let isOpen = false;
    let entry: EntryOf<"transactions"> | undefined;
    let by: Value<CallNode> | undefined;
    let reruns = false;
    const { values } = this.#program;
    const note = (settled: Settled) => {
      // a decorator's replacement calls the method that the decorator was given
      if (
        settled.kind === "parameter" &&
        (settled.fn === fn || settled.fn === closure.frame?.fn) &&
        !found.some((other) => other.argument === settled.index && other.path.join() === settled.path.join())
      ) {
        found.push({ label, argument: settled.index, path: settled.path, entry, by, reruns });
      }
    };
    /** Everything that runs inside: calls of the wrapper's own parameters are what is looked for. */
    const inside = (body: Node, frame: Frame | undefined, level: number): Flow =>
      execute(body, frame, values, {
        call: (call, inner) => {
          if (isForeign(call, this.#program) && !mayRunWork(call, inner, this.#program)) return false;
          const { callee } = this.#program.effects.calledBy(call, inner);
          note(callee);
          if (level >= DEPTH) return false;
          if (callee.kind === "closure" && callee.fn.body && mentionsParameters(call, fn))
            inside(callee.fn.body, values.enter(callee, call, inner), level + 1);
          else if (callee.kind === "declared") {
            for (const argument of call.args) {
              const settled = values.settle(argument, inner);
              if (settled.kind === "closure" && settled.fn.body)
                inside(
                  settled.fn.body,
                  { fn: settled.fn, args: undefined, self: settled.self, up: settled.frame },
                  level + 1,
                );
              // a library's helper that is handed the parameter runs it
              else if (argument.kind === "name") note(settled);
            }
          }
          return false;
        },
      });
    const frame: Frame = { fn, args: undefined, self: closure.self, up: closure.frame };
    const walk = (body: Node, around: Frame): Flow =>
      execute(body, around, values, {
        call: (call, inner) => {
          const turn = this.turnOf(call, inner);
          if (turn) {
            isOpen = turn === "begin";
            label = nameOfCallee(call) ?? "";
            entry = undefined;
            by = { node: call, frame: inner };
            reruns = isOpen && rerunAround(call, this.#program) !== undefined;
            return false;
          }
          for (const opened of this.openedBy(call, inner)) {
            label = opened.label;
            entry = opened.entry;
            by = opened.by;
            reruns = opened.reruns || rerunAround(call, this.#program) !== undefined;
            const argument = call.args[opened.argument];
            const settled = argument && values.step(values.settle(argument, inner), opened.path);
            if (!settled) continue;
            note(settled);
            if (settled.kind === "closure" && settled.fn.body)
              inside(settled.fn.body, { fn: settled.fn, args: undefined, self: settled.self, up: settled.frame }, 0);
          }
          if (isForeign(call, this.#program) && !mayRunWork(call, inner, this.#program)) return false;
          const { callee } = this.#program.effects.calledBy(call, inner);
          if (isOpen) note(callee);
          // `pool.connect(async (connection) => …)`, `new Promise(…)`, `withSpan("x", async () => …)`
          const ran =
            callee.kind === "declared"
              ? functionArguments(call, (node) => values.settle(node, inner)).map(({ value }) => value)
              : this.ranBy(call, inner);
          for (const { fn: callback, self, frame: up } of ran)
            if (callback.body && call.args.includes(callback))
              walk(callback.body, { fn: callback, args: undefined, self, up });
          return false;
        },
        template: (template, inner) => {
          const turn = this.turnOfTemplate(template, inner);
          if (turn) isOpen = turn === "begin";
          if (turn) by = undefined;
          return false;
        },
      });
    if (fn.body) walk(fn.body, frame);
    return found;
  }

  /**
   * The answer about a function, found once. A function that leads back to itself adds nothing; what was found on the
   * way there is not kept, because it would not be the same from elsewhere.
   */
  #once<T>(answers: Map<FunctionNode, T>, fn: FunctionNode, nothing: T, find: () => T): T {
    const known = answers.get(fn);
    if (known !== undefined) return known;
    if (this.#inProgress.has(fn)) {
      this.#cut.add(fn);
      return nothing;
    }
    this.#inProgress.add(fn);
    const answer = find();
    this.#inProgress.delete(fn);
    this.#cut.delete(fn);
    if (this.#cut.size === 0) answers.set(fn, answer);
    return answer;
  }

  /** Whether a short function of the project begins or ends a transaction and leaves it so. */
  #turnIn(closure: Closure): Turn | undefined {
    return this.#once(this.#turns, closure.fn, null, () => this.#findTurn(closure) ?? null) ?? undefined;
  }

  #findTurn(closure: Closure): Turn | undefined {
    const { fn } = closure;
    let last: Turn | undefined;
    if (fn.body && fn.end - fn.start <= SHORT) {
      execute(fn.body, { fn, args: undefined, self: closure.self, up: closure.frame }, this.#program.values, {
        call: (call, inner) => {
          const turn = this.turnOf(call, inner);
          // a begin that is committed here is over when the function returns
          if (turn) last = last === "begin" && turn !== "begin" ? undefined : turn;
          return false;
        },
        template: (template, inner) => {
          last = this.turnOfTemplate(template, inner) ?? last;
          return false;
        },
        handler: () => "on",
      });
    }
    return last;
  }
}

/** `descriptor.value = function …` */
function replacementIn(node: Node): FunctionNode | undefined {
  if (
    node.kind === "assign" &&
    node.target.kind === "member" &&
    node.target.property === "value" &&
    node.value.kind === "function"
  )
    return node.value;
  if (node.kind === "function" || node.kind === "class") return undefined;
  for (const child of childrenOf(node)) {
    const inner = replacementIn(child);
    if (inner) return inner;
  }
  return undefined;
}

function mentionsParameters(call: CallNode, fn: FunctionNode): boolean {
  const names = new Set(
    fn.params.flatMap((parameter) => (parameter.target.kind === "name" ? [parameter.target.text] : [])),
  );
  const mentions = (node: Node): boolean =>
    (node.kind === "name" && names.has(node.text)) || childrenOf(node).some(mentions);
  return names.size === 0 || call.args.some(mentions);
}

/**
 * Where types end (`ctx.db` is `any`), the shape still tells: `db.transaction(async (tx) => …)`. Nothing else that is
 * called so takes an async function with such a parameter.
 */
function openedByShape(call: CallNode, name: string | undefined): readonly Opened[] {
  if (call.callee.kind !== "member" || name === undefined || !/transaction$/i.test(name)) return [];
  const argument = call.args.findIndex((candidate) => candidate.kind === "function" && candidate.isAsync);
  const callback = call.args[argument];
  const handle = callback?.kind === "function" ? callback.params[0]?.target : undefined;
  if (handle?.kind !== "name" || !/(?:^t|tx|trx|txn|transaction)$/i.test(handle.text)) return [];
  return [{ label: name, argument, path: [], entry: undefined, by: undefined, reruns: false }];
}

function isBegunByShape(call: CallNode, name: string): boolean {
  const declarator = call.parent?.kind === "await" ? call.parent.parent : call.parent;
  if (declarator?.kind !== "declarator" || declarator.target.kind !== "name" || !/transaction|trx/i.test(name))
    return false;
  const fn = enclosingFunction(call);
  const text = fn ? fn.file.text.slice(call.end, fn.end) : "";
  const handle = declarator.target.text.replaceAll("$", "\\$");
  const ends = (verb: string) =>
    new RegExp(`\\b${handle}\\.${verb}\\w*\\(|\\b${verb}\\w*\\((?:[^()]*[,\\s{])?${handle}\\b`, "i").test(text);
  return ends("commit") && ends("rollback");
}

/** A builder's commit counts where it is run (`trx.commit().execute()`). */
function isRun(call: CallNode, entry: EntryOf<"manual">): boolean {
  if (entry.ranBy === undefined) return true;
  return call.parent?.kind === "member" && call.parent.property === entry.ranBy;
}
