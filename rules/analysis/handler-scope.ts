import type { Library, Member, OneOrMore } from "../catalogue/vocabulary.js";
import type { Program } from "./analysis.js";
import { calledFunctions } from "./called-functions.js";
import type { Callers } from "./callers.js";
import {
  enclosingFunction,
  type CallNode,
  type ClassNode,
  type CodeFile,
  type FunctionNode,
  type Node,
  type ParameterNode,
  type TypeText,
} from "./code/node.js";
import { callbackIndex } from "./deferral.js";
import { nameOfCallee } from "./effects.js";
import { libraryDeclares, oneOrMore, type EntryOf, type Known } from "./knowledge.js";
import { packageOfSpecifier } from "./package-of.js";
import { labelOf, type Ref } from "./semantics.js";
import { matchSlot, type Trail } from "./trail.js";
import { usesOfParameter } from "./uses.js";

type HandlerEntry = EntryOf<"handlers">;

/** A function that a worker calls with a job, and calls again when the job did not end well. */
export interface JobHandler {
  readonly fn: FunctionNode;
  readonly library: Library;
  readonly entry: HandlerEntry;
  /** The parameter in which the job arrives. */
  readonly parameter: number;
  /** The registration, where it is a call of its own. */
  readonly registration: CallNode | undefined;
}

interface Registered extends Known<HandlerEntry> {
  readonly registration: CallNode | undefined;
}

/** Passed listeners hear of a job; they do not work on it. */
const listeners = new Set(["on", "once", "addListener", "prependListener", "off", "removeListener"]);
const DEPTH = 3;

/** Tells which functions handle jobs. */
export class Handlers {
  readonly #program: Program;
  readonly #callers: Callers;
  readonly #memo = new WeakMap<FunctionNode, JobHandler | null>();
  readonly #registering = new Map<string, Registered | null>();
  readonly #ids = new WeakMap<FunctionNode, number>();
  #nextId = 0;
  readonly #byMethod = new Map<string, Known<HandlerEntry>[]>();
  readonly #byParameterType = new Map<string, Known<HandlerEntry>[]>();
  readonly #importing = new WeakMap<CodeFile, boolean>();
  readonly #byFunctionType = new Map<string, Known<HandlerEntry>[]>();

  constructor(program: Program, callers: Callers) {
    this.#program = program;
    this.#callers = callers;
    for (const library of program.knowledge.libraries.filter(deliversAgain)) {
      for (const entry of library.handlers ?? []) {
        const index = (map: Map<string, Known<HandlerEntry>[]>, names: OneOrMore<string> | undefined) => {
          for (const name of oneOrMore(names)) map.set(name, [...(map.get(name) ?? []), { library, entry }]);
        };
        if ("methods" in entry) index(this.#byMethod, entry.methods);
        if ("parameterType" in entry) index(this.#byParameterType, entry.parameterType);
        if ("functionType" in entry) index(this.#byFunctionType, entry.functionType);
      }
    }
  }

  /** What makes a function a job handler, as its own declaration and the place where it stands tell. */
  handlerOf(fn: FunctionNode): JobHandler | undefined {
    const known = this.#memo.get(fn);
    if (known !== undefined) return known ?? undefined;
    this.#memo.set(fn, null);
    const handler = this.#decorated(fn) ?? this.#method(fn) ?? this.#inline(fn) ?? this.#typed(fn);
    this.#memo.set(fn, handler ?? null);
    return handler;
  }

  /** The handler that a function becomes where it is named: `new Worker("mail", sendMail)`. */
  handlerBy(fn: FunctionNode, reference: Node): JobHandler | undefined {
    const registered = this.registrationOf(reference);
    return registered && { ...registered, fn, parameter: registered.entry.job ?? 0 };
  }

  /** The registration that an expression is given to as the handler, directly or through functions of the project. */
  registrationOf(node: Node, depth = 0): Registered | undefined {
    let trail: Trail = [];
    let current = node;
    for (let above = current.parent, calls = 0; above; current = above, above = above.parent) {
      switch (above.kind) {
        case "property":
          if (!above.isSpread) trail = [above.key ?? "*", ...trail];
          break;
        case "array":
          trail = ["[]", ...trail];
          break;
        case "object":
        case "await":
        case "conditional":
        case "binary":
          break;
        case "member":
          // `handlers[name]`, `handle.bind(this)`
          if (above.object !== current) return undefined;
          trail = [];
          break;
        case "call": {
          if (above.callee === current) {
            if (current.kind === "member" && current.property === "bind") break;
            return undefined;
          }
          const index = above.args.indexOf(current);
          const found = this.#mayRegister(above)
            ? (this.#slotAt(above, index, trail) ?? this.#throughProject(above, index, trail, depth))
            : undefined;
          if (found) return found;
          // a wrapper's result may be what is registered: `new Worker(name, traced(handler))`
          if (++calls > 2) return undefined;
          trail = [];
          break;
        }
        default:
          return undefined;
      }
    }
    return undefined;
  }

  /** `items.map(…)` registers nothing where neither a library in play nor the project has a member of that name to do so. */
  #mayRegister({ callee, isNew }: CallNode): boolean {
    const name = callee.kind === "member" && !isNew ? callee.property : undefined;
    if (name === undefined || name === "call" || name === "apply") return true;
    const { knowledge, semantics } = this.#program;
    return knowledge.handlerCalls.hasName(name) || knowledge.ownNames.has(name) || semantics.mayDeclareMember(name);
  }

  #decorated(fn: FunctionNode): JobHandler | undefined {
    for (const decorator of fn.decorators) {
      for (const known of this.#program.knowledge.handlerDecorators.find(this.refsOfDecorator(decorator))) {
        if (deliversAgain(known.library))
          return { ...known, fn, parameter: known.entry.job ?? 0, registration: undefined };
      }
    }
    return undefined;
  }

  /** Names that a decorator may stand under in the catalogue: `Process`, and `DBOS.workflow` for a member. */
  refsOfDecorator(decorator: Node): readonly Ref[] {
    const callee = decorator.kind === "call" ? decorator.callee : decorator;
    const settled = this.#program.values.settle(callee, undefined);
    return this.#program.effects
      .refsOfCallee(callee, settled)
      .map((ref) => ({ ...ref, container: undefined, name: labelOf(ref) }));
  }

  #method(fn: FunctionNode): JobHandler | undefined {
    const { owner } = fn;
    if (owner?.kind !== "class" || fn.name === undefined || fn.role !== "method") return undefined;
    for (const known of this.#byMethod.get(fn.name) ?? []) {
      if (this.#isOfClass(owner, known))
        return { ...known, fn, parameter: known.entry.job ?? 0, registration: undefined };
    }
    return undefined;
  }

  #isOfClass(owner: ClassNode, { library, entry }: Known<HandlerEntry>): boolean {
    if (!("methods" in entry)) return false;
    const isOne = (names: OneOrMore<string> | undefined) => (ref: Ref) =>
      oneOrMore(names).includes(ref.name) && libraryDeclares(library, ref);
    if (oneOrMore(entry.classDecorator).length > 0 && this.#decoratedWith(owner, library, entry.classDecorator))
      return true;
    return (
      this.#basesOf(owner).some(isOne(entry.extends)) ||
      owner.interfaces.flatMap((type) => refsOfType(type, owner.file)).some(isOne(entry.implements))
    );
  }

  #decoratedWith(owner: ClassNode, library: Library, decorators: OneOrMore<Member> | undefined): boolean {
    const wanted = oneOrMore(decorators).map((member) => member.slice(1));
    return owner.decorators.some((decorator) =>
      this.refsOfDecorator(decorator).some((ref) => wanted.includes(ref.name) && libraryDeclares(library, ref)),
    );
  }

  /** The library classes that a class extends, through classes of the project. */
  #basesOf(owner: ClassNode, depth = 0): readonly Ref[] {
    const { superClass } = owner;
    if (!superClass || depth > 6) return [];
    const base = this.#program.values.settle(superClass, undefined);
    if (base.kind === "declared") return base.refs.map((ref) => ({ ...ref, container: undefined }));
    return base.kind === "class" && base.node !== owner ? this.#basesOf(base.node, depth + 1) : [];
  }

  /** Written where it is registered: `queue.process(async (job) => …)`. */
  #inline(fn: FunctionNode): JobHandler | undefined {
    const place = fn.parent;
    if (
      !place ||
      fn.owner?.kind === "class" ||
      !["call", "property", "object", "array", "conditional", "binary"].includes(place.kind)
    )
      return undefined;
    return this.handlerBy(fn, fn);
  }

  #typed(fn: FunctionNode): JobHandler | undefined {
    const { parent } = fn;
    const type = parent?.kind === "declarator" || parent?.kind === "field" ? parent.type : undefined;
    for (const ref of type ? refsOfType(type, fn.file) : []) {
      const known = this.#byFunctionType.get(ref.name)?.find(({ library }) => libraryDeclares(library, ref));
      if (known) return { ...known, fn, parameter: known.entry.job ?? 0, registration: undefined };
    }
    if (parent?.kind === "call" && parent.callee.kind === "member" && listeners.has(parent.callee.property ?? ""))
      return undefined;
    for (const [index, parameter] of fn.params.entries()) {
      if (!this.#mayBeJob(parameter)) continue;
      const known = this.#typesIn(parameter).flatMap(
        (ref) => this.#byParameterType.get(ref.name)?.filter(({ library }) => libraryDeclares(library, ref)) ?? [],
      )[0];
      if (known) return { ...known, fn, parameter: index, registration: undefined };
    }
    return undefined;
  }

  /** Types of parameters are only asked for where an annotation says so: a function without one is known by where it is given. */
  #mayBeJob(parameter: ParameterNode): boolean {
    const name = parameter.type?.path.at(-1);
    if (name !== undefined)
      return (
        this.#byParameterType.has(name) || /job|message|msg|event|record|task|payload|delivery|helpers/i.test(name)
      );
    return parameter.target.kind === "pattern" && this.#importsJobType(parameter.file);
  }

  #importsJobType(file: CodeFile): boolean {
    const known = this.#importing.get(file);
    if (known !== undefined) return known;
    const imports =
      file.root.kind === "block" &&
      file.root.body.some(
        (statement) =>
          statement.kind === "import" &&
          statement.specifiers.some(({ imported }) => this.#byParameterType.has(imported)),
      );
    this.#importing.set(file, imports);
    return imports;
  }

  #typesIn(parameter: ParameterNode): readonly Ref[] {
    const { semantics } = this.#program;
    const { target } = parameter;
    if (target.kind !== "pattern" || parameter.type) return semantics.typesOfParameter(parameter);
    return target.entries.flatMap((entry) => (entry.target.kind === "name" ? semantics.typesOf(entry.target) : []));
  }

  /** Whether an argument's place is where a library takes a handler. */
  #slotAt(call: CallNode, index: number, trail: Trail): Registered | undefined {
    const { knowledge, effects, semantics } = this.#program;
    const { callee, refs } = effects.calledBy(call, undefined);
    const members = call.isNew ? knowledge.handlerConstructors : knowledge.handlerCalls;
    if (!members.hasName(nameOfCallee(call)) && (callee.kind === "closure" || callee.kind === "class"))
      return undefined;
    const found = members.find(refs.length > 0 || call.isNew ? refs : semantics.signatureOf(call));
    const fits = found.find(({ library, entry }) => {
      if (
        !deliversAgain(library) ||
        !("registeredBy" in entry) ||
        callbackIndex(call, entry.handler.argument) !== index
      )
        return false;
      return matchSlot(entry.handler.path, trail)?.length === 0 && isAbout(entry, call);
    });
    return fits && { ...fits, registration: call };
  }

  /** `WorkerManager.register(name, processor)`, which hands its parameter on to `new Worker`. */
  #throughProject(call: CallNode, index: number, trail: Trail, depth: number): Registered | undefined {
    if (depth >= DEPTH) return undefined;
    const called = this.#program.effects.calledBy(call, undefined);
    for (const fn of calledFunctions(call, called, this.#program)) {
      const registered = this.#registers(fn, index, trail, depth);
      if (registered) return registered;
    }
    return undefined;
  }

  /** Whether a function registers what it is given. */
  #registers(fn: FunctionNode, index: number, trail: Trail, depth: number): Registered | undefined {
    let id = this.#ids.get(fn);
    if (id === undefined) this.#ids.set(fn, (id = this.#nextId++));
    const key = `${String(id)}:${String(index)}:${trail.join(".")}:${String(depth)}`;
    const known = this.#registering.get(key);
    if (known !== undefined) return known ?? undefined;
    this.#registering.set(key, null);
    let found: Registered | undefined;
    for (const { node } of usesOfParameter(this.#program.semantics, fn, index, trail)) {
      found = this.registrationOf(node, depth + 1) ?? this.#calledInHandler(node, fn) ?? this.#keptForHandler(node);
      if (found) break;
    }
    this.#registering.set(key, found ?? null);
    return found;
  }

  /** `new Worker(name, (job) => processor(job))` in the function that was given `processor`. */
  #calledInHandler(node: Node, fn: FunctionNode): Registered | undefined {
    for (let inner = enclosingFunction(node); inner && inner !== fn; inner = enclosingFunction(inner)) {
      const handler = this.handlerOf(inner);
      if (handler) return handler;
    }
    return undefined;
  }

  /** `this.handlers.set(name, handler)`, where a handler of the same class later takes it from `this.handlers`. */
  #keptForHandler(node: Node): Registered | undefined {
    let kept = node.parent;
    while (kept?.kind === "property" || kept?.kind === "object" || kept?.kind === "array") kept = kept.parent;
    const holder =
      kept?.kind === "assign"
        ? kept.target
        : kept?.kind === "call" &&
            kept.callee.kind === "member" &&
            /^(?:set|push|add)$/.test(kept.callee.property ?? "")
          ? kept.callee.object
          : undefined;
    return holder && this.#callers.handlerThatReads(holder);
  }
}

/** Whether a worker of the library calls a handler again: listeners of an in-process bus hear an event once. */
function deliversAgain(library: Library): boolean {
  const { dispatches } = library;
  return (
    !dispatches || dispatches.length === 0 || dispatches.some(({ to }) => to !== "in-process bus" && to !== "pub/sub")
  );
}

function isAbout(entry: HandlerEntry, call: CallNode): boolean {
  if (!("registeredBy" in entry) || !entry.event) return true;
  const argument = call.args[entry.event.argument];
  return (
    argument?.kind === "literal" && typeof argument.value === "string" && entry.event.oneOf.includes(argument.value)
  );
}

/** What a written type may be called in the catalogue, by the import that its first name comes from. */
function refsOfType(type: TypeText, file: CodeFile): readonly Ref[] {
  const [first, ...rest] = type.path;
  const inner =
    first === "Promise" || first === "Array" || first === "ReadonlyArray" ? type.typeArguments[0] : undefined;
  if (inner) return refsOfType(inner, file);
  if (file.root.kind !== "block" || first === undefined) return [];
  for (const statement of file.root.body) {
    if (statement.kind !== "import") continue;
    const specifier = statement.specifiers.find(({ local }) => local === first);
    const name = packageOfSpecifier(statement.module);
    if (!specifier || name === undefined) continue;
    const imported =
      rest.at(-1) ?? (specifier.imported === "*" || specifier.imported === "default" ? first : specifier.imported);
    return [{ package: name, container: undefined, name: imported, file: undefined, isProject: false }];
  }
  return [];
}
