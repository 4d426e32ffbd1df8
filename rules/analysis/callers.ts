import { basename } from "node:path";

import type { Program } from "./analysis.js";
import {
  enclosingClass,
  enclosingFunction,
  type ClassNode,
  type CodeFile,
  type DeclaratorNode,
  type FieldNode,
  type FunctionNode,
  type Node,
  type PropertyNode,
} from "./code/node.js";
import { Handlers, type JobHandler } from "./handler-scope.js";
import { countOf, mentions, occurrences } from "./occurrences.js";
import type { Definition, Semantics } from "./semantics.js";
import { isTestFile } from "./test-file.js";
import { resultsOf } from "./values.js";

/** The functions from a job handler down to the one that was asked about, both included. */
export interface HandlerPath {
  readonly handler: JobHandler;
  readonly steps: readonly FunctionNode[];
}

/** What a function is known by: its declaration, and the names that callers use. */
interface Known {
  readonly fn: FunctionNode | undefined;
  readonly holder: DeclaratorNode | PropertyNode | FieldNode | undefined;
  readonly name: string | undefined;
}

interface Step {
  readonly known: Known;
  readonly below: Step | undefined;
  readonly depth: number;
}

const DEPTH = 6;
/** Functions looked at for one question. */
const BREADTH = 120;
/** Places looked at for one name: a name that stands at more is too common to be worth the search. */
const PLACES = 600;

const perSemantics = new WeakMap<Semantics, Callers>();

/** The callers of a program's functions, searched when somebody asks. */
export function callersOf(program: Program): Callers {
  let callers = perSemantics.get(program.semantics);
  if (!callers) perSemantics.set(program.semantics, (callers = new Callers(program)));
  return callers;
}

/** Searches upwards: who calls a function, and does a job handler stand at the end? */
export class Callers {
  readonly handlers: Handlers;
  readonly #program: Program;
  readonly #paths = new WeakMap<FunctionNode, HandlerPath | null>();
  readonly #sites = new WeakMap<object, readonly Node[]>();
  readonly #reading = new Set<string>();

  constructor(program: Program) {
    this.#program = program;
    this.handlers = new Handlers(program, this);
  }

  /** How a function is reached from a job handler, if it is. */
  handlerAbove(fn: FunctionNode): HandlerPath | undefined {
    const known = this.#paths.get(fn);
    if (known !== undefined) return known ?? undefined;
    this.#paths.set(fn, null);
    const path = this.#search(fn);
    this.#paths.set(fn, path ?? null);
    return path;
  }

  /** The places that name a function, in files that are no tests. */
  sitesOf(fn: FunctionNode): readonly Node[] {
    return this.#sitesOf(knownAs(fn));
  }

  /** The same in its own file alone, where nothing is searched for. */
  sitesInOwnFileOf(fn: FunctionNode): readonly Node[] {
    const known = knownAs(fn);
    return known.name === undefined ? [] : occurrences(fn.file, known.name).filter((node) => this.#names(node, known));
  }

  /** The places that name a function, where its name is so rare that they can be found at once; else `undefined`. */
  fewSitesOf(fn: FunctionNode, most: number): readonly Node[] | undefined {
    const { name } = knownAs(fn);
    if (name === undefined) return [];
    let count = 0;
    for (const file of this.#program.semantics.projectFiles())
      if ((count += countOf(file, name, most - count)) >= most) return undefined;
    return this.sitesOf(fn);
  }

  /** The handler that reads a field or variable in which handlers are kept. */
  handlerThatReads(holder: Node): JobHandler | undefined {
    let target = holder;
    while (
      target.kind === "member" &&
      (target.index || target.object.kind === "member" || target.object.kind === "name") &&
      target.object.kind !== "this"
    )
      target = target.object;
    const name = target.kind === "member" ? target.property : target.kind === "name" ? target.text : undefined;
    const key = `${holder.file.path}:${name ?? ""}`;
    if (name === undefined || this.#reading.has(key)) return undefined;
    this.#reading.add(key);
    try {
      const writer = enclosingFunction(holder);
      for (const use of occurrences(holder.file, name)) {
        const fn = enclosingFunction(use);
        if (!fn || fn === writer || isWrite(use) || !this.#isSame(use, target)) continue;
        const path = this.handlerAbove(fn);
        if (path) return path.handler;
      }
      return undefined;
    } finally {
      this.#reading.delete(key);
    }
  }

  /** Whether two places read the same variable, or the same field of their class. */
  #isSame(use: Node, target: Node): boolean {
    if (use.kind === "member")
      return target.kind === "member" && use.object.kind === "this" && enclosingClass(use) === enclosingClass(target);
    if (use.kind !== "name" || target.kind !== "name") return false;
    const [one, other] = [use, target].map((name) => this.#program.semantics.definitionOfName(name));
    return one?.kind === "variable" && other?.kind === "variable" && one.declarator === other.declarator;
  }

  #search(start: FunctionNode): HandlerPath | undefined {
    const seen = new Set<object>();
    const queue: Step[] = [{ known: knownAs(start), below: undefined, depth: 0 }];
    const push = (known: Known, below: Step) => {
      const id = known.fn ?? known.holder;
      if (id && !seen.has(id) && seen.size < BREADTH && below.depth < DEPTH) {
        seen.add(id);
        queue.push({ known, below, depth: below.depth + 1 });
      }
    };
    seen.add(start);
    for (let step = queue.shift(); step; step = queue.shift()) {
      const { fn } = step.known;
      if (fn) {
        const handler = this.handlers.handlerOf(fn);
        if (handler) return { handler, steps: functionsOf(step) };
        const around = enclosingFunction(fn);
        if (around) push(knownAs(around), step);
        for (const caller of this.#callersOfKept(fn)) push(knownAs(caller), step);
      }
      for (const site of this.#sitesOf(step.known)) {
        const handler = this.#handlerAt(functionsOf(step)[0] ?? start, site);
        if (handler) return { handler, steps: functionsOf(step) };
        const caller = enclosingFunction(site);
        if (caller) push(knownAs(caller), step);
        const made = site.parent;
        const isMade =
          fn !== undefined &&
          made?.kind === "call" &&
          made.callee === site &&
          resultsOf(fn).some((result) => result.kind === "function");
        const variable = variableAround(isMade ? made : site);
        if (variable) push({ fn: undefined, holder: variable, name: nameOf(variable) }, step);
      }
    }
    return undefined;
  }

  /**
   * A callback that an instance keeps (`new BatchProcessor(10, async (batch) => …)`) runs when the file that made the
   * instance calls its methods.
   */
  #callersOfKept(fn: FunctionNode): readonly FunctionNode[] {
    const call = fn.parent;
    if (call?.kind !== "call" || !call.isNew) return [];
    const index = call.args.indexOf(fn);
    const { callee } = this.#program.effects.calledBy(call, undefined);
    if (index === -1 || callee.kind !== "class") return [];
    const methods = callee.node.members.filter((member) => member.kind === "function" && member.role === "method");
    return methods.flatMap((method) =>
      method.name === undefined || method.kind !== "function"
        ? []
        : occurrences(fn.file, method.name).flatMap((node) => {
            const definition = node.kind === "member" ? this.#program.semantics.definitionOfMember(node) : undefined;
            return definition?.kind === "function" && definition.fn === method ? (enclosingFunction(node) ?? []) : [];
          }),
    );
  }

  /** Whether a place that names a function makes it a handler. */
  #handlerAt(fn: FunctionNode, site: Node): JobHandler | undefined {
    const { handlers } = this;
    const handler = handlers.handlerBy(fn, site) ?? this.#proxied(fn, site);
    if (handler) return handler;
    const call = site.parent;
    // `new Worker(name, makeHandler(deps))`: what the function returns is the handler
    const made =
      call?.kind === "call" && call.callee === site
        ? resultsOf(fn).find((result) => result.kind === "function")
        : undefined;
    return made?.kind === "function" && call ? handlers.handlerBy(made, call) : undefined;
  }

  #sitesOf(known: Known): readonly Node[] {
    const id = known.fn ?? known.holder;
    if (!id) return [];
    let sites = this.#sites.get(id);
    if (!sites) this.#sites.set(id, (sites = this.#find(known)));
    return sites;
  }

  #find(known: Known): readonly Node[] {
    const { semantics } = this.#program;
    const own = (known.fn ?? known.holder)?.file;
    if (!own || isGivenAway(known)) return [];
    const found: Node[] = [];
    let places = 0;
    const files = semantics.isTyped ? semantics.projectFiles() : [own];
    const isDefault = own.text.includes("export default");
    const module = basename(own.path).replace(/\.[^.]*$/, "");
    for (const file of files) {
      if (isTestFile(file.path) && file !== own) continue;
      for (const name of namesIn(
        file,
        known.name,
        isDefault && file !== own && mentions(file, module === "index" ? "from" : module),
      )) {
        for (const node of occurrences(file, name)) {
          if (++places > PLACES) return found;
          if (this.#names(node, known)) found.push(node);
        }
      }
    }
    return found;
  }

  /** Whether a place stands for the function that is known so. */
  #names(node: Node, known: Known): boolean {
    const { semantics } = this.#program;
    if (isDeclarationName(node)) return false;
    const definition =
      node.kind === "name"
        ? semantics.definitionOfName(node)
        : node.kind === "member"
          ? semantics.definitionOfMember(node)
          : undefined;
    if (!definition) return semantics.isTyped && this.#isTakenFromRegistry(node, known);
    if (known.holder && definitionHolder(definition) === known.holder) return true;
    const { fn } = known;
    if (!fn) return false;
    switch (definition.kind) {
      case "function":
        return definition.fn === fn || this.#overrides(fn, definition.fn);
      case "class":
        return fn.role === "constructor" && fn.owner === definition.node;
      case "declared":
        return (
          definition.refs.some((ref) => ref.isProject) &&
          (semantics.implementationsOf(definition).includes(fn) ||
            this.#implementsMember(known, definition) ||
            this.#completes(fn, definition))
        );
      case "variable":
        return this.#proxyOf(node, known) !== undefined;
      default:
        return false;
    }
  }

  #overrides(fn: FunctionNode, base: FunctionNode): boolean {
    return fn.name === base.name && base.owner?.kind === "class" && this.#basesOf(fn).includes(base.owner);
  }

  /** `const deps: Deps = { upload: async () => … }` implements `upload` of `Deps`. */
  #implementsMember(known: Known, { refs }: Extract<Definition, { kind: "declared" }>): boolean {
    const object =
      known.holder?.kind === "property"
        ? known.holder.parent
        : known.fn?.owner?.kind === "object"
          ? known.fn.owner
          : undefined;
    if (object?.kind !== "object" || !refs.some((ref) => ref.name === known.name)) return false;
    const expected = this.#program.semantics.expectedTypesOf(object);
    return refs.some(
      (ref) =>
        ref.name === known.name && expected.some((type) => type.name === ref.container && type.file === ref.file),
    );
  }

  /**
   * `await task.perform(job.data)` in a handler, where nobody knows what `task` is: a registry that the handler took it
   * from. The method is meant if its class completes or implements another one.
   */
  #isTakenFromRegistry(node: Node, { fn }: Known): boolean {
    const { parent } = node;
    if (node.kind !== "member" || parent?.kind !== "call" || parent.callee !== node || fn?.owner?.kind !== "class")
      return false;
    if (!fn.owner.superClass && fn.owner.interfaces.length === 0) return false;
    for (let around = enclosingFunction(node); around; around = enclosingFunction(around))
      if (this.handlers.handlerOf(around)) return true;
    return false;
  }

  /** A method of a class inside other code completes an abstract one as well. */
  #completes(fn: FunctionNode, { refs }: Extract<Definition, { kind: "declared" }>): boolean {
    return refs.some(
      (ref) =>
        ref.name === fn.name &&
        this.#basesOf(fn).some((base) => base.name === ref.container && base.file.path === ref.file),
    );
  }

  /** The classes of the project that the class of a method extends. */
  #basesOf(fn: FunctionNode): readonly ClassNode[] {
    const { semantics } = this.#program;
    const bases: ClassNode[] = [];
    let current = fn.owner?.kind === "class" ? fn.owner : undefined;
    while (current && bases.length < 6) {
      const { superClass }: ClassNode = current;
      const above: Definition | undefined =
        superClass?.kind === "name"
          ? semantics.definitionOfName(superClass)
          : superClass?.kind === "member"
            ? semantics.definitionOfMember(superClass)
            : undefined;
      current = above?.kind === "class" ? above.node : undefined;
      if (current) bases.push(current);
    }
    return bases;
  }

  /** `const { charge } = proxyActivities<typeof activities>()`: a worker runs the exported function of that name. */
  #proxied(fn: FunctionNode, site: Node): JobHandler | undefined {
    const proxy = this.#proxyOf(site, knownAs(fn));
    return proxy && { ...proxy, fn, parameter: 0, registration: undefined };
  }

  #proxyOf(site: Node, known: Known) {
    const { semantics, knowledge, effects } = this.#program;
    const { name, fn } = known;
    const variable = site.kind === "member" && site.object.kind === "name" ? site.object : site;
    const definition = variable.kind === "name" ? semantics.definitionOfName(variable) : undefined;
    const init = definition?.kind === "variable" ? definition.declarator.init : undefined;
    if (
      name === undefined ||
      !fn ||
      definition?.kind !== "variable" ||
      init?.kind !== "call" ||
      (variable === site && definition.path.join() !== name)
    )
      return undefined;
    const proxy = knowledge.handlerProxies.find(effects.calledBy(init, undefined).refs)[0];
    if (!proxy) return undefined;
    const meant = semantics.definitionOfProperty(init, name);
    const isMeant = meant
      ? (meant.kind === "function" && meant.fn === fn) ||
        (known.holder !== undefined && definitionHolder(meant) === known.holder)
      : !enclosingFunction(fn) && fn.owner === undefined;
    return isMeant ? proxy : undefined;
  }
}

/** The name and the declaration by which a function is called. */
export function knownAs(fn: FunctionNode): Known {
  if (fn.role === "constructor")
    return { fn, holder: undefined, name: fn.owner?.kind === "class" ? fn.owner.name : undefined };
  if (fn.name !== undefined && fn.role !== "function") return { fn, holder: undefined, name: fn.name };
  let place = fn.parent;
  // a wrapper's result is called in the place of the function: `const run = traced(async () => …)`
  for (let inner: Node = fn; place?.kind === "call" && place.args.includes(inner); place = place.parent) inner = place;
  if (place?.kind === "declarator" || place?.kind === "property" || place?.kind === "field")
    return { fn, holder: place, name: nameOf(place) ?? fn.name };
  return { fn, holder: undefined, name: fn.name };
}

/** `route({ handler: async () => … })`: only what the object is given to can call it. */
function isGivenAway({ fn, holder }: Known): boolean {
  const object = holder?.kind === "property" ? holder.parent : fn?.owner?.kind === "object" ? fn.owner : undefined;
  return object?.parent?.kind === "call" && object.parent.callee !== object;
}

function nameOf(holder: DeclaratorNode | PropertyNode | FieldNode): string | undefined {
  if (holder.kind === "declarator") return holder.target.kind === "name" ? holder.target.text : undefined;
  return holder.kind === "field" ? holder.name : holder.key;
}

/** The names under which a file may call something: its own, and those that imports give it. */
function namesIn(file: CodeFile, name: string | undefined, mayBeDefault: boolean): readonly string[] {
  const isNamed = name !== undefined && mentions(file, name);
  const names = isNamed ? [name] : [];
  if ((!isNamed && !mayBeDefault) || file.root.kind !== "block") return names;
  for (const statement of file.root.body) {
    if (statement.kind !== "import") continue;
    for (const { local, imported } of statement.specifiers) {
      if (local !== name && (imported === name || (mayBeDefault && imported === "default"))) names.push(local);
    }
  }
  return names;
}

function definitionHolder(definition: Definition): DeclaratorNode | PropertyNode | FieldNode | undefined {
  if (definition.kind === "variable") return definition.path.length === 0 ? definition.declarator : undefined;
  if (definition.kind === "property") return definition.property;
  return definition.kind === "field" ? definition.field : undefined;
}

/** A variable that holds what a place names: `const handlers = { [name]: handle }`, `const run = this.run.bind(this)`. */
function variableAround(site: Node): DeclaratorNode | undefined {
  let current: Node = site;
  for (let above = site.parent; above; current = above, above = above.parent) {
    if (above.kind === "declarator") return above.init === current ? above : undefined;
    const isHeld =
      ["property", "object", "array", "await", "conditional", "binary"].includes(above.kind) ||
      (above.kind === "member" && above.property === "bind") ||
      (above.kind === "call" &&
        (above.callee !== current || (current.kind === "member" && current.property === "bind")));
    if (!isHeld) return undefined;
  }
  return undefined;
}

function functionsOf(step: Step): FunctionNode[] {
  const functions: FunctionNode[] = [];
  for (let current: Step | undefined = step; current; current = current.below)
    if (current.known.fn) functions.push(current.known.fn);
  return functions;
}

function isDeclarationName(node: Node): boolean {
  const { parent } = node;
  return (
    (parent?.kind === "declarator" && parent.target === node) ||
    (parent?.kind === "parameter" && parent.target === node) ||
    parent?.kind === "pattern" ||
    (parent?.kind === "function" && parent.body !== node)
  );
}

function isWrite(node: Node): boolean {
  for (let current: Node | undefined = node, above = node.parent; above; current = above, above = above.parent) {
    if (above.kind === "assign") return above.target === current;
    if (above.kind === "call")
      return (
        above.callee.kind === "member" &&
        above.callee.object === current &&
        /^(?:set|push|add)$/.test(above.callee.property ?? "")
      );
    if (above.kind !== "member") return false;
  }
  return false;
}
