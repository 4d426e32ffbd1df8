import type {
  CallNode,
  ClassNode,
  CodeFile,
  DeclaratorNode,
  FunctionNode,
  MemberNode,
  NameNode,
  Node,
  ParameterNode,
} from "./code/node.js";
import { childrenOf, enclosingClass } from "./code/node.js";
import { Annotations, memberRef } from "./annotations.js";
import type { EstreeFile, Raw } from "./code/from-estree.js";
import type { Knowledge } from "./knowledge.js";
import { refOfImport } from "./imports.js";
import type { Definition, Path, Ref, Semantics } from "./semantics.js";

type Declared = Extract<Definition, { kind: "declared" }>;

/** A variable of ESLint's scope manager, as far as it is read here. */
interface ScopeVariable {
  readonly defs: readonly {
    readonly type: string;
    readonly name: Raw;
    readonly node: Raw;
    readonly parent?: Raw | null;
  }[];
}
interface Scope {
  readonly set: ReadonlyMap<string, ScopeVariable>;
  readonly upper: Scope | null;
}

/** Meaning as imports, annotations and `new` tell it, within one file. */
export class UntypedSemantics implements Semantics {
  readonly isTyped = false;
  readonly #file: EstreeFile;
  readonly #scopeOf: (raw: Raw) => Scope | null;
  readonly #knowledge: Knowledge;
  readonly #names = new Map<object, Definition | null>();
  readonly #annotations: Annotations;

  constructor(file: EstreeFile, scopeOf: (raw: Raw) => Scope | null, knowledge: Knowledge) {
    this.#file = file;
    this.#scopeOf = scopeOf;
    this.#knowledge = knowledge;
    this.#annotations = new Annotations(
      {
        definitionOfName: (name) => this.definitionOfName(name),
        definitionOfMember: (member) => this.definitionOfMember(member),
        ownMember: (member) =>
          member.property === undefined ? undefined : this.#ownMember(member.object, member.property),
        typeNamed: (text, near) =>
          this.#variable({
            kind: "name",
            text,
            file: near.file,
            start: near.start,
            end: near.end,
            raw: near.raw,
            parent: near.parent,
          }),
      },
      knowledge,
    );
  }

  definitionOfName(name: NameNode): Definition | undefined {
    const known = this.#names.get(name.raw);
    if (known !== undefined) return known ?? undefined;
    this.#names.set(name.raw, null);
    const definition = this.#variable(name);
    this.#names.set(name.raw, definition ?? null);
    return definition;
  }

  definitionOfMember(member: MemberNode): Definition | undefined {
    const { property } = member;
    if (property === undefined) return undefined;
    const own = this.#ownMember(member.object, property);
    if (own) return own;
    const refs = this.#annotations.containersOf(member.object).map((type): Ref => memberRef(type, property));
    return refs.length > 0 ? { kind: "declared", refs, raw: undefined } : undefined;
  }

  definitionOfProperty(node: Node, name: string): Definition | undefined {
    const refs = this.#annotations.containersOf(node).map((type): Ref => memberRef(type, name));
    return refs.length > 0 ? { kind: "declared", refs, raw: undefined } : undefined;
  }

  typesOf(node: Node): readonly Ref[] {
    return readable(this.#annotations.containersOf(node));
  }

  expectedTypesOf(node: Node): readonly Ref[] {
    const place = node.parent;
    return place?.kind === "declarator" || place?.kind === "field"
      ? this.#annotations.annotated(place.type, place)
      : [];
  }

  typesOfParameter(parameter: ParameterNode): readonly Ref[] {
    return readable(this.#annotations.annotated(parameter.type, parameter));
  }

  mayBeNullish(): boolean {
    return false;
  }

  mayRun(): boolean {
    return true;
  }

  signatureOf(_call: CallNode): readonly Ref[] {
    return [];
  }

  implementationsOf(_declared: Declared): readonly FunctionNode[] {
    return [];
  }

  /** Other files may; nothing is lost by asking. */
  mayDeclareMember(): boolean {
    return true;
  }

  projectFiles(): readonly CodeFile[] {
    return [this.#file];
  }

  methodOf(node: ClassNode, name: string): FunctionNode | undefined {
    const own = node.members.find(
      (member) => member.kind === "function" && member.name === name && member.body !== undefined,
    );
    if (own?.kind === "function") return own;
    const base = node.superClass?.kind === "name" ? this.definitionOfName(node.superClass) : undefined;
    return base?.kind === "class" && base.node !== node ? this.methodOf(base.node, name) : undefined;
  }

  isOfLibrary(node: ClassNode, packages: readonly string[]): boolean {
    const bases = [
      ...(node.superClass ? this.#annotations.instanceOf(node.superClass) : []),
      ...node.interfaces.flatMap((type) => this.#annotations.annotated(type, node)),
    ];
    return bases.some((base) => packages.includes(base.package));
  }

  #variable(name: NameNode): Definition | undefined {
    let variable: ScopeVariable | undefined;
    for (let scope = this.#scopeOf(name.raw as Raw); scope && !variable; scope = scope.upper)
      variable = scope.set.get(name.text);
    const definition = variable?.defs[0];
    if (!definition) return this.#global(name.text);
    const wrap = (raw: Raw) => this.#file.wrap(raw);
    switch (definition.type) {
      case "ImportBinding":
        return this.#import(definition.node, definition.parent ?? undefined);
      case "FunctionName": {
        const fn = wrap(definition.node);
        return fn.kind === "function" ? { kind: "function", fn } : undefined;
      }
      case "ClassName": {
        const node = wrap(definition.node);
        return node.kind === "class" ? { kind: "class", node } : undefined;
      }
      case "TSEnumName": {
        const node = wrap(definition.node);
        const [declarator] = node.kind === "declare" ? node.declarators : [];
        return declarator && { kind: "variable", declarator, path: [] };
      }
      case "Parameter": {
        const fn = wrap(
          definition.node.parent && isMethodLike(definition.node) ? definition.node.parent : definition.node,
        );
        if (fn.kind !== "function") return undefined;
        for (const [index, parameter] of fn.params.entries()) {
          const path = pathTo(parameter.target, definition.name);
          if (path) return { kind: "parameter", fn, index, parameter, path };
        }
        return undefined;
      }
      case "Variable": {
        const declarator = wrap(definition.node);
        if (declarator.kind !== "declarator") return undefined;
        const path = pathTo(declarator.target, definition.name);
        return path && this.#required(declarator, path);
      }
      default:
        return undefined;
    }
  }

  /** `const { Queue } = require("bullmq")` is an import. */
  #required(declarator: DeclaratorNode, path: Path): Definition {
    const init = declarator.init;
    const [specifier] =
      init?.kind === "call" && init.callee.kind === "name" && init.callee.text === "require" ? init.args : [];
    const module = specifier?.kind === "literal" && typeof specifier.value === "string" ? specifier.value : undefined;
    if (module === undefined || path.length > 1) return { kind: "variable", declarator, path };
    const local = declarator.target.kind === "name" ? declarator.target.text : undefined;
    return this.#imported(module, path[0] === undefined ? "default" : String(path[0]), local);
  }

  #global(name: string): Definition | undefined {
    const library = this.#knowledge.libraries.find((candidate) => candidate.globals?.includes(name));
    const [first] = library?.packages ?? [];
    return first === undefined
      ? undefined
      : declared({ package: first, container: undefined, name, file: undefined, isProject: false });
  }

  #import(specifier: Raw, declaration: Raw | undefined): Definition | undefined {
    const node = declaration && this.#file.wrap(declaration);
    if (node?.kind !== "import") return undefined;
    const imported =
      specifier.type === "ImportDefaultSpecifier"
        ? "default"
        : specifier.type === "ImportNamespaceSpecifier"
          ? "*"
          : importedName(specifier);
    const { name } = (specifier.local ?? {}) as { name?: unknown };
    return this.#imported(node.module, imported, typeof name === "string" ? name : undefined);
  }

  /** What a file of the project exports by default has no other name here than the one that it is given. */
  #imported(module: string, imported: string, local: string | undefined): Declared {
    const ref = refOfImport(module, imported, this.#file.path);
    const named = ref.isProject && imported === "default" && local !== undefined ? [{ ...ref, name: local }] : [];
    return { kind: "declared", refs: [...named, ref], raw: undefined };
  }

  /** Member of `this`, of an object literal, or of an instance of a class of this file. */
  #ownMember(object: Node, property: string): Definition | undefined {
    if (object.kind === "this") {
      const owner = enclosingClass(object);
      return owner && this.#classMember(owner, property);
    }
    const value = this.#followed(object);
    if (value?.kind === "object") {
      const found = value.properties.find((candidate) => candidate.key === property);
      return found && { kind: "property", property: found };
    }
    if (value?.kind === "class") return this.#classMember(value, property);
    if (value?.kind === "call" && value.isNew) {
      const made = this.#followed(value.callee);
      return made?.kind === "class" ? this.#classMember(made, property) : undefined;
    }
    if (value?.kind === "parameter" || value?.kind === "field") {
      const type = value.type?.path.length === 1 ? this.#classNamed(value.type.path[0] ?? "") : undefined;
      return type && this.#classMember(type, property);
    }
    return undefined;
  }

  #classMember(owner: ClassNode, property: string): Definition | undefined {
    const method = this.methodOf(owner, property);
    if (method) return { kind: "function", fn: method };
    for (const member of owner.members) {
      if (member.kind === "field" && member.name === property) return { kind: "field", field: member };
      if (member.kind !== "function" || member.role !== "constructor") continue;
      const index = member.params.findIndex(
        (parameter) => parameter.isProperty && parameter.target.kind === "name" && parameter.target.text === property,
      );
      const parameter = member.params[index];
      if (parameter) return { kind: "parameter", fn: member, index, parameter, path: [] };
    }
    return undefined;
  }

  /** The node that a constant name stands for. */
  #followed(node: Node, depth = 0): Node | undefined {
    if (depth > 8) return undefined;
    if (node.kind === "await" && node.argument) return this.#followed(node.argument, depth + 1);
    const definition =
      node.kind === "name"
        ? this.definitionOfName(node)
        : node.kind === "member"
          ? this.#memberOfThis(node)
          : undefined;
    if (!definition) return node.kind === "name" || node.kind === "member" ? undefined : node;
    if (definition.kind === "variable") {
      return definition.path.length === 0 && definition.declarator.init
        ? this.#followed(definition.declarator.init, depth + 1)
        : undefined;
    }
    if (definition.kind === "class") return definition.node;
    if (definition.kind === "parameter") return definition.path.length === 0 ? definition.parameter : undefined;
    if (definition.kind === "field") return definition.field.value ?? definition.field;
    if (definition.kind === "property") return this.#followed(definition.property.value, depth + 1);
    return undefined;
  }

  #memberOfThis(node: MemberNode): Definition | undefined {
    return node.object.kind === "this" && node.property !== undefined
      ? this.#ownMember(node.object, node.property)
      : undefined;
  }

  #classNamed(name: string): ClassNode | undefined {
    return childrenOf(this.#file.root).find((node): node is ClassNode => node.kind === "class" && node.name === name);
  }
}

function declared(ref: Ref): Declared {
  return { kind: "declared", refs: [ref], raw: undefined };
}

/** Nobody knows what stands behind a type of another file of the project. */
function readable(types: readonly Ref[]): readonly Ref[] {
  return types.filter((type) => !type.isProject);
}

function importedName(specifier: Raw): string {
  const imported = specifier.imported as { name?: unknown; value?: unknown } | undefined;
  return typeof imported?.name === "string" ? imported.name : typeof imported?.value === "string" ? imported.value : "";
}

/** Whether a function expression is the value of a method, whose own node stands for it. */
function isMethodLike(raw: Raw): boolean {
  const parent = raw.parent;
  return (
    raw.type === "FunctionExpression" &&
    parent !== undefined &&
    parent.value === raw &&
    /^(?:MethodDefinition|TSAbstractMethodDefinition|Property)$/.test(parent.type)
  );
}

/** Where in a pattern a name is bound. */
function pathTo(target: Node, raw: object): Path | undefined {
  if (target.raw === raw) return [];
  if (target.kind !== "pattern") return undefined;
  for (const entry of target.entries) {
    const rest = pathTo(entry.target, raw);
    if (rest && entry.key !== undefined) return [entry.key, ...rest];
  }
  return undefined;
}
