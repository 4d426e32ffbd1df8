import type { FileAnalysis, Program } from "./analysis.js";
import { calledFunctions } from "./called-functions.js";
import { identitiesOf } from "./client-identity.js";
import { childrenOf, enclosingClass, type CallNode, type Node, type TemplateNode } from "./code/node.js";
import { nameOfCallee, type Called } from "./effects.js";
import { execute } from "./execution.js";
import { Joining } from "./joining.js";
import { oneOrMore, type Known } from "./knowledge.js";
import { openedOn, type OpenedOn } from "./opened-on.js";
import { isChainTop, isFloating, isHandedBack, isSent, linksOf, topOf } from "./query-chain.js";
import type { Statement } from "../catalogue/vocabulary.js";
import { turnOfText } from "./sql-turns.js";
import { isWritten, placesOf } from "./project-text.js";
import { argumentAt } from "./deferral.js";
import { isTestFile } from "./test-file.js";
import { insideTransactions, type Inside, type Scope } from "./transaction-scope.js";
import type { Frame, Settled } from "./values.js";

/** A statement that runs beside the transaction in whose code it stands. */
export interface OuterStatement {
  readonly scope: Scope;
  readonly opened: OpenedOn;
  /** Where this file sends it, or leads to it. */
  readonly node: Node;
  /** The calls from there to the statement, which comes last. */
  readonly path: readonly (CallNode | TemplateNode)[];
  readonly found: Found;
}

/** What sends a statement: a client, something injected that sends over one, or a member that was not given the handle. */
export type Found = { readonly statement: CallNode | TemplateNode } & (
  | { readonly kind: "client"; readonly client: Node }
  | { readonly kind: "through"; readonly client: Node }
  | { readonly kind: "statement"; readonly known: Known<Statement> }
);

type Reached = { readonly path: readonly (CallNode | TemplateNode)[]; readonly found: Found };
type Closure = Extract<Settled, { kind: "closure" }>;

/** Calls followed from the transaction to the statement. */
const DEPTH = 5;
/** Calls looked at for one transaction. */
const BUDGET = 2_000;

/** What was found of functions, by the client that it was looked for, and by what they are given. */
const answers = new WeakMap<object, Map<string, Map<string, Reached | null>>>();

function answersFor({ library, clients }: OpenedOn, { values }: Program): Map<string, Reached | null> {
  let byClient = answers.get(values);
  if (!byClient) answers.set(values, (byClient = new Map<string, Map<string, Reached | null>>()));
  const key = [library.name, ...clients.map((client) => client.key)].join("|");
  let found = byClient.get(key);
  if (!found) byClient.set(key, (found = new Map<string, Reached | null>()));
  return found;
}

/** The statements of a file that run beside the transaction in which they stand, each once. */
export function outerStatementsIn(analysis: FileAnalysis): readonly OuterStatement[] {
  if (isTestFile(analysis.file.path) || !analysis.knowledge.libraries.some(({ beside }) => beside)) return [];
  if (analysis.knowledge.ambientPattern(analysis.file.path) !== undefined) return [];
  const searches = new Map<Scope, Search | undefined>();
  const byNode = new Map<Node, OuterStatement>();
  for (const inside of insideTransactions(analysis)) {
    const { scope } = inside;
    if (!searches.has(scope)) {
      const opened = openedOn(scope, analysis);
      searches.set(scope, opened && new Search(opened, analysis));
    }
    const search = searches.get(scope);
    const reached = search?.at(inside);
    if (!search || !reached) continue;
    const node = inside.reference ?? inside.node;
    const known = byNode.get(node);
    // the innermost transaction explains best
    if (known && known.scope.body.end - known.scope.body.start <= scope.body.end - scope.body.start) continue;
    byNode.set(node, { scope, opened: search.opened, node, ...reached });
  }
  return [...byNode.values()].sort((a, b) => a.node.start - b.node.start);
}

class Search {
  readonly opened: OpenedOn;
  readonly #program: Program;
  readonly #joining: Joining;
  readonly #answers: Map<string, Reached | null>;
  readonly #running = new Set<Node>();
  #budget = BUDGET;

  constructor(opened: OpenedOn, program: Program) {
    this.opened = opened;
    this.#program = program;
    this.#joining = new Joining(program);
    this.#answers = answersFor(opened, program);
  }

  at({ node, frame }: Inside): Reached | undefined {
    if (node.kind === "template") {
      const found = this.#sentBy(node, undefined, frame);
      return found && { path: [node], found };
    }
    return node.kind === "call" ? this.#byCall(node, frame, 0) : undefined;
  }

  #byCall(call: CallNode, frame: Frame | undefined, depth: number): Reached | undefined {
    if (this.#budget-- <= 0) return undefined;
    const called = this.#program.effects.calledBy(call, frame);
    const found = this.#sentBy(call, called, frame);
    if (found) return { path: [call], found };
    if (isFloating(call)) return undefined;
    for (const { closure, frame: inner } of this.#followed(call, called, frame)) {
      const below = this.#byFunction(closure, inner, depth + 1);
      if (below && (!isHandedBack(below.path[0]) || this.#isSentByCaller(call, frame)))
        return { ...below, path: [call, ...below.path] };
    }
    return undefined;
  }

  /** A query that a function only makes is sent where the function is called, unless it is given the handle there. */
  #isSentByCaller(call: CallNode, frame: Frame | undefined): boolean {
    const top = topOf(call);
    return isSent(top) && !this.#isGivenHandle(top, frame);
  }

  #followed(call: CallNode, called: Called, frame: Frame | undefined): readonly { closure: Closure; frame: Frame }[] {
    const { values } = this.#program;
    const { callee } = called;
    if (callee.kind === "closure") return [{ closure: callee, frame: values.enter(callee, call, frame) }];
    const args = call.args.map((node) => ({ node, frame }));
    const self: Settled | undefined =
      callee.kind === "class" && call.isNew ? { kind: "instance", of: callee.node, made: call, frame } : undefined;
    // of several implementations, another one may be meant
    const functions = calledFunctions(call, called, this.#program);
    return (functions.length === 1 ? functions : []).map((fn) => ({
      closure: { kind: "closure", fn, frame: undefined, self },
      frame: { fn, args, self, up: undefined },
    }));
  }

  #byFunction({ fn }: Closure, frame: Frame, depth: number): Reached | undefined {
    const { knowledge, wrappers, effects, values } = this.#program;
    if (!fn.body || depth > DEPTH || this.#running.has(fn) || isTestFile(fn.file.path)) return undefined;
    if (knowledge.ambientPattern(fn.file.path) !== undefined || fn.decorators.length > 0) return undefined;
    const key = this.#keyOf(frame);
    const known = this.#answers.get(key);
    if (known !== undefined) return known ?? undefined;
    this.#running.add(fn);
    const result: { reached?: Reached | undefined } = {};
    const note = (reached: Reached | undefined) => {
      result.reached = reached;
      return reached !== undefined;
    };
    const walk = (body: Node, around: Frame): void => {
      execute(body, around, values, {
        call: (call, inner) => {
          for (const { fn: run, frame: up, self } of wrappers.callbacksIn(call, inner))
            if (run.body && !result.reached) walk(run.body, { fn: run, args: undefined, self, up });
          if (result.reached) return true;
          const reached = this.#byCall(call, inner, depth);
          const isOutside = reached && effects.isInOutsideBranch(call, inner, (node) => this.#isHandle(node, inner));
          return note(isOutside ? undefined : reached);
        },
        template: (template, inner) => note(this.at({ node: template, frame: inner } as Inside)),
      });
    };
    walk(fn.body, frame);
    this.#running.delete(fn);
    const { reached } = result;
    if (reached !== undefined || this.#budget > 0) this.#answers.set(key, reached ?? null);
    return reached;
  }

  #keyOf({ fn, args = [], self }: Frame): string {
    const identities = identitiesOf(this.#program);
    const made = self?.kind === "instance" ? String(self.made.start) + self.made.file.path : "";
    const given = args.map(({ node, frame }) =>
      this.#isHandle(node, frame) ? "handle" : identities.keyOf(node, frame),
    );
    return `${fn.file.path}:${String(fn.start)}(${given.join()})${made}`;
  }

  // statements

  #sentBy(node: CallNode | TemplateNode, called: Called | undefined, frame: Frame | undefined): Found | undefined {
    const byMember = called && node.kind === "call" ? this.#withoutHandle(node, called, frame) : undefined;
    if (byMember) return byMember;
    // a function of the project is followed instead
    if (called && ["closure", "class"].includes(called.callee.kind)) return undefined;
    if (!isChainTop(node) || !isSent(node)) return undefined;
    if (called && node.kind === "call" && this.#mayBeGivenHandle(node, called, frame)) return undefined;
    const links = linksOf(node);
    const client = this.#clientAmong(links, frame);
    const through = client ? undefined : this.#throughAmong(links, frame);
    const at = client ?? through;
    if (!at || this.#isIdle(at, node) || this.#isGivenHandle(node, frame)) return undefined;
    const { semantics } = this.#program;
    if (semantics.isTyped && !semantics.definitionOfProperty(node, "then")) return undefined;
    return { kind: client ? "client" : "through", client: at, statement: node };
  }

  #clientAmong(links: readonly Node[], frame: Frame | undefined): Node | undefined {
    const { clients } = this.opened;
    if (clients.length === 0) return undefined;
    const identities = identitiesOf(this.#program);
    return links.find((link) => {
      const identity = identities.of(link, frame);
      return identity && clients.some(({ key }) => key === identity.key);
    });
  }

  /** An injected repository of the library, where the project has one client only as far as is known. */
  #throughAmong(links: readonly Node[], frame: Frame | undefined): Node | undefined {
    const { beside } = this.opened.library;
    const [link] = links;
    const types = oneOrMore(beside?.through?.type);
    if (types.length === 0 || link?.kind !== "member" || link.object.kind !== "this") return undefined;
    const { semantics } = this.#program;
    const definition = semantics.definitionOfMember(link);
    const place =
      definition?.kind === "parameter"
        ? definition.parameter
        : definition?.kind === "field"
          ? definition.field
          : undefined;
    if (!place || frame?.self?.kind === "instance" || (place.kind === "field" && place.value)) return undefined;
    const [decorator] = place.decorators;
    const isInjected = decorator !== undefined || (enclosingClass(place)?.decorators.length ?? 0) > 0;
    // a second argument names a client
    if (!isInjected || (decorator?.kind === "call" && decorator.args.length > 1)) return undefined;
    if (this.#hasSeveralClients()) return undefined;
    return semantics
      .typesOf(link)
      .some(({ name, package: from }) => types.includes(name) && this.opened.library.packages.includes(from))
      ? link
      : undefined;
  }

  /** `Order.create(values)` without `{ transaction }`. */
  #withoutHandle(call: CallNode, { refs }: Called, frame: Frame | undefined): Found | undefined {
    const { knowledge } = this.#program;
    if (!knowledge.statements.hasName(nameOfCallee(call))) return undefined;
    const { library } = this.opened;
    const known = knowledge.statements
      .find(refs)
      .find(
        ({ library: other }) =>
          other === library || oneOrMore(other.beside?.partOf).some((name) => library.packages.includes(name)),
      );
    if (!known || isUnless(known.library.beside?.unless, this.#program) || this.#hasSeveralClients()) return undefined;
    if ((known.entry.isBindable && this.#mayBeBound(call, frame)) || this.#isGivenHandle(call, frame)) return undefined;
    if (known.entry.sentByChain && !isSent(topOf(call))) return undefined;
    if (this.#mayHoldHandle(call, known.entry, frame)) return undefined;
    const joined = known.entry.joins ? this.#joining.of(call, known.entry.joins, frame) : "no handle";
    return joined === "joined" ? undefined : { kind: "statement", known, statement: call };
  }

  /** `sequelize.query(sql, options)` goes over the client, and takes part by what it is given. */
  #mayBeGivenHandle(call: CallNode, { refs }: Called, frame: Frame | undefined): boolean {
    const { statements } = this.#program.knowledge;
    if (!statements.hasName(nameOfCallee(call))) return false;
    return statements
      .find(refs)
      .some(
        ({ entry }) =>
          entry.joins &&
          (this.#mayHoldHandle(call, entry, frame) || this.#joining.of(call, entry.joins, frame) === "joined"),
      );
  }

  /** Options that come from elsewhere (`{ ...ctx.options }`) may hold the handle, or be given it before they are read. */
  #mayHoldHandle(call: CallNode, { joins }: Statement, frame: Frame | undefined): boolean {
    return oneOrMore(joins).some((join) => {
      const given = "option" in join ? argumentAt(call, join.option.argument) : undefined;
      return given !== undefined && !this.#isWrittenOut(given, frame, 0);
    });
  }

  #isWrittenOut(node: Node, frame: Frame | undefined, depth: number): boolean {
    if (depth > DEPTH) return false;
    if (node.kind === "object")
      return node.properties.every(({ isSpread, value }) => !isSpread || this.#isWrittenOut(value, frame, depth + 1));
    if (node.kind === "conditional" || (node.kind === "binary" && node.operator === "&&"))
      // the condition itself is not what is spread
      return childrenOf(node)
        .slice(1)
        .every((child) => this.#isWrittenOut(child, frame, depth + 1));
    if (node.kind !== "name") return ["literal", "array", "template", "function"].includes(node.kind);
    const { semantics, values } = this.#program;
    if (values.settle(node, frame).kind === "absent") return true;
    const definition = semantics.definitionOfName(node);
    if (definition?.kind === "variable" && definition.path.length === 0) {
      const { init, isConst } = definition.declarator;
      return isConst && init?.kind === "object" && this.#isWrittenOut(init, frame, depth + 1);
    }
    if (definition?.kind !== "parameter" || definition.path.length > 0) return false;
    let up = frame;
    while (up && up.fn !== definition.fn) up = up.up;
    const given = up?.args?.[definition.index];
    return given !== undefined && this.#isWrittenOut(given.node, given.frame, depth + 1);
  }

  /** What is made inside, or passed, may be bound to the handle. */
  #mayBeBound(call: CallNode, frame: Frame | undefined): boolean {
    const { semantics, values } = this.#program;
    const { callee } = call;
    if (callee.kind === "member" && values.settle(callee.object, frame).kind === "class") return false;
    const [root] = linksOf(call);
    const definition = root?.kind === "name" ? semantics.definitionOfName(root) : undefined;
    return definition?.kind !== "class" && definition?.kind !== "declared";
  }

  #hasSeveralClients(): boolean {
    const made = oneOrMore(this.opened.library.beside?.madeBy);
    const { semantics } = this.#program;
    return made.length > 0 && (!semantics.isTyped || placesOf(made, semantics) > 1);
  }

  /** `$connect`, and transaction control, which is the matter of `no-transaction-on-pool`. */
  #isIdle(client: Node, node: Node): boolean {
    const idle = oneOrMore(this.opened.library.beside?.idle);
    const { parent } = client;
    const isNamed = parent?.kind === "member" && parent.object === client && idle.includes(parent.property ?? "");
    return isNamed || (node.kind === "call" && turnOfText(node.args[0]) !== undefined);
  }

  #isHandle(node: Node, frame: Frame | undefined): boolean {
    const identity = identitiesOf(this.#program).of(node, frame);
    return identity !== undefined && this.opened.handles.has(identity.key);
  }

  /** Whether the handle, or something that may hold it, is among what the calls of a chain are given. */
  #isGivenHandle(node: Node, frame: Frame | undefined): boolean {
    const isHandle = (value: Node): boolean => {
      if (value.kind === "name" || value.kind === "member") return this.#isHandle(value, frame);
      if (value.kind === "object") return value.properties.some((property) => isHandle(property.value));
      return value.kind === "array" && value.elements.some(isHandle);
    };
    for (let link: Node = node; link.kind === "call" || link.kind === "member";) {
      if (link.kind === "call" && link.args.some(isHandle)) return true;
      link = link.kind === "call" ? link.callee : link.object;
    }
    return false;
  }
}

/** Of one file alone, nobody knows what the project has set. */
function isUnless(word: string | undefined, { semantics }: Program): boolean {
  return word !== undefined && (!semantics.isTyped || isWritten(word, semantics));
}
