import type { CallNode, ClassNode, FunctionNode, MemberNode, Node, ObjectNode } from "./code/node.js";
import { childrenOf, enclosingFunction } from "./code/node.js";
import type { Definition, Path, Ref, Semantics } from "./semantics.js";

/** The call of a function that is being followed: what its parameters and `this` are. */
export interface Frame {
  readonly fn: FunctionNode;
  /** Absent entries are arguments that were not given; `undefined` as a whole: nothing is known of them. */
  readonly args: readonly Value[] | undefined;
  readonly self: Settled | undefined;
  readonly up: Frame | undefined;
  /** What was found of values in this frame; goes with it. */
  answers?: Map<Node, Settled>;
}

/** An expression and the calls around it. */
export interface Value<N extends Node = Node> {
  readonly node: N;
  readonly frame: Frame | undefined;
}

/** What a value turns out to be. */
export type Settled =
  | {
      readonly kind: "closure";
      readonly fn: FunctionNode;
      readonly frame: Frame | undefined;
      readonly self: Settled | undefined;
    }
  | { readonly kind: "object"; readonly node: ObjectNode; readonly frame: Frame | undefined }
  | { readonly kind: "instance"; readonly of: ClassNode; readonly made: CallNode; readonly frame: Frame | undefined }
  | { readonly kind: "class"; readonly node: ClassNode }
  | {
      readonly kind: "declared";
      readonly refs: readonly Ref[];
      readonly definition: Extract<Definition, { kind: "declared" }>;
    }
  /** A parameter of a function that nobody is known to call here. */
  | {
      readonly kind: "parameter";
      readonly fn: FunctionNode;
      readonly index: number;
      readonly path: Path;
      /** The member of a type of the project that it is declared as: `bus.publish` of an injected `EventBus`. */
      readonly declared?: Extract<Definition, { kind: "declared" }>;
    }
  /** `undefined`, `null`, an argument that was not given, a property that an object lacks. */
  | { readonly kind: "absent" }
  /** Anything else, as far as it was followed. */
  | { readonly kind: "other"; readonly node: Node; readonly frame: Frame | undefined };

const DEPTH = 16;
/** Values looked at for one question: a bound for code whose factories call factories. */
const STEPS = 2_000;

/** Follows values through constants, parameters, properties, fields and the results of functions. */
export class Values {
  readonly #semantics: Semantics;
  readonly #settled = new Map<Node, Settled>();
  #steps = STEPS;
  #isSettling = false;

  constructor(semantics: Semantics) {
    this.#semantics = semantics;
  }

  settle(node: Node, frame: Frame | undefined, depth = 0): Settled {
    if (node.kind === "function" || node.kind === "object" || node.kind === "literal")
      return this.#settle(node, frame, depth);
    const known = frame ? (frame.answers ??= new Map()) : this.#settled;
    const before = known.get(node);
    if (before) return before;
    if (!this.#isSettling) return this.#outermost(() => this.settle(node, frame, depth));
    if (depth > DEPTH || this.#steps-- <= 0) return { kind: "other", node, frame };
    // a value that is made of itself ends here
    known.set(node, { kind: "other", node, frame });
    const settled = this.#settle(node, frame, depth);
    // what is not known when the steps ran out may be known to the next question
    if (settled.kind === "other" && (depth > 0 || this.#steps <= 0)) known.delete(node);
    else known.set(node, settled);
    return settled;
  }

  /** Allows each question its full number of steps. */
  #outermost<T>(settle: () => T): T {
    this.#isSettling = true;
    this.#steps = STEPS;
    try {
      return settle();
    } finally {
      this.#isSettling = false;
    }
  }

  #settle(node: Node, frame: Frame | undefined, depth: number): Settled {
    const other: Settled = { kind: "other", node, frame };
    switch (node.kind) {
      case "function":
        return { kind: "closure", fn: node, frame, self: selfOf(frame) };
      case "object":
        return { kind: "object", node, frame };
      case "class":
        return { kind: "class", node };
      case "literal":
        return node.value === null ? { kind: "absent" } : other;
      case "await":
        return node.argument ? this.settle(node.argument, frame, depth + 1) : other;
      case "assign":
        return node.operator === "=" ? this.settle(node.value, frame, depth + 1) : other;
      case "sequence": {
        const last = node.body.at(-1);
        return last ? this.settle(last, frame, depth + 1) : other;
      }
      case "this":
        return this.#self(node, frame) ?? other;
      case "name":
        if (node.text === "undefined") return { kind: "absent" };
        return this.#definition(this.#semantics.definitionOfName(node), frame, depth) ?? other;
      case "member":
        return this.#member(node, frame, depth) ?? other;
      case "call":
        return this.#call(node, frame, depth) ?? other;
      case "conditional": {
        const truth = this.truth(node.test, frame);
        if (truth !== undefined)
          return truth
            ? this.settle(node.then, frame, depth + 1)
            : node.otherwise
              ? this.settle(node.otherwise, frame, depth + 1)
              : other;
        const then = this.settle(node.then, frame, depth + 1);
        const otherwise: Settled = node.otherwise ? this.settle(node.otherwise, frame, depth + 1) : { kind: "absent" };
        return otherwise.kind === "absent" ? then : then.kind === "absent" ? otherwise : other;
      }
      case "binary": {
        if (node.operator !== "??" && node.operator !== "||" && node.operator !== "&&") return other;
        const left = this.settle(node.left, frame, depth + 1);
        if (node.operator === "&&") return left.kind === "absent" ? left : this.settle(node.right, frame, depth + 1);
        if (left.kind === "absent") return this.settle(node.right, frame, depth + 1);
        return left.kind === "other" || left.kind === "parameter" ? other : left;
      }
      default:
        return other;
    }
  }

  /** Whether a condition holds, where that can be told from what was passed and what was not. */
  truth(node: Node, frame: Frame | undefined, depth = 0): boolean | undefined {
    if (depth > 6) return undefined;
    if (node.kind === "unary" && node.operator === "!") {
      const inner = this.truth(node.argument, frame, depth + 1);
      return inner === undefined ? undefined : !inner;
    }
    if (node.kind === "binary") {
      if (node.operator === "&&" || node.operator === "||") {
        const left = this.truth(node.left, frame, depth + 1);
        const right = this.truth(node.right, frame, depth + 1);
        const decisive = node.operator === "||";
        if (left === decisive || right === decisive) return decisive;
        return left === undefined || right === undefined ? undefined : !decisive;
      }
      if (/^[!=]==?$/.test(node.operator)) {
        const left = this.constant(node.left, frame);
        const right = this.constant(node.right, frame);
        if (!left || !right) return undefined;
        // absent is undefined or null, which is not told apart
        const same = left.value === right.value;
        return node.operator.startsWith("!") ? !same : same;
      }
      return undefined;
    }
    if (this.#isOfLibrary(node, frame)) return undefined;
    const settled = this.settle(node, frame);
    switch (settled.kind) {
      case "absent":
        return false;
      case "closure":
      case "object":
      case "instance":
      case "class":
        return true;
      case "other":
        return settled.node.kind === "literal" && settled.node.value !== undefined
          ? Boolean(settled.node.value)
          : undefined;
      default:
        return undefined;
    }
  }

  /** Whether a list surely has no elements: the `[]` of `items ?? []`, where no items were passed. */
  isEmpty(node: Node, frame: Frame | undefined): boolean {
    const settled = this.settle(node, frame);
    if (settled.kind !== "other" || settled.node.kind !== "array" || settled.node.elements.length > 0) return false;
    // an empty list with a name is there to be filled
    const { parent } = settled.node;
    const isPassed = parent?.kind === "property" && parent.parent?.parent?.kind === "call";
    return parent?.kind === "binary" || parent?.kind === "conditional" || isPassed;
  }

  /** Whether an expression is the `length` of what a library returned: no value that could be read, whatever the types say. */
  #isOfLibrary(node: Node, frame: Frame | undefined): boolean {
    if (node.kind !== "member" || node.property !== "length") return false;
    const { kind } = this.settle(node.object, frame);
    return (kind === "other" || kind === "declared") && !this.#semantics.mayDeclareMember("length");
  }

  /** A literal value, wrapped so that "absent" can be one too. */
  constant(node: Node, frame: Frame | undefined): { value: unknown } | undefined {
    if (this.#isOfLibrary(node, frame)) return undefined;
    const settled = this.settle(node, frame);
    if (settled.kind === "absent") return { value: undefined };
    if (settled.kind === "other" && settled.node.kind === "literal" && settled.node.value !== undefined)
      return { value: settled.node.value };
    if (settled.kind === "object" || settled.kind === "closure") return { value: settled };
    return undefined;
  }

  /** Steps from a settled value into its properties. */
  step(from: Settled, path: Path, depth = 0): Settled | undefined {
    let current: Settled | undefined = from;
    for (const key of path) {
      if (!current) return undefined;
      current = this.#property(current, key, depth);
    }
    return current;
  }

  #self(node: Node, frame: Frame | undefined): Settled | undefined {
    let up: Frame | undefined = frame;
    // an arrow function's `this` is that of the function around it
    while (up && (up.fn.isArrow || !isInside(node, up.fn))) up = up.up;
    return up?.self;
  }

  #definition(definition: Definition | undefined, frame: Frame | undefined, depth: number): Settled | undefined {
    switch (definition?.kind) {
      case "function":
        return { kind: "closure", fn: definition.fn, frame: frameAround(definition.fn, frame), self: undefined };
      case "class":
        return { kind: "class", node: definition.node };
      case "declared":
        return { kind: "declared", refs: definition.refs, definition };
      case "property":
        return this.settle(definition.property.value, frameAround(definition.property, frame), depth + 1);
      case "field":
        return definition.field.value
          ? this.settle(definition.field.value, frameAround(definition.field, frame), depth + 1)
          : undefined;
      case "variable": {
        const { init, isConst } = definition.declarator;
        if (!init || (!isConst && init.kind !== "function" && init.kind !== "call" && init.kind !== "await"))
          return undefined;
        const value = this.settle(init, frameAround(definition.declarator, frame), depth + 1);
        if (definition.path.length === 0) return value;
        const [key] = definition.path;
        const found = this.step(value, definition.path, depth + 1);
        const preset = found?.kind === "absent" ? defaultAt(definition.declarator.target, definition.path) : undefined;
        if (preset) return this.settle(preset, frameAround(definition.declarator, frame), depth + 1);
        return (
          found ??
          (definition.path.length === 1 && typeof key === "string" ? this.#declaredProperty(init, key) : undefined)
        );
      }
      case "parameter":
        return this.#parameter(definition, frame, depth);
      default:
        return undefined;
    }
  }

  #parameter(
    definition: Extract<Definition, { kind: "parameter" }>,
    frame: Frame | undefined,
    depth: number,
  ): Settled | undefined {
    const { fn, index, path, parameter } = definition;
    let up: Frame | undefined = frame;
    while (up && up.fn !== fn) up = up.up;
    if (
      !up?.args ||
      parameter.isRest ||
      up.args.slice(0, index + 1).some((argument) => argument.node.kind === "spread")
    )
      return { kind: "parameter", fn, index, path };
    const given = up.args[index];
    const value: Settled = given ? this.settle(given.node, given.frame, depth + 1) : { kind: "absent" };
    const used =
      value.kind === "absent" && parameter.defaultValue ? this.settle(parameter.defaultValue, up, depth + 1) : value;
    const found = path.length === 0 ? used : this.step(used, path, depth + 1);
    const preset = found?.kind === "absent" ? defaultAt(parameter.target, path) : undefined;
    return preset ? this.settle(preset, up, depth + 1) : found;
  }

  #member(node: MemberNode, frame: Frame | undefined, depth: number): Settled | undefined {
    const { property } = node;
    const object = this.settle(node.object, frame, depth + 1);
    if (property === undefined) {
      const key = node.index && this.constant(node.index, frame)?.value;
      return typeof key === "string" || typeof key === "number"
        ? (this.#property(object, key, depth) ?? this.#declaredProperty(node.object, String(key)))
        : undefined;
    }
    if (
      object.kind === "object" ||
      object.kind === "instance" ||
      object.kind === "class" ||
      object.kind === "parameter" ||
      object.kind === "absent"
    ) {
      const found = this.#property(object, property, depth);
      if (found && found.kind !== "parameter") return found;
      const declared = this.#definition(this.#semantics.definitionOfMember(node), frame, depth);
      // a member of a parameter is whatever was passed, unless a library or class declares it
      if (
        declared?.kind === "closure" ||
        (declared?.kind === "declared" && declared.refs.some((ref) => !ref.isProject))
      )
        return declared;
      return found?.kind === "parameter" && declared?.kind === "declared"
        ? { ...found, declared: declared.definition }
        : (found ?? declared);
    }
    const definition = this.#semantics.definitionOfMember(node);
    if (definition?.kind === "function")
      return {
        kind: "closure",
        fn: definition.fn,
        frame: frameAround(definition.fn, frameOf(object) ?? frame),
        self: object.kind === "other" && object.node.kind !== "this" ? undefined : object,
      };
    return this.#definition(definition, frame, depth);
  }

  /** What a library says of a property that is destructured, or named by a constant. */
  #declaredProperty(object: Node, key: string): Settled | undefined {
    const definition = this.#semantics.definitionOfProperty(object, key);
    return definition?.kind === "declared" ? { kind: "declared", refs: definition.refs, definition } : undefined;
  }

  #property(object: Settled, key: string | number, depth: number): Settled | undefined {
    switch (object.kind) {
      case "parameter":
        return { ...object, path: [...object.path, key] };
      case "absent":
        return object;
      case "object": {
        for (const property of object.node.properties.toReversed()) {
          if (property.isSpread) {
            const spread = this.settle(property.value, object.frame, depth + 1);
            const found = this.#property(spread, key, depth + 1);
            if (found?.kind !== "absent") return found;
          } else if (property.key === undefined) return undefined;
          else if (property.key === String(key)) return this.settle(property.value, object.frame, depth + 1);
        }
        return isFilledLater(object.node) ? undefined : { kind: "absent" };
      }
      case "instance":
        return typeof key === "string" ? this.#instanceMember(object, key, depth) : undefined;
      case "class": {
        const method = typeof key === "string" ? this.#semantics.methodOf(object.node, key) : undefined;
        if (method) return { kind: "closure", fn: method, frame: undefined, self: object };
        const field = object.node.members.find((member) => member.kind === "field" && member.name === key);
        return field?.kind === "field" && field.value ? this.settle(field.value, undefined, depth + 1) : undefined;
      }
      case "other":
        if (object.node.kind === "array" && typeof key === "number") {
          const element = object.node.elements[key];
          return element && element.kind !== "spread" ? this.settle(element, object.frame, depth + 1) : undefined;
        }
        return undefined;
      default:
        return undefined;
    }
  }

  #instanceMember(instance: Extract<Settled, { kind: "instance" }>, key: string, depth: number): Settled | undefined {
    const method = this.#semantics.methodOf(instance.of, key);
    if (method) return { kind: "closure", fn: method, frame: frameAround(method, instance.frame), self: instance };
    const constructor = instance.of.members.find(
      (member) => member.kind === "function" && member.role === "constructor" && member.body !== undefined,
    );
    const frame: Frame | undefined =
      constructor?.kind === "function"
        ? {
            fn: constructor,
            args: instance.made.args.map((node) => ({ node, frame: instance.frame })),
            self: instance,
            up: frameAround(constructor, instance.frame),
          }
        : instance.frame;
    if (constructor?.kind === "function") {
      const index = constructor.params.findIndex(
        (parameter) => parameter.isProperty && parameter.target.kind === "name" && parameter.target.text === key,
      );
      const given = index === -1 ? undefined : instance.made.args[index];
      if (given) return this.settle(given, instance.frame, depth + 1);
      const assigned = constructor.body && assignmentTo(constructor.body, key);
      if (assigned) return this.settle(assigned, frame, depth + 1);
    }
    const field = instance.of.members.find((member) => member.kind === "field" && member.name === key);
    return field?.kind === "field" && field.value ? this.settle(field.value, frame, depth + 1) : undefined;
  }

  #call(node: CallNode, frame: Frame | undefined, depth: number): Settled | undefined {
    const { callee } = node;
    if (callee.kind === "member" && callee.property === "bind") return this.settle(callee.object, frame, depth + 1);
    // what a library returns is not followed, so that there is no need to know what it is called on
    if (callee.kind === "member" && callee.property !== undefined && !this.#semantics.mayDeclareMember(callee.property))
      return undefined;
    const called = this.settle(callee, frame, depth + 1);
    if (node.isNew)
      return called.kind === "class" ? { kind: "instance", of: called.node, made: node, frame } : undefined;
    if (called.kind !== "closure") return undefined;
    const inner = this.enter(called, node, frame);
    for (const result of resultsOf(called.fn)) {
      const settled = this.settle(result, inner, depth + 1);
      if (settled.kind !== "other" && settled.kind !== "absent") return settled;
    }
    return undefined;
  }

  /** The frame of a call. */
  enter(called: Extract<Settled, { kind: "closure" }>, call: CallNode, frame: Frame | undefined): Frame {
    return { fn: called.fn, args: call.args.map((node) => ({ node, frame })), self: called.self, up: called.frame };
  }
}

/** The `true` of `{ silent = true }`, where a path into a pattern ends. */
function defaultAt(target: Node, path: Path): Node | undefined {
  const [key, ...rest] = path;
  if (target.kind !== "pattern" || key === undefined) return undefined;
  const entry = target.entries.find(
    (candidate) => candidate.key !== undefined && String(candidate.key) === String(key),
  );
  return entry && (rest.length === 0 ? entry.defaultValue : defaultAt(entry.target, rest));
}

/** The value of `this.key = value` in a constructor's body. */
function assignmentTo(body: Node, key: string): Node | undefined {
  for (const statement of childrenOf(body)) {
    if (
      statement.kind === "assign" &&
      statement.target.kind === "member" &&
      statement.target.object.kind === "this" &&
      statement.target.property === key
    )
      return statement.value;
  }
  return undefined;
}

const filled = new WeakMap<ObjectNode, boolean>();

/** Whether properties are added to an object after it was made: `const options = {}; if (late) options.notify = true`. */
function isFilledLater(object: ObjectNode): boolean {
  let answer = filled.get(object);
  if (answer === undefined) {
    const { parent, file, end } = object;
    const name = parent?.kind === "declarator" && parent.target.kind === "name" ? parent.target.text : undefined;
    const word = name?.replaceAll("$", "\\$");
    answer =
      word !== undefined &&
      new RegExp(
        `(?<![\\w$.])(?:${word}(?:\\??\\.[\\w$]+|\\[[^\\]]*\\])+\\s*(?:[-+*/|&?]*=(?!=|>))|Object\\.assign\\(\\s*${word}(?![\\w$]))`,
      ).test(file.text.slice(end));
    filled.set(object, answer);
  }
  return answer;
}

/** The frame in which a declaration was made: that of the innermost function around it that is being followed. */
function frameAround(declared: Node, frame: Frame | undefined): Frame | undefined {
  if (!frame) return undefined;
  for (let fn = enclosingFunction(declared); fn; fn = enclosingFunction(fn)) {
    for (let up: Frame | undefined = frame; up; up = up.up) if (up.fn === fn) return up;
  }
  return undefined;
}

function selfOf(frame: Frame | undefined): Settled | undefined {
  return frame?.self;
}

function frameOf(settled: Settled): Frame | undefined {
  return settled.kind === "object" || settled.kind === "instance" || settled.kind === "closure"
    ? settled.frame
    : undefined;
}

function isInside(node: Node, fn: FunctionNode): boolean {
  return node.file === fn.file && fn.start <= node.start && node.end <= fn.end;
}

const results = new WeakMap<FunctionNode, readonly Node[]>();

/** What a function can return: the body of an arrow function, or what stands behind `return`. */
export function resultsOf(fn: FunctionNode): readonly Node[] {
  let found = results.get(fn);
  if (!found)
    results.set(fn, (found = fn.body === undefined ? [] : fn.body.kind === "block" ? returnsIn(fn.body) : [fn.body]));
  return found;
}

function returnsIn(node: Node): Node[] {
  if (node.kind === "function" || node.kind === "class") return [];
  if (node.kind === "return") return node.argument ? [node.argument] : [];
  return childrenOf(node).flatMap(returnsIn);
}
