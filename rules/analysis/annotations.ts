import {
  enclosingClass,
  type CallNode,
  type FunctionNode,
  type MemberNode,
  type NameNode,
  type Node,
  type TypeText,
} from "./code/node.js";
import { oneOrMore, type Knowledge } from "./knowledge.js";
import type { Definition, Ref } from "./semantics.js";

/** What must be known of the code around an expression. */
export interface Code {
  definitionOfName(name: NameNode): Definition | undefined;
  definitionOfMember(member: MemberNode): Definition | undefined;
  /** Where a member is declared by code that can be read. */
  ownMember(member: MemberNode): Definition | undefined;
  /** What a name in a type annotation stands for: an import or a class. */
  typeNamed(name: string, near: Node): Definition | undefined;
}

/**
 * What imports, annotations, `new` and the catalogue's `values` tell of an expression: all there is in a file without
 * types, and what is left in a typed file where a package is not installed.
 */
export class Annotations {
  readonly #code: Code;
  readonly #knowledge: Knowledge;
  readonly #containers = new WeakMap<object, readonly Ref[]>();

  constructor(code: Code, knowledge: Knowledge) {
    this.#code = code;
    this.#knowledge = knowledge;
  }

  /** The library containers that a value is an instance of. */
  containersOf(node: Node): readonly Ref[] {
    const known = this.#containers.get(node.raw);
    if (known) return known;
    this.#containers.set(node.raw, []);
    const refs = this.#containers_(node);
    this.#containers.set(node.raw, refs);
    return refs;
  }

  #containers_(node: Node): readonly Ref[] {
    switch (node.kind) {
      case "await":
      case "yield":
        return node.argument ? this.containersOf(node.argument) : [];
      case "name":
        return this.#containersOfDefinition(this.#code.definitionOfName(node));
      case "member": {
        const own = this.#code.ownMember(node);
        if (own) return this.#containersOfDefinition(own);
        return node.property === undefined
          ? []
          : this.containersOf(node.object).flatMap((type) =>
              this.#made(`${type.name}.${node.property ?? ""}`, memberRef(type, node.property ?? ""), false),
            );
      }
      case "call":
        return node.isNew ? this.#constructed(node) : this.#returned(node);
      case "this": {
        const owner = enclosingClass(node);
        return owner?.superClass ? this.instanceOf(owner.superClass) : [];
      }
      default:
        return [];
    }
  }

  #containersOfDefinition(definition: Definition | undefined): readonly Ref[] {
    switch (definition?.kind) {
      case "declared":
        // an export: its members are found under its own name, and under what the catalogue says that it is
        return definition.refs.flatMap((ref) => [
          ...(ref.name === "*" || ref.name === "default" ? [{ ...ref, name: "*" }] : [ref]),
          ...this.#made(ref.name, ref, false),
        ]);
      case "variable": {
        const { declarator, path } = definition;
        if (path.length === 0) {
          const annotated = this.annotated(declarator.type, declarator);
          if (annotated.length > 0) return annotated;
          return declarator.init ? this.containersOf(declarator.init) : [];
        }
        const [key] = path;
        return declarator.init && path.length === 1 && typeof key === "string"
          ? this.containersOf(declarator.init).flatMap((type) =>
              this.#made(`${type.name}.${key}`, memberRef(type, key), false),
            )
          : [];
      }
      case "parameter":
        if (definition.path.length > 0) return [];
        return definition.parameter.type
          ? this.annotated(definition.parameter.type, definition.parameter)
          : this.#handleOf(definition.fn, definition.index);
      case "field":
        if (definition.field.type) return this.annotated(definition.field.type, definition.field);
        return definition.field.value ? this.containersOf(definition.field.value) : [];
      case "property":
        return this.containersOf(definition.property.value);
      case "class":
        return definition.node.superClass ? this.instanceOf(definition.node.superClass) : [];
      default:
        return [];
    }
  }

  /** What `new X()` makes: X itself, or the library class that X extends. */
  #constructed(call: CallNode): readonly Ref[] {
    return this.instanceOf(call.callee);
  }

  instanceOf(callee: Node, depth = 0): readonly Ref[] {
    const definition =
      callee.kind === "name"
        ? this.#code.definitionOfName(callee)
        : callee.kind === "member"
          ? this.#code.definitionOfMember(callee)
          : undefined;
    // `class A extends A` is possible while one types
    if (definition?.kind === "class")
      return definition.node.superClass && depth < 8 ? this.instanceOf(definition.node.superClass, depth + 1) : [];
    if (definition?.kind !== "declared") return [];
    return definition.refs.map((ref) => ({
      ...ref,
      container: undefined,
      name: ref.name === "default" ? "*" : ref.name,
    }));
  }

  #returned(call: CallNode): readonly Ref[] {
    const { callee } = call;
    const definition =
      callee.kind === "name"
        ? this.#code.definitionOfName(callee)
        : callee.kind === "member"
          ? this.#code.definitionOfMember(callee)
          : undefined;
    if (definition?.kind === "declared") {
      return definition.refs.flatMap((ref) =>
        this.#made(ref.container === undefined ? ref.name : `${ref.container}.${ref.name}`, ref, true),
      );
    }
    if (definition?.kind === "function")
      return definition.fn.returnType ? this.annotated(awaited(definition.fn.returnType), definition.fn) : [];
    // a value that is called itself: `const db = pgp(url)`
    return this.containersOf(callee).flatMap((type) => this.#made(`${type.name}.()`, type, false));
  }

  /** Containers that the catalogue says are made by a member or an export. */
  #made(what: string, ref: Ref, called: boolean): readonly Ref[] {
    const written = called ? `${what}()` : what;
    const anyContainer = called && ref.container === "*" ? `.${ref.name}()` : undefined;
    const anyProperty =
      called || ref.container === undefined || ref.name.startsWith("$") ? undefined : `${ref.container}.*`;
    return this.#knowledge.libraries
      .filter((library) => library.packages.includes(ref.package) || library.importedFrom?.includes(ref.package))
      .flatMap((library) =>
        Object.entries(library.values ?? {}).flatMap(([container, forms]) =>
          oneOrMore(forms).some(
            (form) =>
              form === written || form === anyProperty || (anyContainer !== undefined && form.endsWith(anyContainer)),
          )
            ? [
                {
                  package: library.packages[0] ?? ref.package,
                  container: undefined,
                  name: container,
                  file: undefined,
                  isProject: false,
                },
              ]
            : [],
        ),
      );
  }

  annotated(type: TypeText | undefined, near: Node): readonly Ref[] {
    const inner = type && awaited(type);
    const [first] = inner?.path ?? [];
    if (!inner || first === undefined) return [];
    const last = inner.path.at(-1) ?? first;
    const definition = this.#code.typeNamed(first, near);
    if (definition?.kind === "class")
      return definition.node.superClass ? this.instanceOf(definition.node.superClass) : [];
    if (definition?.kind !== "declared") return [];
    return definition.refs.map((ref) => ({
      ...ref,
      name: inner.path.length > 1 ? last : ref.name === "default" ? "*" : ref.name,
    }));
  }

  /** A callback's parameter without annotation: the handle of the opener that the callback is given to. */
  #handleOf(fn: FunctionNode, index: number): readonly Ref[] {
    const call = fn.parent;
    if (call?.kind !== "call" || call.isNew || !call.args.includes(fn)) return [];
    const { callee } = call;
    if (callee.kind === "member" && callee.property !== undefined && index === 0) {
      const { property } = callee;
      const given = this.containersOf(callee.object).flatMap((type) =>
        this.#made(`${type.name}.${property}(=>)`, memberRef(type, property), false),
      );
      if (given.length > 0) return given;
    }
    const name = callee.kind === "member" ? callee.property : callee.kind === "name" ? callee.text : undefined;
    if (!this.#knowledge.transactions.hasName(name)) return [];
    const definition =
      callee.kind === "name"
        ? this.#code.definitionOfName(callee)
        : callee.kind === "member"
          ? this.#code.definitionOfMember(callee)
          : undefined;
    if (definition?.kind !== "declared") return [];
    return this.#knowledge.transactions.find(definition.refs).flatMap(({ library, entry }) => {
      const handle = entry.handle === "last" ? fn.params.length - 1 : entry.handle;
      if (handle !== index || entry.handleType === undefined) return [];
      return [
        {
          package: entry.handlePackage ?? library.packages[0] ?? "",
          container: undefined,
          name: entry.handleType,
          file: undefined,
          isProject: false,
        },
      ];
    });
  }
}

/** Ref of a member of a container; `*` is a whole module, of which functions are members too. */
export function memberRef(type: Ref, property: string): Ref {
  return { ...type, container: type.name, name: property };
}

function awaited(type: TypeText): TypeText {
  const [inner] = type.typeArguments;
  return type.path.at(-1) === "Promise" && inner ? inner : type;
}
