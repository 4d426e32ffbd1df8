import type { Program } from "./analysis.js";
import {
  enclosingClass,
  enclosingFunction,
  type FieldNode,
  type MemberNode,
  type Node,
  type ParameterNode,
} from "./code/node.js";
import type { Definition, Path, Ref } from "./semantics.js";
import type { Frame } from "./values.js";

/** Which one of several clients a value is, as far as that is sure: equal keys are the same client. */
export interface Identity {
  readonly key: string;
  /** The parameter that brings it, where no caller is known. */
  readonly parameter?: Extract<Definition, { kind: "parameter" }>;
}

const DEPTH = 8;

/** Code that chooses the client by where it runs: what it exports is not always what it seems. */
const choosesByContext = /AsyncLocalStorage|\bgetStore\s*\(|\bnew\s+Proxy\s*\(|\bcls\b|\bClsService\b/;

/** Tells clients apart by their declarations, through constants, parameters, fields and what is injected. One a program. */
export class ClientIdentities {
  readonly #program: Program;
  readonly #ids = new WeakMap<object, number>();
  #nextId = 1;

  constructor(program: Program) {
    this.#program = program;
  }

  of(node: Node, frame: Frame | undefined, depth = 0): Identity | undefined {
    if (depth > DEPTH) return undefined;
    switch (node.kind) {
      case "await":
        return node.argument && this.of(node.argument, frame, depth + 1);
      case "name":
        return this.#ofDefinition(this.#program.semantics.definitionOfName(node), node, frame, depth);
      case "member":
        return node.object.kind === "this" ? this.#ofOwnMember(node, frame, depth) : this.#ofMember(node, frame, depth);
      case "conditional":
      case "binary":
        return this.#chosen(node, frame, depth);
      default:
        return undefined;
    }
  }

  /** A key of an argument, for answers that hold for the same arguments. */
  keyOf(node: Node, frame: Frame | undefined, depth = 0): string {
    const settled = this.#program.values.settle(node, frame);
    switch (settled.kind) {
      case "absent":
        return "-";
      case "closure":
        return `f${this.#id(settled.fn)}`;
      case "object":
        return depth > 1
          ? `o${this.#id(settled.node)}`
          : `{${settled.node.properties.map(({ key = "", value }) => `${key}:${this.keyOf(value, settled.frame, depth + 1)}`).join()}}`;
      case "instance":
        return `i${this.#id(settled.made)}`;
      default:
        return this.of(node, frame)?.key ?? (node.kind === "literal" ? String(node.value) : "?");
    }
  }

  #ofDefinition(
    definition: Definition | undefined,
    near: Node,
    frame: Frame | undefined,
    depth: number,
  ): Identity | undefined {
    switch (definition?.kind) {
      case "variable": {
        const { declarator, path } = definition;
        const { init, isConst } = declarator;
        // a local variable that begins as a client may be set to the handle later
        if (!isConst && init && !isNothing(init) && enclosingFunction(declarator)) return undefined;
        if (choosesByContext.test(declarator.file.text)) return undefined;
        const made =
          path.length === 0
            ? init && isConst && this.of(init, frame, depth + 1)
            : init && this.#stepped(init, path, near, frame, depth);
        const isAlias =
          init && !isNothing(init) && ["name", "member", "conditional", "binary", "await"].includes(init.kind);
        if (made) return made;
        return isAlias && path.length === 0 && init.kind !== "await"
          ? undefined
          : { key: `v${this.#id(declarator)}${pathKey(path)}` };
      }
      case "parameter":
        return this.#ofParameter(definition, frame, depth);
      case "declared": {
        const [ref] = definition.refs;
        return ref && { key: `d${ref.file ?? ref.package}:${ref.container ?? ""}.${ref.name}` };
      }
      default:
        return undefined;
    }
  }

  /** `const { prisma } = context`, `const { db } = this` */
  #stepped(init: Node, path: Path, near: Node, frame: Frame | undefined, depth: number): Identity | undefined {
    if (init.kind === "this") {
      const [name, ...rest] = path;
      const owner = enclosingClass(near);
      const member = owner?.members.find((candidate) => candidate.kind === "field" && candidate.name === name);
      return member?.kind === "field" && rest.length === 0 ? this.#injected(member, near) : undefined;
    }
    const from = this.of(init, frame, depth + 1);
    return from && { ...from, key: `${from.key}${pathKey(path)}` };
  }

  #ofParameter(
    definition: Extract<Definition, { kind: "parameter" }>,
    frame: Frame | undefined,
    depth: number,
  ): Identity | undefined {
    const { fn, index, parameter, path } = definition;
    if (parameter.isRest) return undefined;
    let up = frame;
    while (up && up.fn !== fn) up = up.up;
    if (up?.args) {
      if (up.args.slice(0, index + 1).some(({ node }) => node.kind === "spread")) return undefined;
      const given = up.args[index];
      const isGiven = given && this.#program.values.settle(given.node, given.frame).kind !== "absent";
      if (!isGiven) {
        const preset = path.length === 0 ? parameter.defaultValue : presetAt(parameter.target, path);
        return preset && this.of(preset, up, depth + 1);
      }
      return path.length === 0
        ? this.of(given.node, given.frame, depth + 1)
        : this.#stepInto(given.node, path, given.frame, depth);
    }
    return { key: `p${this.#id(fn)}.${String(index)}${pathKey(path)}`, parameter: definition };
  }

  /** A property of what was passed: `{ db: tx }`. */
  #stepInto(node: Node, path: Path, frame: Frame | undefined, depth: number): Identity | undefined {
    const [key, ...rest] = path;
    if (key === undefined) return this.of(node, frame, depth + 1);
    const settled = this.#program.values.settle(node, frame);
    if (settled.kind === "object") {
      const property = settled.node.properties.findLast((candidate) => candidate.key === String(key));
      return property && this.#stepInto(property.value, rest, settled.frame, depth + 1);
    }
    const from = this.of(node, frame, depth + 1);
    return from && { ...from, key: `${from.key}${pathKey(path)}` };
  }

  #ofMember(node: MemberNode, frame: Frame | undefined, depth: number): Identity | undefined {
    const { object, property } = node;
    if (property === undefined) return undefined;
    const settled = this.#program.values.settle(object, frame);
    if (settled.kind === "object") return this.#stepInto(object, [property], frame, depth);
    const definition = this.#program.semantics.definitionOfMember(node);
    // a getter may choose
    if (definition?.kind === "function") return undefined;
    if (definition?.kind === "field") return this.#ofField(definition.field, node, frame, depth);
    if (definition?.kind === "parameter" && definition.fn.role === "constructor")
      return this.#injected(definition.parameter, node);
    const from = this.of(object, frame, depth + 1);
    return from && { ...from, key: `${from.key}.${property}` };
  }

  #ofOwnMember(node: MemberNode, frame: Frame | undefined, depth: number): Identity | undefined {
    const definition = this.#program.semantics.definitionOfMember(node);
    if (definition?.kind === "field") return this.#ofField(definition.field, node, frame, depth);
    if (definition?.kind !== "parameter") return undefined;
    const { fn, index, parameter } = definition;
    const self = frame?.self;
    const given = self?.kind === "instance" && fn.owner === self.of ? self.made.args[index] : undefined;
    if (given && self?.kind === "instance") return this.of(given, self.frame, depth + 1);
    return this.#injected(parameter, node);
  }

  #ofField(field: FieldNode, near: Node, frame: Frame | undefined, depth: number): Identity | undefined {
    const { value } = field;
    if (value && ["name", "member"].includes(value.kind)) return this.of(value, frame, depth + 1);
    if (choosesByContext.test(field.file.text)) return undefined;
    if (value?.kind === "call") return { key: `v${this.#id(field)}` };
    return value ? undefined : this.#injected(field, near);
  }

  /** What a container hands out by type is the same wherever the type and the decorators are the same. */
  #injected(place: ParameterNode | FieldNode, near: Node): Identity | undefined {
    if (choosesByContext.test(place.file.text)) return undefined;
    const [type] = this.#program.semantics.typesOf(near);
    if (type?.isProject && choosesByContext.test(type.fileText ?? "")) return undefined;
    const decorators = place.decorators.map((node) => node.file.text.slice(node.start, node.end)).join();
    return type && this.#isHandedOut(place, type)
      ? { key: `t${type.file ?? type.package}:${type.name}${decorators}` }
      : { key: `v${this.#id(place)}` };
  }

  /** By a container, or by hand where a class takes only one of a kind that the project made for it. */
  #isHandedOut(place: ParameterNode | FieldNode, type: Ref): boolean {
    const owner = enclosingClass(place);
    if (place.decorators.length > 0) return true;
    const name = place.type?.path.join();
    const others = owner?.members.flatMap((member): readonly (ParameterNode | FieldNode)[] =>
      member.kind === "field" ? [member] : member.role === "constructor" ? member.params : [],
    );
    if (others?.some((other) => other !== place && other.type?.path.join() === name)) return false;
    return (owner?.decorators.length ?? 0) > 0 || (type.isProject && !this.#program.knowledge.isClient([type]));
  }

  /** `tx ?? prisma`: what was not passed leaves the other one; of two that may be, nobody knows which. */
  #chosen(node: Extract<Node, { kind: "conditional" | "if" | "binary" }>, frame: Frame | undefined, depth: number) {
    const { values } = this.#program;
    if (node.kind !== "binary") {
      const truth = values.truth(node.test, frame);
      const taken = truth === undefined ? undefined : truth ? node.then : node.otherwise;
      return taken && this.of(taken, frame, depth + 1);
    }
    if (node.operator !== "??" && node.operator !== "||") return undefined;
    if (values.settle(node.left, frame).kind === "absent") return this.of(node.right, frame, depth + 1);
    const left = this.of(node.left, frame, depth + 1);
    // a parameter of a function that is being read alone may or may not have been given
    return left && (!left.parameter || left.parameter.fn !== frame?.fn) ? left : undefined;
  }

  #id(node: object): string {
    let id = this.#ids.get(node);
    if (id === undefined) this.#ids.set(node, (id = this.#nextId++));
    return String(id);
  }
}

const identities = new WeakMap<object, ClientIdentities>();

export function identitiesOf(program: Program): ClientIdentities {
  let found = identities.get(program.values);
  if (!found) identities.set(program.values, (found = new ClientIdentities(program)));
  return found;
}

/** `undefined` or `null`: what it will hold is said later. */
function isNothing(init: Node): boolean {
  return (init.kind === "literal" && init.value === null) || (init.kind === "name" && init.text === "undefined");
}

function pathKey(path: Path): string {
  return path.map((step) => `.${String(step)}`).join("");
}

function presetAt(target: Node, path: Path): Node | undefined {
  const [key, ...rest] = path;
  if (target.kind !== "pattern" || key === undefined || rest.length > 0) return undefined;
  return target.entries.find((entry) => String(entry.key) === String(key))?.defaultValue;
}
