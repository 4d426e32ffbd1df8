import type { JobIdentity, Library } from "../catalogue/vocabulary.js";
import type { FileAnalysis, Program } from "./analysis.js";
import type { Arrival, ArrivalKind } from "./arrivals.js";
import { callersOf } from "./callers.js";
import type {
  CallNode,
  CodeFile,
  DeclaratorNode,
  FunctionNode,
  NameNode,
  Node,
  ParameterNode,
  TypeText,
} from "./code/node.js";
import { nameOfCallee } from "./effects.js";
import { Flow, isSmall } from "./flow.js";
import { libraryDeclares, oneOrMore, type EntryOf, type Known } from "./knowledge.js";
import { membersOf, occurrences } from "./occurrences.js";
import { packageOfSpecifier } from "./package-of.js";
import { packagesIn } from "./packages-in-play.js";
import { renamesIn } from "./renames.js";
import type { Semantics } from "./semantics.js";
import { resultsOf } from "./values.js";
import { isJobName, makesIdName, wordsOf } from "./words.js";

/** A call that makes a value that is new each time. */
export interface RandomValue {
  readonly call: CallNode;
  /** What it makes, for the message: `random UUID`. */
  readonly makes: string;
}

/** A read of the identity that a queue gives to a job, message or run. */
export interface IdentityRead {
  readonly node: Node;
  readonly identity: Known<JobIdentity>;
  /** `job.id`, as the library calls it. */
  readonly property: string;
}

/** Where something that is new each time makes something new. */
export type NewArrival = Arrival<Exclude<ArrivalKind, "changed" | "named">>;

const perSemantics = new WeakMap<Semantics, Origins>();

export function originsOf(program: Program): Origins {
  let origins = perSemantics.get(program.semantics);
  if (!origins) perSemantics.set(program.semantics, (origins = new Origins(program)));
  return origins;
}

/** Tells where values come from: from chance, or from the queue. */
export class Origins {
  readonly #program: Program;
  readonly #arrivals = new WeakMap<Node, readonly NewArrival[]>();
  readonly #randomValues = new WeakMap<CodeFile, readonly RandomValue[]>();
  readonly #makers = new WeakMap<FunctionNode, string | null>();
  readonly #randomSounds = new Map<string, boolean>();
  readonly #randomPackages: ReadonlySet<string>;
  readonly #identities: readonly {
    property: string;
    type: string;
    steps: readonly string[];
    known: Known<JobIdentity>;
  }[];

  constructor(program: Program) {
    this.#program = program;
    this.#randomPackages = new Set(
      program.knowledge.libraries
        .filter((library) => library.randoms)
        .flatMap((library) => [...library.packages, ...(library.importedFrom ?? [])]),
    );
    this.#identities = program.knowledge.libraries.flatMap((library) =>
      (library.identities ?? []).flatMap((entry) =>
        oneOrMore(entry.property).map((property) => {
          const [type = "", ...steps] = property.split(".");
          return { property, type, steps, known: { library, entry } };
        }),
      ),
    );
  }

  /** The calls of a file that make something random. */
  randomValuesIn({ file }: FileAnalysis): readonly RandomValue[] {
    let values = this.#randomValues.get(file);
    if (!values) this.#randomValues.set(file, (values = this.#findRandomValues(file)));
    return values;
  }

  #findRandomValues(file: CodeFile): readonly RandomValue[] {
    const calls = new Set<CallNode>();
    for (const name of this.#randomNamesIn(file)) {
      for (const node of occurrences(file, name)) {
        const call = node.parent;
        if (call?.kind === "call" && call.callee === node) calls.add(call);
      }
    }
    return [...calls].flatMap((call) => {
      const makes = this.randomnessOf(call);
      return makes === undefined ? [] : [{ call, makes }];
    });
  }

  /** What random value a call makes, directly or through small functions of the project. */
  randomnessOf(call: CallNode): string | undefined {
    const { knowledge, effects, semantics } = this.#program;
    const { callee, refs } = effects.calledBy(call, undefined);
    if (callee.kind === "closure") return this.makerOf(callee.fn);
    if (callee.kind === "other" && callee.node.kind === "call" && callee.node !== call) {
      // `const id = customAlphabet("…"); id()`
      const maker = knowledge.randoms
        .find(effects.calledBy(callee.node, undefined).refs)
        .find(({ entry }) => entry.returnsFunction);
      if (maker) return maker.entry.makes;
    }
    const known =
      refs.length > 0
        ? refs
        : callee.kind === "other" && !call.isNew && knowledge.randoms.hasName(nameOfCallee(call))
          ? semantics.signatureOf(call)
          : [];
    if (knowledge.replaySafe.find(known).length > 0) return undefined;
    for (const { entry } of (call.isNew ? knowledge.randomConstructors : knowledge.randoms).find(known)) {
      if (!entry.returnsFunction && (!entry.withoutArguments || call.args.length === 0)) return entry.makes;
    }
    const isRead = semantics.isTyped && refs.some((ref) => ref.isProject || ref.file !== undefined);
    return isRead || call.isNew ? undefined : randomByName(call);
  }

  /** What a small function of the project makes, if it makes something random. */
  makerOf(fn: FunctionNode): string | undefined {
    const known = this.#makers.get(fn);
    if (known !== undefined) return known ?? undefined;
    this.#makers.set(fn, null);
    const makes = isSmall(fn) ? resultsOf(fn).flatMap((result) => this.#randomIn(result, 0) ?? [])[0] : undefined;
    this.#makers.set(fn, makes ?? null);
    return makes;
  }

  /** Whether an expression is made of something random. */
  isRandom(node: Node): boolean {
    return this.#randomIn(node, 0) !== undefined;
  }

  /** Where the value of an expression becomes something new each time. */
  arrivalsOf(node: Node): readonly NewArrival[] {
    let arrivals = this.#arrivals.get(node);
    if (!arrivals)
      this.#arrivals.set(
        node,
        (arrivals = new Flow(this.#program, { isMaker: (fn) => this.makerOf(fn) !== undefined })
          .from(node)
          .filter(
            (arrival): arrival is NewArrival => !arrival.isGuarded && !["changed", "named"].includes(arrival.kind),
          )),
      );
    return arrivals;
  }

  /** The random value that an expression is made of. */
  #randomIn(node: Node, depth: number): string | undefined {
    if (depth > 6) return undefined;
    const any = (nodes: readonly Node[]) => nodes.flatMap((inner) => this.#randomIn(inner, depth + 1) ?? [])[0];
    switch (node.kind) {
      case "call": {
        const own = this.randomnessOf(node);
        if (own !== undefined) return own;
        // `randomBytes(8).toString("hex")`, `new OrderId(randomUUID())`, `Buffer.from(randomBytes(8))`
        if (node.callee.kind === "member") {
          const receiver = this.#randomIn(node.callee.object, depth + 1);
          if (receiver !== undefined) return receiver;
        }
        return any(node.args.filter((argument) => argument.kind === "call" || argument.kind === "name"));
      }
      // `KSUID.randomSync().string`
      case "member":
        return node.object.kind === "call" || node.object.kind === "member"
          ? this.#randomIn(node.object, depth + 1)
          : undefined;
      case "await":
        return node.argument && this.#randomIn(node.argument, depth + 1);
      case "template":
        return node.tag ? undefined : any(node.expressions);
      case "binary":
        return any([node.left, node.right]);
      case "conditional":
        return any([node.then, ...(node.otherwise ? [node.otherwise] : [])]);
      case "name": {
        const definition = this.#program.semantics.definitionOfName(node);
        return definition?.kind === "variable" && definition.path.length === 0 && definition.declarator.init
          ? this.#randomIn(definition.declarator.init, depth + 1)
          : undefined;
      }
      default:
        return undefined;
    }
  }

  /** Names in a file that may make something random: the libraries', those of imports, and names that say so. */
  #randomNamesIn(file: CodeFile): ReadonlySet<string> {
    const names = new Set<string>();
    for (const [, name = ""] of file.text.matchAll(/(?<![\w$])([A-Za-z_$][\w$]+)\s*(?:<[\w\s,.[\]]*>)?\(/g))
      if (this.#soundsRandom(name)) names.add(name);
    if (file.text.includes("new ObjectI")) names.add("ObjectId").add("ObjectID");
    for (const [from, to] of renamesIn(file)) if (this.#soundsRandom(from)) names.add(to);
    if (this.#importsMaker(file) && file.root.kind === "block") {
      for (const statement of file.root.body) {
        if (statement.kind !== "import" || !this.#randomPackages.has(packageOfSpecifier(statement.module) ?? ""))
          continue;
        for (const { local, imported } of statement.specifiers) if (imported === "default") names.add(local);
      }
    }
    // `const nano = customAlphabet(…)` makes a maker of any name
    for (const [, name = ""] of file.text.matchAll(
      /\bconst\s+([\w$]+)\s*=\s*(?:customAlphabet|customRandom|monotonicFactory|factory|init)\s*\(/g,
    ))
      names.add(name);
    return names;
  }

  #soundsRandom(name: string): boolean {
    let answer = this.#randomSounds.get(name);
    if (answer === undefined) {
      const { randoms, randomConstructors } = this.#program.knowledge;
      answer = randoms.hasName(name) || randomConstructors.hasName(name) || makesIdName(name);
      this.#randomSounds.set(name, answer);
    }
    return answer;
  }

  #importsMaker(file: CodeFile): boolean {
    for (const name of packagesIn(file)) if (this.#randomPackages.has(name)) return true;
    return false;
  }

  /** The places of a file that read an identity of a job, message, delivery or run. */
  identitiesReadIn({ file }: FileAnalysis): readonly IdentityRead[] {
    const reads = new Map<Node, IdentityRead>();
    for (const last of new Set(this.#identities.map(({ steps }) => steps.at(-1) ?? ""))) {
      if (!file.text.includes(last)) continue;
      const isTakenApart = speaksOfJobs(file) && takesApart(file, last);
      const places = isTakenApart
        ? [...occurrences(file, last), ...renamed(file, last)]
        : membersOf(file, last, mayNameJob);
      for (const node of places) {
        if (node.kind === "member" ? !mayBeJob(node.object) : !isTakenApart) continue;
        const read =
          node.kind === "member" ? this.#memberRead(node) : node.kind === "name" ? this.#nameRead(node) : undefined;
        if (read) reads.set(node, read);
      }
    }
    return [...reads.values()];
  }

  /** `job.id`, `message.fields.deliveryTag` */
  #memberRead(node: Extract<Node, { kind: "member" }>): IdentityRead | undefined {
    const steps: string[] = [];
    let root: Node = node;
    for (; root.kind === "member" && root.property !== undefined; root = root.object) {
      steps.unshift(root.property);
      const read = this.#identityAt(root.object, steps, node);
      if (read) return read;
    }
    return undefined;
  }

  /** `const { id } = job`, `async ({ id }: Job) => …`; the read is where the name is used. */
  #nameRead(node: NameNode): IdentityRead | undefined {
    const { parent } = node;
    if (parent?.kind === "pattern" || parent?.kind === "declarator" || parent?.kind === "parameter") return undefined;
    const definition = this.#program.semantics.definitionOfName(node);
    if ((definition?.kind !== "variable" && definition?.kind !== "parameter") || definition.path.length === 0)
      return undefined;
    const taken = definition.kind === "variable" ? takenFrom(definition.declarator) : definition.parameter;
    if (!taken || !(taken.kind === "parameter" ? mayTakeJob(taken) : mayBeJob(taken))) return undefined;
    const steps = definition.path.map(String);
    const root =
      definition.kind === "variable" && this.#program.semantics.isTyped && !definition.declarator.init
        ? definition.declarator.target
        : taken;
    for (let index = 0; index < steps.length; index++) {
      const read = this.#identityAt(
        index === 0 ? root : undefined,
        steps.slice(index),
        node,
        definition.kind === "parameter" ? definition.fn : undefined,
      );
      if (read) return read;
    }
    return undefined;
  }

  #identityAt(
    root: Node | undefined,
    steps: readonly string[],
    node: Node,
    fn?: FunctionNode,
  ): IdentityRead | undefined {
    const candidates = this.#identities.filter((candidate) => candidate.steps.join() === steps.join());
    if (candidates.length === 0) return undefined;
    const { semantics } = this.#program;
    const types =
      root === undefined ? [] : root.kind === "parameter" ? semantics.typesOfParameter(root) : semantics.typesOf(root);
    for (const { type, known, property } of candidates) {
      if (types.some((ref) => ref.name === type && libraryDeclares(known.library, ref)))
        return { node, identity: known, property };
    }
    if (types.length > 0) return undefined;
    const handler = fn
      ? callersOf(this.#program).handlers.handlerOf(fn)
      : root && this.#handlerWhoseJobIs(root, steps.length > 1);
    const own = handler && candidates.find(({ known }) => known.library === handler.library);
    return own && { node, identity: own.known, property: own.property };
  }

  /** The handler whose parameter an expression is, or an element of it: for code in which nothing is typed. */
  #handlerWhoseJobIs(
    node: Node,
    isDeep: boolean,
    depth = 0,
  ): { readonly library: Library; readonly entry: EntryOf<"handlers"> } | undefined {
    if (depth > 4) return undefined;
    if (node.kind === "member") {
      const handler = this.#handlerWhoseJobIs(node.object, isDeep, depth + 1);
      return handler && (node.index !== undefined || node.property === handler.entry.jobAt) ? handler : undefined;
    }
    if (node.kind === "await" && node.argument) return this.#handlerWhoseJobIs(node.argument, isDeep, depth + 1);
    if (node.kind !== "name") return undefined;
    const definition = this.#program.semantics.definitionOfName(node);
    if (definition?.kind === "parameter") {
      const handler = callersOf(this.#program).handlers.handlerOf(definition.fn);
      // `run.id` says enough, in whichever parameter it stands
      if (handler) return isDeep || handler.parameter === definition.index ? handler : undefined;
      const call = definition.fn.parent;
      return call?.kind === "call" && call.callee.kind === "member" && definition.index === 0
        ? this.#handlerWhoseJobIs(call.callee.object, isDeep, depth + 1)
        : undefined;
    }
    if (definition?.kind !== "variable") return undefined;
    const { declarator } = definition;
    if (declarator.init) return this.#handlerWhoseJobIs(declarator.init, isDeep, depth + 1);
    const loop = declarator.parent?.parent;
    return loop?.kind === "loop" && loop.iterated
      ? this.#handlerWhoseJobIs(loop.iterated, isDeep, depth + 1)
      : undefined;
  }
}

function speaksOfJobs(file: CodeFile): boolean {
  return /\bjobs?\b|message|delivery|\btask\(|\bSQS|record|\bstep\b/i.test(file.text);
}

/** Whether a pattern of the file takes a property out of something: `const { id } = job`, `({ id: jobId }) => …`, `for (const { id } of jobs)`. */
function takesApart(file: CodeFile, property: string): boolean {
  return new RegExp(`\\{[^{}]*\\b${property}\\b[^{}]*\\}\\s*(?:=(?!=|>)|of\\b|[:,)])`).test(file.text);
}

/** The same for the last word of an expression: what is no word may be anything. */
const mayNameJob = (word: string): boolean => word.length <= 2 || word === "this" || isJobName(word);

/** Types are only asked for where the name may be that of a job: `.id` stands everywhere. */
function mayBeJob(node: Node): boolean {
  switch (node.kind) {
    case "name":
      return node.text.length <= 2 || isJobName(node.text);
    case "member":
      return node.property === undefined ? mayBeJob(node.object) : isJobName(node.property);
    case "call":
      return mayGiveJob(node.callee);
    case "await":
      return node.argument !== undefined && mayBeJob(node.argument);
    case "this":
      return true;
    default:
      return false;
  }
}

/** `queue.getJob(id)`, `channel.get(queue)`, `boss.fetch(name)` */
function mayGiveJob(callee: Node): boolean {
  const text = callee.file.text.slice(callee.start, callee.end);
  return isJobName(text) || /queue|worker|channel|consum|boss|receiv|subscri|fetch|poll|pull|dequeue/i.test(text);
}

/** A parameter that is a pattern: its type, or who is given the function, says whether it may be a job. */
function mayTakeJob({ type, parent: fn }: ParameterNode): boolean {
  if (type) return namesOfType(type).some((name) => name.length <= 2 || isJobName(name));
  for (let inner = fn, around = fn?.parent; around; inner = around, around = around.parent) {
    if (around.kind === "call") return around.callee === inner || mayGiveJob(around.callee) || mayHandle(around.callee);
    if (around.kind === "block" || around.kind === "class") break;
  }
  return true;
}

function mayHandle(callee: Node): boolean {
  return /work|process|handle|handler|\bon(?:ce)?$|run|listen|func/i.test(
    callee.file.text.slice(callee.start, callee.end),
  );
}

function namesOfType(type: TypeText): readonly string[] {
  return [...type.path.slice(-1), ...type.typeArguments.flatMap(namesOfType)];
}

/** What a pattern takes apart; in a loop that is an element, which only types know. */
function takenFrom(declarator: DeclaratorNode): Node | undefined {
  const loop = declarator.parent?.parent;
  return declarator.init ?? (loop?.kind === "loop" ? loop.iterated : undefined);
}

/** A function that cannot be read, given nothing that an id could be made from, and called like a maker of ids. */
function randomByName(call: CallNode): string | undefined {
  const name = nameOfCallee(call) ?? "";
  const [verb = ""] = wordsOf(name);
  const isMaker = /uuid|nanoid|ulid|cuid|objectid/i.test(name)
    ? !/^(?:is|parse|validate|to|from|get)$/.test(verb)
    : /^(?:generate|gen|random|new|create|make|mk)$/.test(verb) && /(?:id|uid|key|ref)$/i.test(name);
  return isMaker && call.args.every((argument) => argument.kind === "literal") ? "random id" : undefined;
}

/** Uses of the names that patterns give to a property: `jobId` for `{ id: jobId }`. */
function renamed(file: CodeFile, property: string): readonly Node[] {
  const names = new Set(
    [...file.text.matchAll(new RegExp(`\\b${property}\\s*:\\s*([A-Za-z_$][\\w$]*)\\s*[,}=]`, "g"))].map(
      ([, name = ""]) => name,
    ),
  );
  return [...names]
    .filter((name) => name !== property)
    .flatMap((name) => occurrences(file, name).filter((node) => node.kind === "name"));
}
