import type { FileAnalysis, Program } from "./analysis.js";
import { callersOf } from "./callers.js";
import {
  childrenOf,
  contains,
  enclosingFunction,
  type CallNode,
  type FunctionNode,
  type Node,
  type TryNode,
} from "./code/node.js";
import { functionsAtTop } from "./ambient-file.js";
import { isOutside, scopeOfDecorator } from "./decorator-scope.js";
import { refsOfDecorator } from "./decorators.js";
import { describedTransaction, functionsOfWork } from "./described-work.js";
import { nameOfCallee } from "./effects.js";
import { execute, type Flow, type Visitor } from "./execution.js";
import { oneOrMore } from "./knowledge.js";
import { triedTransaction } from "./finally-around.js";
import { hooksOfCall, hooksOfClass, type Hook } from "./lifecycle-hooks.js";
import { transactionalRoute } from "./middleware.js";
import { reachKinds, type Reach, type ReachedDispatch, type ReachedEffect } from "./reach.js";
import { rerunAround, type Rerun } from "./retries.js";
import { labelOf } from "./semantics.js";
import { turnOfSql } from "./sql-turns.js";
import { mayHoldTransactions } from "./transaction-gate.js";
import type { Frame, Settled } from "./values.js";

/** Of a function with more callers than this, some caller will pass what leads to the dispatch. */
const CALLERS = 3;

/** Code that runs while a transaction is open. */
export interface Scope {
  readonly kind: "callback" | "decorator" | "manual" | "handle" | "hook" | "middleware" | "ambient" | "finally";
  /** What opens the transaction: `PrismaClient.$transaction`, `@Transactional`; for "ambient" the pattern of the settings. */
  readonly label: string;
  /** The call, decorator, parameter or method that says so. */
  readonly openedAt: Node;
  /** The function whose body (or part of it) is inside. */
  readonly body: Node;
  /** Who runs it again after a conflict. */
  readonly rerun?: Rerun | undefined;
}

/** Something that runs inside a transaction, and where in this file it stands or is reached from. */
export interface Inside<Reached> {
  readonly scope: Scope;
  readonly node: Node;
  /** From the node on; what is reached itself last. Empty where a decorator dispatches. */
  readonly path: readonly CallNode[];
  readonly reached: Reached;
  /** What the transaction's handle is called, where it has a name. */
  readonly frame: Frame | undefined;
}
export type DispatchInside = Inside<Omit<ReachedDispatch, "path">>;
export type EffectInside = Inside<Omit<ReachedEffect, "path">>;

/** What a file does inside transactions, each place of each kind once. */
export interface WorkInside {
  readonly scopes: readonly Scope[];
  readonly dispatches: readonly DispatchInside[];
  readonly effects: readonly EffectInside[];
  readonly questions: readonly EffectInside[];
}

const idle: WorkInside = { scopes: [], dispatches: [], effects: [], questions: [] };
const found = new WeakMap<FileAnalysis, WorkInside>();

/** One walk for everything that matters inside a transaction. */
export function workInside(analysis: FileAnalysis): WorkInside {
  let work = found.get(analysis);
  if (!work) found.set(analysis, (work = mayHoldTransactions(analysis) ? new Search(analysis).run() : idle));
  return work;
}

type Kind = keyof Reach;

class Search {
  readonly #analysis: FileAnalysis;
  readonly #found: { readonly [K in Kind]: Map<Node, Inside<NonNullable<Reach[K]>>> } = {
    dispatch: new Map(),
    effect: new Map(),
    question: new Map(),
  };
  readonly #scopes: Scope[] = [];
  readonly #handleTypes: ReadonlySet<string>;

  constructor(analysis: FileAnalysis) {
    this.#analysis = analysis;
    this.#handleTypes = new Set(
      analysis.knowledge.libraries.flatMap((library) =>
        (library.handles ?? []).filter((handle) => handle.proves).flatMap((handle) => oneOrMore(handle.type)),
      ),
    );
  }

  run(): WorkInside {
    this.#visit(this.#analysis.file.root);
    this.#ambient();
    return {
      scopes: this.#scopes,
      dispatches: this.#remaining("dispatch"),
      effects: this.#remaining("effect"),
      questions: this.#remaining("question"),
    };
  }

  #remaining<K extends Kind>(kind: K): readonly Inside<NonNullable<Reach[K]>>[] {
    return [...this.#found[kind].values()]
      .filter((inside) => !this.#isRuledOut(kind, inside))
      .sort((a, b) => a.node.start - b.node.start);
  }

  /** Whether the few callers of the function around a transaction all pass what leads to a branch without it. */
  #isRuledOut(kind: Kind, { scope, node }: Inside<unknown>): boolean {
    const { body } = scope;
    if (body.kind !== "function" || !body.body || !contains(body, node)) return false;
    const fn = scope.kind === "callback" ? enclosingFunction(body) : scope.kind === "decorator" ? body : undefined;
    // of one file alone, nobody knows all callers
    if (!fn || fn.params.length === 0 || !this.#analysis.semantics.isTyped) return false;
    const inside = body.body;
    const calls = callsOf(fn, this.#analysis);
    return (
      calls.length > 0 &&
      calls.every((call) => {
        const called = this.#analysis.values.enter(
          { kind: "closure", fn, frame: undefined, self: undefined },
          call,
          undefined,
        );
        const again = new Search(this.#analysis);
        again.#body(scope, inside, fn === body ? called : { fn: body, args: undefined, self: undefined, up: called });
        return !again.#found[kind].has(node);
      })
    );
  }

  /** Looks at a node of the file and all below it. */
  #visit(node: Node): void {
    if (node.kind === "function") {
      this.#decorated(node);
      this.#withHandle(node);
    } else if (node.kind === "class") this.#hooks(hooksOfClass(node, this.#analysis));
    else if (node.kind === "call") {
      this.#opener(node);
      this.#route(node);
      this.#described(node);
      this.#hooks(hooksOfCall(node, this.#analysis));
      if (this.#analysis.wrappers.mayTurn(node)) this.#manual(node);
    } else if (node.kind === "template" && node.tag && turnOfSql(node.strings[0] ?? "")) this.#manual(node);
    else if (node.kind === "try" && node.finalizer) this.#finally(node, node.finalizer);
    for (const child of childrenOf(node)) this.#visit(child);
  }

  /** Functions that were searched for begin … commit as a whole. */
  readonly #searched = new Set<Node>();

  // callbacks of openers

  #opener(call: CallNode): void {
    if (!this.#analysis.wrappers.openerNames.has(nameOfCallee(call) ?? "")) return;
    const { values, wrappers } = this.#analysis;
    for (const opened of wrappers.openedBy(call, undefined)) {
      const argument = call.args[opened.argument];
      if (!argument || isOutside(call, opened.entry?.outsideWhen)) continue;
      const settled = values.step(values.settle(argument, undefined), opened.path);
      if (settled?.kind !== "closure" || !settled.fn.body) continue;
      const rerun = opened.reruns ? { node: settled.fn, by: `\`${opened.label}\`` } : rerunAround(call, this.#analysis);
      const scope: Scope = { kind: "callback", label: opened.label, openedAt: call, body: settled.fn, rerun };
      this.#closure(scope, settled, argument);
    }
  }

  #route(call: CallNode): void {
    const route = transactionalRoute(call, this.#analysis);
    for (const handler of route?.handlers ?? []) {
      const settled = this.#analysis.values.settle(handler, undefined);
      if (route && settled.kind === "closure")
        this.#closure(
          { kind: "middleware", label: route.label, openedAt: route.middleware, body: settled.fn },
          settled,
          handler,
        );
    }
  }

  #described(call: CallNode): void {
    const transaction = describedTransaction(call, this.#analysis);
    if (!transaction) return;
    for (const { fn, at } of functionsOfWork(transaction.work, this.#analysis)) {
      const scope: Scope = { kind: "callback", label: transaction.label, openedAt: call, body: fn };
      this.#closure(scope, { kind: "closure", fn, frame: undefined, self: undefined }, at, contains(call, fn));
    }
  }

  /** A `finally` around a transaction runs after a rollback too. Where a condition decides, it may know which it was. */
  #finally(node: TryNode, finalizer: Node): void {
    const transaction = triedTransaction(node, this.#analysis);
    if (!transaction) return;
    const scope: Scope = { kind: "finally", ...transaction, body: finalizer };
    execute(finalizer, undefined, this.#analysis.values, {
      call: (call, frame) => {
        const { dispatch } = this.#analysis.effects.reachedBy(call, frame);
        if (dispatch?.path.length === 1 && ["queue", "topic", "workflow"].includes(dispatch.known.entry.to))
          this.#note("dispatch", { scope, node: call, path: [], reached: dispatch, frame });
        return false;
      },
      branches: () => "on",
    });
  }

  /** Runs a function that is inside as a whole; one of elsewhere is reported where it is handed over. */
  #closure(
    scope: Scope,
    closure: Extract<Settled, { kind: "closure" }>,
    reference: Node,
    isHere = closure.fn.file === this.#analysis.file,
  ): void {
    const { fn } = closure;
    if (!fn.body) return;
    const frame: Frame = { fn, args: undefined, self: closure.self, up: closure.frame };
    if (isHere) {
      this.#body(scope, fn.body, frame);
      return;
    }
    this.#enter(scope);
    execute(fn.body, frame, this.#analysis.values, {
      call: (call, inner) => {
        this.#noteAll(scope, this.#analysis.effects.reachedBy(call, inner), frame, () => [reference, 0]);
        return false;
      },
    });
  }

  // decorated methods

  #decorated(fn: FunctionNode): void {
    if (fn.decorators.length === 0 || !fn.body) return;
    const { knowledge, effects } = this.#analysis;
    for (const [index, decorator] of fn.decorators.entries()) {
      const scope = scopeOfDecorator(decorator, fn, this.#analysis);
      if (!scope) continue;
      this.#body(scope, fn.body, { fn, args: undefined, self: undefined, up: undefined });
      // decorators below are applied first, so what they run, runs inside
      for (const inner of fn.decorators.slice(index + 1)) {
        const innerRefs = refsOfDecorator(inner, this.#analysis);
        const [known] = knowledge.dispatchDecorators.find(innerRefs);
        const [ref] = innerRefs;
        if (known && ref)
          this.#note("dispatch", {
            scope,
            node: inner,
            path: [],
            reached: { path: [], ref: { ...ref, container: undefined, name: `@${ref.name}` }, known },
            frame: undefined,
          });
        const dispatched = this.#analysis.wrappers.decoratorBody(inner);
        if (!dispatched?.fn.body) continue;
        execute(
          dispatched.fn.body,
          { fn: dispatched.fn, args: undefined, self: undefined, up: dispatched.frame },
          this.#analysis.values,
          {
            call: (call, frame) => {
              this.#noteAll(scope, effects.reachedBy(call, frame), undefined, () => [inner, 0]);
              return false;
            },
          },
        );
      }
    }
  }

  // begin … commit

  #manual(inside: Node): void {
    const around = functionAround(inside);
    if (this.#searched.has(around)) return;
    this.#searched.add(around);
    const body = around.kind === "function" ? around.body : around;
    if (!body) return;
    const { values, wrappers } = this.#analysis;
    let scope: Scope | undefined;
    const join = (run: readonly (() => Flow)[]): Flow => {
      const before = scope;
      const after: { scope: Scope | undefined; flow: Flow }[] = run.map((branch) => {
        scope = before;
        return { flow: branch(), scope };
      });
      const on = after.filter(({ flow }) => flow !== "left");
      const fresh = on.map((end) => end.scope).find((end) => end !== undefined && end !== before);
      const ended = on.some((end) => end.scope === undefined);
      scope = fresh ?? (before && !ended ? before : undefined);
      if (on.length === 0) return after.some(({ flow }) => flow === "stop") ? "stop" : "left";
      return "on";
    };
    const visitor: Visitor = {
      call: (call, frame) => {
        const turn = wrappers.turnOf(call, frame);
        if (turn === "begin") {
          const { refs } = this.#analysis.effects.calledBy(call, frame);
          scope = {
            kind: "manual",
            label: refs[0] ? labelOf(refs[0]) : (nameOfCallee(call) ?? "begin"),
            openedAt: call,
            body: around,
            rerun: rerunAround(call, this.#analysis),
          };
          this.#enter(scope);
        } else if (turn) scope = undefined;
        else {
          if (scope) this.#inside(scope, call, frame);
          // what runs in a callback may end the transaction, or stand inside it
          for (const { fn, frame: up, self } of wrappers.ranBy(call, frame)) {
            if (fn.body && call.args.includes(fn)) execute(fn.body, { fn, args: undefined, self, up }, values, visitor);
          }
        }
        return false;
      },
      template: (template, frame) => {
        const turn = wrappers.turnOfTemplate(template, frame);
        if (turn === "begin") {
          scope = { kind: "manual", label: "BEGIN", openedAt: template, body: around };
          this.#enter(scope);
        } else if (turn) scope = undefined;
        return false;
      },
      branches: join,
      handler: (run) => {
        // what a catch block does, it does because the transaction failed
        const before = scope;
        scope = undefined;
        const flow = run();
        scope = before;
        return flow;
      },
    };
    execute(
      body,
      around.kind === "function" ? { fn: around, args: undefined, self: undefined, up: undefined } : undefined,
      values,
      visitor,
    );
  }

  // functions that are handed an open transaction

  #withHandle(fn: FunctionNode): void {
    if (!fn.body) return;
    const { knowledge, semantics } = this.#analysis;
    for (const parameter of fn.params) {
      const name = parameter.type?.path.at(-1);
      if (name === undefined || !this.#handleTypes.has(name) || parameter.isOptional) continue;
      const [handle] = knowledge.handlesOf(semantics.typesOfParameter(parameter)).filter(({ entry }) => entry.proves);
      if (!handle) continue;
      const scope: Scope = {
        kind: "handle",
        label: parameter.type?.path.join(".") ?? name,
        openedAt: parameter,
        body: fn,
      };
      this.#body(scope, fn.body, { fn, args: undefined, self: undefined, up: undefined });
    }
  }

  #hooks(hooks: readonly Hook[]): void {
    for (const { label, openedAt, closure, reference } of hooks)
      this.#closure({ kind: "hook", label, openedAt, body: closure.fn }, closure, reference);
  }

  #ambient(): void {
    const { file, knowledge } = this.#analysis;
    const pattern = knowledge.ambientPattern(file.path);
    if (pattern === undefined) return;
    const scope: Scope = { kind: "ambient", label: pattern, openedAt: file.root, body: file.root };
    for (const fn of functionsAtTop(file.root, this.#analysis)) {
      if (fn.body) this.#body(scope, fn.body, { fn, args: undefined, self: undefined, up: undefined });
    }
  }

  // what stands inside

  #enter(scope: Scope): void {
    if (!this.#scopes.includes(scope)) this.#scopes.push(scope);
  }

  #body(scope: Scope, body: Node, frame: Frame | undefined): void {
    this.#enter(scope);
    execute(body, frame, this.#analysis.values, {
      call: (call, inner) => {
        this.#inside(scope, call, inner);
        return false;
      },
    });
  }

  /** A call that runs inside: it dispatches, leads to a dispatch, or runs functions written in its arguments. */
  #inside(scope: Scope, call: CallNode, frame: Frame | undefined): void {
    const { effects, wrappers } = this.#analysis;
    if (scope.kind !== "manual") {
      for (const { fn, frame: around, self } of wrappers.ranBy(call, frame)) {
        if (fn.body && call.args.includes(fn)) this.#body(scope, fn.body, { fn, args: undefined, self, up: around });
      }
    }
    this.#noteAll(scope, effects.reachedBy(call, frame), frame, (path) => {
      const isIn = (step: CallNode, outer: Node) => step.file === call.file && contains(outer, step);
      const last = path.findLastIndex((step) => isIn(step, call));
      const local = scope.kind === "manual" ? last : path.findLastIndex((step) => isIn(step, scope.body));
      const at = Math.max(local, last, 0);
      return [path[at] ?? call, at];
    });
  }

  /** Notes all that a call leads to, each where its path leaves the code that can be changed here. */
  #noteAll(
    scope: Scope,
    reach: Reach,
    frame: Frame | undefined,
    placeOf: (path: readonly CallNode[]) => readonly [node: Node, step: number],
  ): void {
    for (const kind of reachKinds) this.#noteOne(kind, scope, reach[kind], frame, placeOf);
  }

  #noteOne<K extends Kind>(
    kind: K,
    scope: Scope,
    reached: Reach[K],
    frame: Frame | undefined,
    placeOf: (path: readonly CallNode[]) => readonly [node: Node, step: number],
  ): void {
    if (!reached) return;
    const [node, step] = placeOf(reached.path);
    this.#note(kind, { scope, node, path: reached.path.slice(step), reached, frame });
  }

  /** The innermost scope explains best; of equal ones the first. */
  #note<K extends Kind>(kind: K, inside: Inside<NonNullable<Reach[K]>>): void {
    const places = this.#found[kind];
    const known = places.get(inside.node);
    if (known && known.scope.body.end - known.scope.body.start <= inside.scope.body.end - inside.scope.body.start)
      return;
    places.set(inside.node, inside);
  }
}

/** The calls of a function, where every use of it is one and they are few. */
function callsOf(fn: FunctionNode, program: Program): readonly CallNode[] {
  const sites = callersOf(program).sitesOf(fn);
  const calls = sites.flatMap((site) =>
    site.parent?.kind === "call" && site.parent.callee === site ? site.parent : [],
  );
  return calls.length === sites.length && calls.length <= CALLERS ? calls : [];
}

function functionAround(node: Node): Node {
  let current = node;
  for (let above = node.parent; above; current = above, above = above.parent)
    if (above.kind === "function") return above;
  return current;
}
