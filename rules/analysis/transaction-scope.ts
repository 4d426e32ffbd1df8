import type { FileAnalysis } from "./analysis.js";
import {
  childrenOf,
  contains,
  type CallNode,
  type FunctionNode,
  type Node,
  type TemplateNode,
  type TryNode,
} from "./code/node.js";
import { functionsAtTop } from "./ambient-file.js";
import { isOutside, scopeOfDecorator } from "./decorator-scope.js";
import { describedTransaction, functionsOfWork } from "./described-work.js";
import { nameOfCallee } from "./effects.js";
import { execute, type Flow, type Visitor } from "./execution.js";
import { oneOrMore } from "./knowledge.js";
import { triedTransaction } from "./finally-around.js";
import { hooksOfCall, hooksOfClass, type Hook } from "./lifecycle-hooks.js";
import { transactionalRoute } from "./middleware.js";
import { rerunAround, type Rerun } from "./retries.js";
import { labelOf } from "./semantics.js";
import { turnOfSql } from "./sql-turns.js";
import { mayHoldTransactions } from "./transaction-gate.js";
import type { Frame, Settled } from "./values.js";
import type { Opened } from "./wrappers.js";

/** Code that runs while a transaction is open. */
export interface Scope {
  readonly kind: "callback" | "decorator" | "manual" | "handle" | "hook" | "middleware" | "ambient" | "finally";
  /** What opens the transaction: `PrismaClient.$transaction`, `@Transactional`; for "ambient" the pattern of the settings. */
  readonly label: string;
  /** The call, decorator, parameter or method that says so. */
  readonly openedAt: Node;
  /** The function whose body (or part of it) is inside. */
  readonly body: Node;
  /** How the call at which it is opened opens it. */
  readonly opened?: Opened;
  /** Who runs it again after a conflict. */
  readonly rerun?: Rerun | undefined;
}

/** A call, tagged template or decorator that runs inside a transaction. */
export interface Inside {
  readonly scope: Scope;
  readonly node: Node;
  readonly frame: Frame | undefined;
  /** Where this file hands over the function, or stands the decorator, in which it runs; absent: it runs in this file. */
  readonly reference?: Node;
}

interface Transactions {
  readonly scopes: readonly Scope[];
  readonly inside: readonly Inside[];
}

const none: Transactions = { scopes: [], inside: [] };
const found = new WeakMap<FileAnalysis, Transactions>();

function transactionsIn(analysis: FileAnalysis): Transactions {
  let transactions = found.get(analysis);
  if (!transactions) {
    transactions = mayHoldTransactions(analysis) ? new Walk(analysis).run() : none;
    found.set(analysis, transactions);
  }
  return transactions;
}

/** The code of a file that runs while a transaction is open. */
export function scopesIn(analysis: FileAnalysis): readonly Scope[] {
  return transactionsIn(analysis).scopes;
}

/** Everything that runs inside a transaction of a file, each as often as it stands in one. */
export function insideTransactions(analysis: FileAnalysis): readonly Inside[] {
  return transactionsIn(analysis).inside;
}

/** What runs in one piece of code, in a frame. */
export function insideOf(
  scope: Scope,
  body: Node,
  frame: Frame | undefined,
  analysis: FileAnalysis,
): readonly Inside[] {
  return new Walk(analysis).body(scope, body, frame);
}

class Walk {
  readonly #analysis: FileAnalysis;
  readonly #inside: Inside[] = [];
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

  run(): Transactions {
    this.#visit(this.#analysis.file.root);
    this.#ambient();
    return { scopes: this.#scopes, inside: this.#inside };
  }

  body(scope: Scope, body: Node, frame: Frame | undefined): readonly Inside[] {
    this.#body(scope, body, frame);
    return this.#inside;
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
      const scope: Scope = { kind: "callback", label: opened.label, openedAt: call, body: settled.fn, opened, rerun };
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
        this.#inside.push({ scope, node: call, frame });
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
    const note = (node: CallNode | TemplateNode, inner: Frame | undefined) => {
      this.#inside.push({ scope, node, frame: inner, reference });
      return false;
    };
    execute(fn.body, frame, this.#analysis.values, { call: note, template: note });
  }

  // decorated methods

  #decorated(fn: FunctionNode): void {
    if (fn.decorators.length === 0 || !fn.body) return;
    for (const [index, decorator] of fn.decorators.entries()) {
      const scope = scopeOfDecorator(decorator, fn, this.#analysis);
      if (!scope) continue;
      this.#body(scope, fn.body, { fn, args: undefined, self: undefined, up: undefined });
      // decorators below are applied first, so what they run, runs inside
      for (const reference of fn.decorators.slice(index + 1)) {
        this.#inside.push({ scope, node: reference, frame: undefined, reference });
        const run = this.#analysis.wrappers.decoratorBody(reference);
        if (!run?.fn.body) continue;
        const frame: Frame = { fn: run.fn, args: undefined, self: undefined, up: run.frame };
        execute(run.fn.body, frame, this.#analysis.values, {
          call: (call, inner) => {
            this.#inside.push({ scope, node: call, frame: inner, reference });
            return false;
          },
        });
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
          if (scope) this.#inside.push({ scope, node: call, frame });
          // what runs in a callback may end the transaction, or stand inside it
          for (const { fn, frame: up, self } of wrappers.callbacksIn(call, frame))
            if (fn.body) execute(fn.body, { fn, args: undefined, self, up }, values, visitor);
        }
        return false;
      },
      template: (template, frame) => {
        const turn = wrappers.turnOfTemplate(template, frame);
        if (turn === "begin") {
          scope = { kind: "manual", label: "BEGIN", openedAt: template, body: around };
          this.#enter(scope);
        } else if (turn) scope = undefined;
        else if (scope) this.#inside.push({ scope, node: template, frame });
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
        // functions written in the arguments run before the call is over
        for (const { fn, frame: around, self } of this.#analysis.wrappers.callbacksIn(call, inner))
          if (fn.body) this.#body(scope, fn.body, { fn, args: undefined, self, up: around });
        this.#inside.push({ scope, node: call, frame: inner });
        return false;
      },
      template: (template, inner) => {
        this.#inside.push({ scope, node: template, frame: inner });
        return false;
      },
    });
  }
}

function functionAround(node: Node): Node {
  let current = node;
  for (let above = node.parent; above; current = above, above = above.parent)
    if (above.kind === "function") return above;
  return current;
}
