import type { Program } from "./analysis.js";
import { arrivalsAt, type Arrival, type Found } from "./arrivals.js";
import { callersOf, knownAs } from "./callers.js";
import {
  enclosingClass,
  enclosingFunction,
  type CallNode,
  type FunctionNode,
  type Node,
  type ObjectNode,
  type PropertyNode,
  type TemplateNode,
} from "./code/node.js";
import { nameOfCallee } from "./effects.js";
import { oneOrMore, parseMember, type EntryOf } from "./knowledge.js";
import { occurrences } from "./occurrences.js";
import { isBodyName, isEnvelopeName, isHeadName, isObserverName, isRowTypeName } from "./words.js";
import { insertedText } from "./stored-in-sql.js";
import { stepInto, usesOfParameter, usesOfVariable, type Use } from "./uses.js";
import { resultsOf } from "./values.js";
import type { Trail } from "./trail.js";

/** A call that was followed into the function that it calls. */
interface Entered {
  readonly call: CallNode;
  readonly fn: FunctionNode;
}

/** A value on its way: the expression that holds it now, and where in it the value stands. */
export interface Going {
  readonly node: Node;
  readonly trail: Trail;
  /** Variables and properties that it passed, the last one last. */
  readonly names: readonly string[];
  readonly stack: readonly Entered[];
  /** The outermost function that it passed: what a handler has to reach. */
  readonly top: FunctionNode | undefined;
  /** Index in the array that it went into last. */
  readonly element: number | undefined;
  /** It is the id of a message that carries something else. */
  readonly isEnvelopeId: boolean;
  /** The property that it became first. */
  readonly property: PropertyNode | undefined;
}

/** What is followed, and how far. */
interface Followed {
  /** Small functions that make such a value: who calls one is looked at where it is called. */
  isMaker(fn: FunctionNode): boolean;
  /** It is made of the time: the methods of moments and days keep it. There are many: callers are asked in their own file. */
  readonly isTime?: true;
  /** Where it stands in for a value that is missing it counts no more. */
  readonly unlessFallback?: true;
}

const DEPTH = 6;
const STEPS = 1500;
const CALLERS = 12;
const LENGTH = 9;

/** Methods of strings and numbers (and of hashes and buffers) whose result still depends on the value. */
const derivations = new Set(
  "toString toHexString toISOString toJSON slice substring substr replace replaceAll toLowerCase toUpperCase concat padStart padEnd trim valueOf toFixed digest update split at charAt normalize join hex toBase64 createFromHexString".split(
    " ",
  ),
);
/** Methods of moments and days whose result is still a time, or text of one. */
const timeDerivations = new Set(
  "toDate toJSDate getTime unix toMillis toISO toISODate toSQLDate toSQL toUTC format toFormat add subtract plus minus startOf endOf clone tz utc local setZone toDateString toLocaleDateString getFullYear getMonth getDate getUTCFullYear getUTCMonth getUTCDate setHours setUTCHours setDate setUTCDate setMonth setUTCMonth".split(
    " ",
  ),
);
const perElement = new Set("map forEach flatMap filter find findLast some every sort reduce".split(" "));
const sameElements = new Set(
  "filter sort slice reverse concat flat splice toSorted toReversed values entries".split(" "),
);
const oneElement = new Set("find findLast at pop shift".split(" "));
const adders = new Set(["push", "unshift", "add", "set", "append"]);

/** Follows a value forwards, from the expression that makes it to the places where it leaves the program. */
export class Flow {
  readonly #program: Program;
  readonly #found: Arrival[] = [];
  readonly #seen = new Set<string>();
  readonly #ids = new Map<object, number>();
  readonly #followed: Followed;
  #steps = 0;

  constructor(program: Program, followed: Followed) {
    this.#program = program;
    this.#followed = followed;
  }

  /** Where the value of an expression arrives. */
  from(node: Node): readonly Arrival[] {
    this.#up({
      node,
      trail: [],
      names: [],
      stack: [],
      top: enclosingFunction(node),
      element: undefined,
      isEnvelopeId: false,
      property: undefined,
    });
    return this.#found;
  }

  #up(at: Going): void {
    // one unknown step is as good as two
    const trail = at.trail[0] === "*" && at.trail[1] === "*" ? at.trail.slice(1) : at.trail;
    const going = trail === at.trail ? at : { ...at, trail };
    const { node } = going;
    const { parent } = node;
    if (!parent || trail.length > LENGTH || this.#steps++ > STEPS || this.#isKnown(going)) return;
    const on = (change: Partial<Going>) => {
      this.#up({ ...going, ...change });
    };
    switch (parent.kind) {
      case "await":
      case "yield":
      case "spread":
        on({ node: parent });
        return;
      case "template":
        if (parent.tag) this.#tagged(parent, going);
        else if (trail.length === 0) on({ node: parent });
        return;
      case "binary":
        if (this.#followed.unlessFallback && parent.right === node && /^(?:\?\?|\|\|)$/.test(parent.operator)) return;
        if (
          /^(?:\?\?|\|\||&&)$/.test(parent.operator)
            ? parent.operator !== "&&" || parent.right === node
            : trail.length === 0 && /^[+*%/|^-]$/.test(parent.operator)
        )
          on({ node: parent });
        return;
      case "conditional":
        if (parent.test !== node && !this.#followed.unlessFallback) on({ node: parent });
        return;
      case "loop":
        if (parent.iterated === node) this.#iterated(parent.init, going);
        return;
      case "return":
        this.#returned(going, enclosingFunction(parent));
        return;
      case "function":
        if (parent.body === node) this.#returned(going, parent);
        return;
      case "parameter": {
        const fn = parent.parent;
        if (parent.defaultValue === node && fn?.kind === "function" && !this.#followed.unlessFallback)
          this.#uses(
            usesOfParameter(this.#program.semantics, fn, fn.params.indexOf(parent), trail),
            going,
            nameOf(parent.target),
          );
        return;
      }
      case "pattern":
        if (!this.#followed.unlessFallback) this.#defaulted(parent, going);
        return;
      case "property":
        this.#property(parent, going);
        return;
      case "array":
        on({ node: parent, trail: ["[]", ...trail], element: parent.elements.indexOf(node) });
        return;
      case "sequence":
        if (parent.body.at(-1) === node) on({ node: parent });
        return;
      case "declarator":
        if (parent.init === node) this.#declared(parent, going);
        return;
      case "assign":
        if (parent.value !== node || !/^(?:\+|\?\?|\|\|)?=$/.test(parent.operator)) return;
        if (this.#followed.unlessFallback && parent.operator.length > 2) return;
        this.#assigned(parent.target, going);
        on({ node: parent });
        return;
      case "field":
        if (parent.value === node && parent.name !== undefined) this.#field(enclosingClass(parent), parent.name, going);
        return;
      case "member":
        if (parent.object === node) this.#read(parent, going);
        return;
      case "call":
        if (parent.callee !== node) this.#given(parent, going);
        return;
      default:
    }
  }

  #isKnown({ node, trail, stack, top }: Going): boolean {
    const key = `${String(this.#id(node))}:${trail.join(".")}:${stack.map(({ call }) => String(this.#id(call))).join(",")}:${top ? String(this.#id(top)) : ""}`;
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    return false;
  }

  #id(node: object): number {
    let id = this.#ids.get(node);
    if (id === undefined) this.#ids.set(node, (id = this.#ids.size));
    return id;
  }

  #arrive(arrivals: readonly Found[], going: Going): void {
    for (const arrival of arrivals) {
      this.#found.push({
        ...arrival,
        names: going.names,
        through: going.stack.map(({ call }) => call),
        top: going.top,
        isEnvelopeId: going.isEnvelopeId,
        property: going.property,
      });
    }
  }

  #uses(uses: readonly Use[], going: Going, name: string | undefined): void {
    const names = name === undefined ? going.names : [...going.names, name];
    for (const use of uses) this.#up({ ...going, node: use.node, trail: use.trail, names });
  }

  #property(property: Extract<Node, { kind: "property" }>, going: Going): void {
    const object = property.parent;
    if (object?.kind !== "object") return;
    if (property.isSpread) {
      this.#up({ ...going, node: object });
      return;
    }
    const { key } = property;
    const names = key === undefined || key === going.names.at(-1) ? going.names : [...going.names, key];
    const isEnvelopeId =
      going.isEnvelopeId || (key !== undefined && going.trail.length === 0 && isEnvelope(object, key));
    this.#up({
      ...going,
      node: object,
      trail: [key ?? "*", ...going.trail],
      names,
      isEnvelopeId,
      property: going.property ?? property,
    });
  }

  #declared(declarator: Extract<Node, { kind: "declarator" }>, going: Going): void {
    const type = declarator.type?.path.at(-1);
    if (type !== undefined) this.#typed(type, declarator, going);
    this.#uses(usesOfVariable(this.#program.semantics, declarator, going.trail), going, nameOf(declarator.target));
  }

  /** An object that is written down as a row to insert will be inserted, whoever does it. */
  #typed(type: string, at: Node, going: Going): void {
    const trail = going.trail[0] === "[]" ? going.trail.slice(1) : going.trail;
    if (trail.length === 1 && isRowTypeName(type))
      this.#arrive([{ kind: "stored", at, label: type, trail, column: trail[0], isByName: true }], going);
  }

  #defaulted(pattern: Extract<Node, { kind: "pattern" }>, going: Going): void {
    const entry = pattern.entries.find(({ defaultValue }) => defaultValue === going.node);
    if (entry?.target.kind !== "name") return;
    const { semantics } = this.#program;
    const definition = semantics.definitionOfName(entry.target);
    for (const node of occurrences(pattern.file, entry.target.text)) {
      if (node === entry.target || node.kind !== "name") continue;
      const other = semantics.definitionOfName(node);
      const isSame =
        definition?.kind === "parameter"
          ? other?.kind === "parameter" && other.fn === definition.fn && other.path.join() === definition.path.join()
          : definition?.kind === "variable" &&
            other?.kind === "variable" &&
            other.declarator === definition.declarator &&
            other.path.join() === definition.path.join();
      if (isSame) this.#up({ ...going, node, names: [...going.names, entry.target.text] });
    }
  }

  #assigned(target: Node, going: Going): void {
    if (target.kind === "name") {
      this.#variable(target, going);
      return;
    }
    let { trail } = going;
    let object: Node = target;
    for (;;) {
      if (object.kind === "member" && object.object.kind !== "this") {
        trail = [object.property ?? "*", ...trail];
        object = object.object;
      } else if (object.kind === "call" && object.callee.kind === "member" && object.callee.property === "get") {
        // `byLevel.get(level).push(page)`
        trail = ["*", ...trail];
        object = object.callee.object;
      } else if (object.kind === "assign") object = object.target;
      else break;
    }
    const name = target.kind === "member" ? target.property : undefined;
    const next = { ...going, trail, names: name === undefined ? going.names : [...going.names, name] };
    if (object.kind === "name") this.#variable(object, next);
    else if (object.kind === "member" && object.property !== undefined)
      this.#field(enclosingClass(object), object.property, next);
  }

  #variable(target: Extract<Node, { kind: "name" }>, going: Going): void {
    const { semantics } = this.#program;
    const definition = semantics.definitionOfName(target);
    if (definition?.kind === "variable")
      this.#uses(
        usesOfVariable(semantics, definition.declarator, [...definition.path.map(String), ...going.trail]),
        going,
        target.text,
      );
    else if (definition?.kind === "parameter")
      this.#uses(
        usesOfParameter(semantics, definition.fn, definition.index, [...definition.path.map(String), ...going.trail]),
        going,
        target.text,
      );
  }

  /** `this.key = value`: every place of the class that reads it, and the instance that a constructor makes. */
  #field(owner: ReturnType<typeof enclosingClass>, name: string, going: Going): void {
    const entered = going.stack.at(-1);
    if (entered?.fn.role === "constructor") {
      this.#up({ ...going, node: entered.call, trail: [name, ...going.trail], stack: going.stack.slice(0, -1) });
      return;
    }
    for (const node of owner ? occurrences(owner.file, name) : []) {
      if (node.kind === "member" && node.object.kind === "this" && enclosingClass(node) === owner)
        this.#up({ ...going, node, names: [...going.names, name] });
    }
  }

  #iterated(init: Node | undefined, going: Going): void {
    const [first, ...rest] = going.trail;
    const declarator = init?.kind === "declare" ? init.declarators[0] : undefined;
    if (!declarator || (first !== "[]" && first !== "*")) return;
    const trail = first === "*" ? going.trail : rest;
    this.#uses(usesOfVariable(this.#program.semantics, declarator, trail), going, nameOf(declarator.target));
  }

  #read(member: Extract<Node, { kind: "member" }>, going: Going): void {
    const { trail } = going;
    const call = member.parent;
    if (call?.kind === "call" && call.callee === member) {
      this.#method(call, member.property ?? "", going);
      return;
    }
    if (member.property !== undefined) {
      // what an instance was made of is known by its name only
      const isOnlyKnown = trail.length === 1 && trail[0] === "*" && member.property === going.names.at(-1);
      const rest = isOnlyKnown ? [] : stepInto(trail, [member.property]);
      if (rest) this.#up({ ...going, node: member, trail: rest });
    } else if (trail[0] === "[]") this.#up({ ...going, node: member, trail: trail.slice(1) });
  }

  /** A method of the value itself. */
  #method(call: CallNode, name: string, going: Going): void {
    const { trail } = going;
    const on = (next: Trail) => {
      this.#up({ ...going, node: call, trail: next });
    };
    if (trail.length === 0) {
      if (derivations.has(name) || (this.#followed.isTime && timeDerivations.has(name)))
        on(name === "split" ? ["[]"] : []);
      return;
    }
    if (name === "then") {
      const [callback] = call.args;
      if (callback?.kind === "function")
        this.#uses(usesOfParameter(this.#program.semantics, callback, 0, trail), going, undefined);
      return;
    }
    if (trail[0] === "[]" || trail[0] === "*") {
      const element = trail[0] === "[]" ? trail.slice(1) : trail;
      if (perElement.has(name)) {
        const callback = call.args[0] && this.#program.values.settle(call.args[0], undefined);
        if (callback?.kind === "closure")
          this.#uses(
            usesOfParameter(this.#program.semantics, callback.fn, name === "reduce" ? 1 : 0, element),
            going,
            undefined,
          );
      }
      if (sameElements.has(name)) on(trail);
      else if (oneElement.has(name)) on(element);
      else if (name === "join") on([]);
      else if (name === "get") on(trail.length > 1 ? trail.slice(1) : trail);
      if (trail[0] === "[]") return;
    }
    this.#onInstance(call, going);
  }

  /** A method of the project on an object that holds the value: its reads of `this`. */
  #onInstance(call: CallNode, going: Going): void {
    const [first] = going.trail;
    const { callee } = this.#program.effects.calledBy(call, undefined);
    if (
      first === undefined ||
      callee.kind !== "closure" ||
      callee.fn.owner?.kind !== "class" ||
      going.stack.length >= DEPTH
    )
      return;
    const { fn } = callee;
    for (const node of occurrences(fn.file, first)) {
      if (node.kind === "member" && node.object.kind === "this" && fn.start <= node.start && node.end <= fn.end) {
        this.#up({ ...going, node, trail: going.trail.slice(1), stack: [...going.stack, { call, fn }] });
      }
    }
  }

  #tagged(template: TemplateNode, going: Going): void {
    const text = insertedText(template);
    if (text === undefined) return;
    const index = template.expressions.indexOf(going.node);
    const column = text.columns.length === template.expressions.length ? text.columns[index] : undefined;
    this.#arrive(
      [
        {
          kind: "stored",
          at: template,
          label: `INSERT INTO ${text.table}`,
          trail: [],
          column: column ?? going.names.at(-1),
          isByName: false,
          ...(text.isGuarded ? { isGuarded: true } : {}),
        },
      ],
      going,
    );
  }

  /** The value is an argument. */
  #given(call: CallNode, going: Going): void {
    const { node } = going;
    const isSpread = node.kind === "spread";
    const index = call.args.indexOf(node);
    const trail = isSpread && going.trail[0] === "[]" ? going.trail.slice(1) : going.trail;
    const here = { ...going, trail };
    if (call.callee.kind === "super") {
      this.#throughSuper(here);
      return;
    }
    if (isObserver(call)) return;
    const { arrivals, then, functions } = arrivalsAt(call, index, trail, going.element, this.#program);
    this.#arrive(arrivals, here);
    const before = this.#found.length;
    for (const fn of functions) this.#enter(fn, call, index, here);
    if (functions.length > 0 && this.#found.length > before) return;
    // a method that is called like a store's, of a class that is called like one, stores: its code went beyond what can be read
    if (then.kind === "arrives") this.#arrive([then.arrival], here);
    else if (then.kind === "kept") this.#kept(call, here);
    else if (then.kind === "result")
      this.#up({ ...here, node: call, trail: then.as === undefined ? trail : [then.as, ...trail] });
  }

  /** `rows.push(row)`, `Object.assign(row, { id })`: the value is now in what was added to. */
  #kept(call: CallNode, going: Going): void {
    const { callee } = call;
    if (callee.kind !== "member") return;
    if (adders.has(callee.property ?? "")) {
      const isMap = callee.property === "set" || callee.property === "append";
      this.#assigned(callee.object, { ...going, trail: [isMap ? "*" : "[]", ...going.trail] });
    } else {
      const [target] = call.args;
      if (target?.kind === "this") {
        const entered = going.stack.at(-1);
        if (entered?.fn.role === "constructor")
          this.#up({ ...going, node: entered.call, stack: going.stack.slice(0, -1) });
      } else if (target && target !== going.node) this.#assigned(target, going);
      this.#up({ ...going, node: call });
    }
  }

  #throughSuper(going: Going): void {
    const entered = going.stack.at(-1);
    if (entered?.fn.role === "constructor")
      this.#up({ ...going, node: entered.call, trail: ["*", ...going.trail], stack: going.stack.slice(0, -1) });
  }

  #enter(fn: FunctionNode, call: CallNode, index: number, going: Going): void {
    if (!fn.body || going.stack.length >= DEPTH || going.stack.some((entered) => entered.fn === fn)) return;
    const stack = [...going.stack, { call, fn }];
    const parameter = fn.params[index];
    const name = parameter && nameOf(parameter.target);
    this.#uses(usesOfParameter(this.#program.semantics, fn, index, going.trail), { ...going, stack }, name);
    if (parameter?.isProperty && name !== undefined)
      this.#field(fn.owner?.kind === "class" ? fn.owner : undefined, name, { ...going, stack });
  }

  #returned(going: Going, fn: FunctionNode | undefined): void {
    if (!fn) return;
    const type =
      fn.returnType?.path.at(-1) === "Promise"
        ? fn.returnType.typeArguments[0]?.path.at(-1)
        : fn.returnType?.path.at(-1);
    if (type !== undefined) this.#typed(type, fn, going);
    const place = fn.parent;
    if (place?.kind === "call" && place.args.includes(fn)) {
      this.#fromCallback(place, going, place.args.indexOf(fn));
      return;
    }
    const entered = going.stack.at(-1);
    if (entered) {
      if (entered.fn === fn) this.#up({ ...going, node: entered.call, stack: going.stack.slice(0, -1) });
      return;
    }
    // who calls a maker of ids is looked at where it is called
    if (going.trail.length === 0 && this.#followed.isMaker(fn)) return;
    const callers = callersOf(this.#program);
    const sites = this.#followed.isTime ? callers.sitesInOwnFileOf(fn) : callers.sitesOf(fn);
    for (const site of sites.slice(0, CALLERS)) {
      const call = site.parent;
      if (call?.kind === "call" && call.callee === site)
        this.#up({ ...going, node: call, top: enclosingFunction(call), names: going.names });
    }
  }

  /** A callback returned the value: it is in the result of the call that was given the callback. */
  #fromCallback(call: CallNode, going: Going, index: number): void {
    const name = nameOfCallee(call) ?? "";
    const { trail } = going;
    if (
      /^(?:filter|forEach|find|findLast|findIndex|some|every|sort|on|once)$/.test(name) ||
      this.#isKept(call, name, index)
    )
      return;
    const next =
      name === "map" || (name === "from" && index === 1)
        ? ["[]", ...trail]
        : name === "flatMap" && trail[0] !== "[]"
          ? ["[]", ...trail]
          : trail;
    this.#up({ ...going, node: call, trail: next });
  }

  /** Whether the library keeps what the callback returns, so that a retry gets the same value. */
  #isKept(call: CallNode, name: string, index: number): boolean {
    const { knowledge, semantics, effects } = this.#program;
    const fits = (entry: EntryOf<"memoised">) =>
      (entry.callback === "last" ? call.args.length - 1 : entry.callback) === index;
    if (!knowledge.memoised.hasName(name)) return false;
    const { refs } = effects.calledBy(call, undefined);
    if (knowledge.memoised.find(refs.length > 0 ? refs : semantics.signatureOf(call)).some(({ entry }) => fits(entry)))
      return true;
    if (refs.length > 0 || semantics.isTyped) return false;
    // without types: a member of that name, in a handler of that library
    for (let fn = enclosingFunction(call); fn; fn = enclosingFunction(fn)) {
      const library = callersOf(this.#program).handlers.handlerOf(fn)?.library;
      if (library)
        return (library.memoised ?? []).some(
          (entry) => fits(entry) && oneOrMore(entry.member).some((member) => parseMember(member).name === name),
        );
    }
    return false;
  }
}

/** `{ id, type, payload: { … } }`: the id is that of the message, what it is about stands in the payload. */
function isEnvelope(object: ObjectNode, key: string): boolean {
  if (!isEnvelopeName(key) || isBodyOfEnvelope(object)) return false;
  const others = object.properties.filter((property) => property.key !== undefined && property.key !== key);
  return (
    others.some((property) => isBodyName(property.key ?? "") && property.value.kind !== "literal") &&
    others.some((property) => isHeadName(property.key ?? ""))
  );
}

/** `{ id, type, body: { id } }`: the inner id is that of what the message is about. */
function isBodyOfEnvelope(object: ObjectNode): boolean {
  const property = object.parent;
  const around = property?.kind === "property" && isBodyName(property.key ?? "") ? property.parent : undefined;
  return around?.kind === "object" && around.properties.some(({ key }) => key !== undefined && isEnvelopeName(key));
}

function isObserver(call: CallNode): boolean {
  for (let callee: Node = call.callee; ;) {
    if (callee.kind === "member") {
      if (isObserverName(callee.property ?? "")) return true;
      callee = callee.object;
    } else if (callee.kind === "call") callee = callee.callee;
    else return callee.kind === "name" && isObserverName(callee.text);
  }
}

function nameOf(target: Node): string | undefined {
  return target.kind === "name" ? target.text : undefined;
}

/** Whether a function does little more than make a value: it returns it, without waiting for anything. */
export function isSmall(fn: FunctionNode): boolean {
  return (
    fn.body !== undefined &&
    !fn.isAsync &&
    fn.body.end - fn.body.start < 600 &&
    resultsOf(fn).length > 0 &&
    knownAs(fn).name !== undefined
  );
}
