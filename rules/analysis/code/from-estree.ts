import { lazily, Start as StartOf } from "./lazily.js";
import type {
  ClassMember,
  ClassNode,
  CodeFile,
  FunctionNode,
  Node,
  ObjectNode,
  ParameterNode,
  PatternNode,
  PropertyNode,
  TypeText,
} from "./node.js";

/** A node of ESTree with the additions of typescript-estree, as any parser gives it: nothing about it is taken for granted. */
export interface Raw {
  readonly type: string;
  readonly range?: readonly [number, number];
  readonly start?: number;
  readonly end?: number;
  readonly parent?: Raw;
  readonly alternate?: unknown;
  readonly argument?: unknown;
  readonly arguments?: unknown;
  readonly async?: unknown;
  readonly block?: unknown;
  readonly body?: unknown;
  readonly callee?: unknown;
  readonly cases?: unknown;
  readonly computed?: unknown;
  readonly consequent?: unknown;
  readonly declarations?: unknown;
  readonly decorators?: unknown;
  readonly discriminant?: unknown;
  readonly elements?: unknown;
  readonly expression?: unknown;
  readonly expressions?: unknown;
  readonly finalizer?: unknown;
  readonly generator?: unknown;
  readonly handler?: unknown;
  readonly id?: unknown;
  readonly implements?: unknown;
  readonly imported?: unknown;
  readonly init?: unknown;
  readonly initializer?: unknown;
  readonly key?: unknown;
  readonly kind?: unknown;
  readonly left?: unknown;
  readonly local?: unknown;
  readonly members?: unknown;
  readonly method?: unknown;
  readonly name?: unknown;
  readonly object?: unknown;
  readonly operator?: unknown;
  readonly optional?: unknown;
  readonly parameter?: unknown;
  readonly params?: unknown;
  readonly properties?: unknown;
  readonly property?: unknown;
  readonly quasi?: unknown;
  readonly quasis?: unknown;
  readonly regex?: unknown;
  readonly returnType?: unknown;
  readonly right?: unknown;
  readonly source?: unknown;
  readonly specifiers?: unknown;
  readonly superClass?: unknown;
  readonly tag?: unknown;
  readonly test?: unknown;
  readonly typeAnnotation?: unknown;
  readonly typeArguments?: unknown;
  readonly typeName?: unknown;
  readonly typeParameters?: unknown;
  readonly types?: unknown;
  readonly update?: unknown;
  readonly value?: unknown;
  readonly [key: string]: unknown;
}

const transparent: Readonly<Record<string, string>> = {
  ParenthesizedExpression: "expression",
  TSAsExpression: "expression",
  TSSatisfiesExpression: "expression",
  TSTypeAssertion: "expression",
  TSNonNullExpression: "expression",
  TSInstantiationExpression: "expression",
  ChainExpression: "expression",
  ExpressionStatement: "expression",
  Decorator: "expression",
  ExportNamedDeclaration: "declaration",
  ExportDefaultDeclaration: "declaration",
};

/** Nodes that have no node here and that do not stand for their only child either. */
const between = new Set([
  "SwitchCase",
  "CatchClause",
  "ClassBody",
  "Property",
  "TSParameterProperty",
  "AssignmentPattern",
  "RestElement",
]);

type Start = StartOf<Raw, EstreeFile>;

/** The code of a file that is linted without a TypeScript program. */
export class EstreeFile implements CodeFile {
  readonly path: string;
  readonly text: string;
  readonly #program: Raw;
  readonly #nodes = new Map<Raw, Node>();

  constructor(path: string, text: string, program: Raw) {
    this.path = path;
    this.text = text;
    this.#program = program;
  }

  get root(): Node {
    return this.wrap(this.#program);
  }

  wrap(raw: Raw): Node {
    const inner = skipDown(raw);
    let node = this.#nodes.get(inner);
    if (!node) this.#nodes.set(inner, (node = this.#convert(inner)));
    return node;
  }

  #wrapped(raw: unknown): Node | undefined {
    return isRaw(raw) ? this.wrap(raw) : undefined;
  }

  #sure(raw: unknown, around: Raw): Node {
    return isRaw(raw) ? this.wrap(raw) : this.#nothing(around);
  }

  /** Stands in for a part that a broken file lacks. */
  #nothing(around: Raw): Node {
    return {
      file: this,
      raw: around,
      start: startOf(around),
      end: startOf(around),
      parent: undefined,
      kind: "other",
      children: [],
    };
  }

  #wrapAll(raws: unknown): Node[] {
    return rawsIn(raws).map((raw) => this.wrap(raw));
  }

  startOf(raw: Raw): number {
    return startOf(raw);
  }

  parentOf(raw: Raw): Node | undefined {
    for (let child = raw, current = raw.parent; current; child = current, current = current.parent) {
      if (transparent[current.type] && isRaw(current[transparent[current.type] ?? ""])) continue;
      if (
        current.type === "Property" &&
        current.parent?.type === "ObjectExpression" &&
        !isMethodProperty(current) &&
        current.key !== child
      )
        return this.wrap(current);
      if (current.type === "TemplateLiteral" && current.parent?.type === "TaggedTemplateExpression") continue;
      if (current.type === "FunctionExpression" && !isMethodValue(current)) return this.wrap(current);
      // a method is known by its own node, its function expression is not seen
      if (current.type === "FunctionExpression" && current.parent) return this.wrap(current.parent);
      if (between.has(current.type)) continue;
      return this.wrap(current);
    }
    return undefined;
  }

  #convert(raw: Raw): Node {
    const base: Start = new StartOf(this, raw, endOf(raw));
    switch (raw.type) {
      case "Identifier":
      case "JSXIdentifier":
        return Object.assign(base, { kind: "name" as const, text: textOf(raw.name) });
      case "PrivateIdentifier":
        return Object.assign(base, { kind: "name" as const, text: `#${textOf(raw.name)}` });
      case "ThisExpression":
        return Object.assign(base, { kind: "this" as const });
      case "Super":
        return Object.assign(base, { kind: "super" as const });
      case "Literal":
        return Object.assign(base, { kind: "literal" as const, value: literalValue(raw) });
      case "TemplateLiteral": {
        const strings = stringsOf(raw);
        if (strings.length === 1 && raw.parent?.type !== "TaggedTemplateExpression") {
          return Object.assign(base, { kind: "literal" as const, value: strings[0] });
        }
        return lazily(Object.assign(base, { kind: "template" as const, strings, tag: undefined }), {
          expressions: () => this.#wrapAll(raw.expressions),
        });
      }
      case "TaggedTemplateExpression": {
        const quasi = isRaw(raw.quasi) ? raw.quasi : raw;
        return lazily(Object.assign(base, { kind: "template" as const, strings: stringsOf(quasi) }), {
          expressions: () => this.#wrapAll(quasi.expressions),
          tag: () => this.#wrapped(raw.tag),
        });
      }
      case "CallExpression":
      case "NewExpression":
        return lazily(Object.assign(base, { kind: "call" as const, isNew: raw.type === "NewExpression" }), {
          callee: () => this.#sure(raw.callee, raw),
          args: () => this.#wrapAll(raw.arguments),
        });
      case "MemberExpression": {
        const property = isRaw(raw.property) ? raw.property : raw;
        const fixed = raw.computed === true ? literalText(property) : nameText(property);
        return lazily(Object.assign(base, { kind: "member" as const, property: fixed, propertyRaw: property }), {
          object: () => this.#sure(raw.object, raw),
          index: () => (fixed === undefined ? this.#wrapped(raw.property) : undefined),
        });
      }
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
      case "TSDeclareFunction":
        return this.#function(base, raw, raw);
      case "MethodDefinition":
      case "TSAbstractMethodDefinition":
        return this.#function(base, raw, isRaw(raw.value) ? raw.value : raw);
      case "Property":
        return isMethodProperty(raw) && isRaw(raw.value) ? this.#function(base, raw, raw.value) : this.#property(raw);
      case "SpreadElement":
        if (raw.parent?.type === "ObjectExpression") return this.#property(raw);
        return lazily(Object.assign(base, { kind: "spread" as const }), {
          argument: () => this.#wrapped(raw.argument),
        });
      case "ClassDeclaration":
      case "ClassExpression":
        return this.#class(base, raw);
      case "PropertyDefinition":
      case "AccessorProperty":
      case "TSAbstractPropertyDefinition":
        return lazily(Object.assign(base, { kind: "field" as const, name: keyText(raw) }), {
          value: () => this.#wrapped(raw.value),
          type: () => annotation(raw),
          decorators: () => this.#wrapAll(raw.decorators),
        });
      case "ObjectExpression":
        return lazily(Object.assign(base, { kind: "object" as const }), {
          properties: () => rawsIn(raw.properties).map((property) => this.#property(property)),
        });
      case "ArrayExpression":
        return lazily(Object.assign(base, { kind: "array" as const }), { elements: () => this.#wrapAll(raw.elements) });
      case "AwaitExpression":
      case "YieldExpression":
      case "ThrowStatement":
      case "ReturnStatement": {
        const kinds = {
          AwaitExpression: "await",
          YieldExpression: "yield",
          ThrowStatement: "throw",
          ReturnStatement: "return",
        } as const;
        return lazily(Object.assign(base, { kind: kinds[raw.type] }), { argument: () => this.#wrapped(raw.argument) });
      }
      case "AssignmentExpression":
        return lazily(Object.assign(base, { kind: "assign" as const, operator: textOf(raw.operator) }), {
          target: () => this.#sure(raw.left, raw),
          value: () => this.#sure(raw.right, raw),
        });
      case "BinaryExpression":
      case "LogicalExpression":
        return lazily(Object.assign(base, { kind: "binary" as const, operator: textOf(raw.operator) }), {
          left: () => this.#sure(raw.left, raw),
          right: () => this.#sure(raw.right, raw),
        });
      case "UnaryExpression":
      case "UpdateExpression":
        return lazily(Object.assign(base, { kind: "unary" as const, operator: textOf(raw.operator) }), {
          argument: () => this.#sure(raw.argument, raw),
        });
      case "ConditionalExpression":
      case "IfStatement":
        return lazily(
          Object.assign(base, { kind: raw.type === "IfStatement" ? ("if" as const) : ("conditional" as const) }),
          {
            test: () => this.#sure(raw.test, raw),
            then: () => this.#sure(raw.consequent, raw),
            otherwise: () => this.#wrapped(raw.alternate),
          },
        );
      case "Program":
      case "BlockStatement":
      case "TSModuleBlock":
        return lazily(Object.assign(base, { kind: "block" as const }), { body: () => this.#wrapAll(raw.body) });
      case "SequenceExpression":
        return lazily(Object.assign(base, { kind: "sequence" as const }), {
          body: () => this.#wrapAll(raw.expressions),
        });
      case "VariableDeclaration":
        return lazily(Object.assign(base, { kind: "declare" as const, isConst: raw.kind === "const" }), {
          declarators: () => this.#wrapAll(raw.declarations).filter((node) => node.kind === "declarator"),
        });
      case "VariableDeclarator":
        return lazily(Object.assign(base, { kind: "declarator" as const, isConst: raw.parent?.kind === "const" }), {
          target: () => this.#sure(raw.id, raw),
          init: () => this.#wrapped(raw.init),
          type: () => (isRaw(raw.id) ? annotation(raw.id) : undefined),
        });
      case "TSEnumDeclaration":
        return this.#enum(base, raw);
      case "TSEnumMember":
        return this.#enumMember(raw);
      case "ForStatement":
      case "WhileStatement":
      case "DoWhileStatement":
        return lazily(Object.assign(base, { kind: "loop" as const, iterated: undefined }), {
          init: () => this.#wrapped(raw.init),
          test: () => this.#wrapped(raw.test),
          update: () => this.#wrapped(raw.update),
          body: () => this.#sure(raw.body, raw),
        });
      case "ForOfStatement":
      case "ForInStatement":
        return lazily(Object.assign(base, { kind: "loop" as const, test: undefined, update: undefined }), {
          init: () => this.#wrapped(raw.left),
          iterated: () => this.#wrapped(raw.right),
          body: () => this.#sure(raw.body, raw),
        });
      case "SwitchStatement":
        return lazily(Object.assign(base, { kind: "switch" as const }), {
          discriminant: () => this.#sure(raw.discriminant, raw),
          cases: () =>
            rawsIn(raw.cases).map((branch) => ({
              test: this.#wrapped(branch.test),
              body: this.#wrapAll(branch.consequent),
            })),
        });
      case "TryStatement":
        return lazily(Object.assign(base, { kind: "try" as const }), {
          block: () => this.#sure(raw.block, raw),
          handler: () => (isRaw(raw.handler) ? this.#wrapped(raw.handler.body) : undefined),
          finalizer: () => this.#wrapped(raw.finalizer),
        });
      case "ObjectPattern":
        return lazily(Object.assign(base, { kind: "pattern" as const }), {
          entries: () =>
            rawsIn(raw.properties).map((property) =>
              property.type === "RestElement"
                ? { key: undefined, target: this.#sure(property.argument, raw), defaultValue: undefined }
                : { key: keyText(property), ...this.#targetOf(property.value, raw) },
            ),
        });
      case "ArrayPattern":
        return lazily(Object.assign(base, { kind: "pattern" as const }), {
          entries: () =>
            (Array.isArray(raw.elements) ? (raw.elements as unknown[]) : []).flatMap(
              (element, index): PatternNode["entries"][number][] => {
                if (!isRaw(element)) return [];
                if (element.type === "RestElement")
                  return [{ key: undefined, target: this.#sure(element.argument, raw), defaultValue: undefined }];
                return [{ key: index, ...this.#targetOf(element, raw) }];
              },
            ),
        });
      case "ImportDeclaration":
        return Object.assign(base, {
          kind: "import" as const,
          module: isRaw(raw.source) ? textOf(raw.source.value) : "",
          specifiers: rawsIn(raw.specifiers).map((specifier) => ({
            local: isRaw(specifier.local) ? textOf(specifier.local.name) : "",
            imported: importedName(specifier),
          })),
        });
      default:
        return lazily(Object.assign(base, { kind: "other" as const }), {
          children: () => childRaws(raw).map((child) => this.wrap(child)),
        });
    }
  }

  /** A pattern's element without its default value. */
  #targetOf(element: unknown, around: Raw): { target: Node; defaultValue: Node | undefined } {
    if (isRaw(element) && element.type === "AssignmentPattern")
      return { target: this.#sure(element.left, around), defaultValue: this.#wrapped(element.right) };
    return { target: this.#sure(element, around), defaultValue: undefined };
  }

  #function(base: Start, raw: Raw, value: Raw): FunctionNode {
    const roles = new Map<string, FunctionNode["role"]>([
      ["get", "getter"],
      ["set", "setter"],
      ["constructor", "constructor"],
    ]);
    const isMethod = raw !== value;
    return lazily(
      Object.assign(base, {
        kind: "function" as const,
        name: isMethod ? keyText(raw) : isRaw(value.id) ? textOf(value.id.name) : undefined,
        isAsync: value.async === true,
        isGenerator: value.generator === true,
        isArrow: value.type === "ArrowFunctionExpression",
        role: isMethod ? (roles.get(textOf(raw.kind)) ?? "method") : "function",
      }),
      {
        params: () => rawsIn(value.params).map((parameter) => this.#parameter(parameter)),
        body: () => this.#wrapped(value.body),
        owner: (): ClassNode | ObjectNode | undefined => {
          const above = isMethod ? (raw.parent?.type === "ClassBody" ? raw.parent.parent : raw.parent) : undefined;
          const owner = above && this.wrap(above);
          return owner?.kind === "class" || owner?.kind === "object" ? owner : undefined;
        },
        decorators: () => this.#wrapAll(raw.decorators),
        returnType: () => (isRaw(value.returnType) ? typeText(value.returnType.typeAnnotation) : undefined),
      },
    );
  }

  readonly #parameters = new WeakMap<Raw, ParameterNode>();

  /** Parameters have a node apart from their pattern, which ESTree does not distinguish from it. */
  #parameter(raw: Raw): ParameterNode {
    const known = this.#parameters.get(raw);
    if (known) return known;
    const property = raw.type === "TSParameterProperty" && isRaw(raw.parameter) ? raw.parameter : raw;
    const withDefault = property.type === "AssignmentPattern";
    const rest = property.type === "RestElement";
    const target = withDefault ? property.left : rest ? property.argument : property;
    const node: ParameterNode = lazily(
      {
        file: this,
        raw: raw,
        start: startOf(raw),
        end: endOf(raw),
        kind: "parameter" as const,
        isRest: rest,
        isOptional: withDefault || (isRaw(target) && (target.optional === true || mayBeMissing(target))),
        isProperty: raw.type === "TSParameterProperty",
      },
      {
        parent: () => this.parentOf(raw),
        target: () => this.#sure(target, raw),
        defaultValue: () => (withDefault ? this.#wrapped(property.right) : undefined),
        type: () => (isRaw(target) ? annotation(target) : undefined),
        decorators: () => this.#wrapAll(raw.decorators ?? property.decorators),
      },
    );
    this.#parameters.set(raw, node);
    return node;
  }

  #class(base: Start, raw: Raw): ClassNode {
    const body = isRaw(raw.body) ? raw.body : raw;
    return lazily(
      Object.assign(base, { kind: "class" as const, name: isRaw(raw.id) ? textOf(raw.id.name) : undefined }),
      {
        superClass: () => this.#wrapped(raw.superClass),
        interfaces: () => rawsIn(raw.implements).flatMap((entry) => heritageText(entry) ?? []),
        decorators: () => this.#wrapAll(raw.decorators),
        members: () =>
          this.#wrapAll(body.body).filter(
            (member): member is ClassMember => member.kind === "function" || member.kind === "field",
          ),
      },
    );
  }

  /** An enum reads like a constant object. */
  #enum(base: Start, raw: Raw): Node {
    const members = rawsIn(isRaw(raw.body) ? raw.body.members : raw.members);
    const object: Node = lazily(
      { ...this.#startOf(raw), kind: "object" as const },
      { properties: () => members.map((member) => this.#enumMember(member)), parent: () => this.wrap(raw) },
    );
    const declarator: Extract<Node, { kind: "declarator" }> = lazily(
      { ...this.#startOf(raw), kind: "declarator" as const, isConst: true, type: undefined, init: object },
      { target: () => this.#sure(raw.id, raw), parent: () => this.wrap(raw) },
    );
    return Object.assign(base, { kind: "declare" as const, isConst: true, declarators: [declarator] });
  }

  #enumMember(raw: Raw): PropertyNode {
    const known = this.#nodes.get(raw);
    if (known?.kind === "property") return known;
    const start = this.#startOf(raw);
    const node: PropertyNode = lazily(
      {
        ...start,
        kind: "property" as const,
        key: isRaw(raw.id) ? nameText(raw.id) || literalText(raw.id) : undefined,
        isSpread: false,
        keyRaw: isRaw(raw.id) ? raw.id : raw,
      },
      {
        parent: () => this.parentOf(raw),
        value: (): Node => this.#wrapped(raw.initializer) ?? { ...start, kind: "other", children: [], parent: node },
      },
    );
    this.#nodes.set(raw, node);
    return node;
  }

  #startOf(raw: Raw) {
    return { file: this as CodeFile, raw: raw as object, start: startOf(raw), end: endOf(raw) };
  }

  #property(raw: Raw): PropertyNode {
    const known = this.#nodes.get(raw);
    if (known?.kind === "property") return known;
    const isSpread = raw.type !== "Property";
    const node: PropertyNode = lazily(
      {
        file: this,
        raw: raw,
        start: startOf(raw),
        end: endOf(raw),
        kind: "property" as const,
        key: isSpread ? undefined : keyText(raw),
        isSpread,
        keyRaw: isRaw(raw.key) ? raw.key : raw,
      },
      {
        parent: () => this.parentOf(raw),
        value: (): Node =>
          isSpread
            ? this.#sure(raw.argument, raw)
            : isMethodProperty(raw)
              ? this.wrap(raw)
              : this.#sure(raw.value, raw),
      },
    );
    if (!isMethodProperty(raw)) this.#nodes.set(raw, node);
    return node;
  }
}

function isRaw(value: unknown): value is Raw {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

function rawsIn(value: unknown): Raw[] {
  return Array.isArray(value) ? value.filter(isRaw) : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function startOf(raw: Raw): number {
  // decorators before `export` stand before the class, and are its own all the same
  const [decorator] = raw.type === "ClassDeclaration" ? rawsIn(raw.decorators) : [];
  const start = raw.range?.[0] ?? raw.start ?? 0;
  return decorator ? Math.min(startOf(decorator), start) : start;
}

function endOf(raw: Raw): number {
  return raw.range?.[1] ?? raw.end ?? 0;
}

function skipDown(raw: Raw): Raw {
  for (let current = raw; ;) {
    const key = transparent[current.type];
    const inner = key === undefined ? undefined : current[key];
    if (!isRaw(inner)) return current;
    current = inner;
  }
}

function isMethodProperty(raw: Raw): boolean {
  return raw.type === "Property" && (raw.method === true || raw.kind === "get" || raw.kind === "set");
}

/** The function expression that a method's node holds. */
function isMethodValue(raw: Raw): boolean {
  const parent = raw.parent;
  return (
    parent !== undefined &&
    parent.value === raw &&
    (parent.type === "MethodDefinition" || parent.type === "TSAbstractMethodDefinition" || isMethodProperty(parent))
  );
}

function nameText(raw: Raw): string {
  return raw.type === "PrivateIdentifier" ? `#${textOf(raw.name)}` : textOf(raw.name);
}

function literalText(raw: Raw): string | undefined {
  if (raw.type === "Literal" && typeof raw.value === "string") return raw.value;
  const strings = raw.type === "TemplateLiteral" ? stringsOf(raw) : [];
  return strings.length === 1 ? strings[0] : undefined;
}

function keyText(raw: Raw): string | undefined {
  if (!isRaw(raw.key)) return undefined;
  if (raw.computed === true) return literalText(raw.key);
  if (raw.key.type === "Literal") return String(raw.key.value);
  return nameText(raw.key);
}

function literalValue(raw: Raw): string | number | bigint | boolean | null | undefined {
  if (raw.regex !== undefined) return undefined;
  const { value } = raw;
  if (value === null) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || typeof value === "bigint")
    return value;
  return undefined;
}

function stringsOf(template: Raw): string[] {
  return rawsIn(template.quasis).map((quasi) => {
    const value = quasi.value as { cooked?: unknown; raw?: unknown } | undefined;
    return textOf(value?.cooked) || textOf(value?.raw);
  });
}

function importedName(specifier: Raw): string {
  if (specifier.type === "ImportDefaultSpecifier") return "default";
  if (specifier.type === "ImportNamespaceSpecifier") return "*";
  const { imported } = specifier;
  return isRaw(imported) ? textOf(imported.name) || textOf(imported.value) : "";
}

function annotation(raw: Raw): TypeText | undefined {
  return isRaw(raw.typeAnnotation) ? typeText(raw.typeAnnotation.typeAnnotation) : undefined;
}

/** `X | undefined`, `X | null` */
function mayBeMissing({ typeAnnotation }: Raw): boolean {
  const type = isRaw(typeAnnotation) ? typeAnnotation.typeAnnotation : undefined;
  return (
    isRaw(type) &&
    type.type === "TSUnionType" &&
    rawsIn(type.types).some((part) => part.type === "TSUndefinedKeyword" || part.type === "TSNullKeyword")
  );
}

function typeText(raw: unknown): TypeText | undefined {
  if (!isRaw(raw)) return undefined;
  if (raw.type === "TSTypeReference") {
    const path = pathOf(raw.typeName);
    return path && { path, typeArguments: typeArgumentsOf(raw) };
  }
  if (raw.type === "TSUnionType") {
    const rest = rawsIn(raw.types).filter(
      (part) => !["TSUndefinedKeyword", "TSNullKeyword", "TSLiteralType"].includes(part.type),
    );
    return rest.length === 1 ? typeText(rest[0]) : undefined;
  }
  return undefined;
}

function heritageText(raw: Raw): TypeText | undefined {
  const path = pathOf(raw.expression);
  return path && { path, typeArguments: typeArgumentsOf(raw) };
}

function typeArgumentsOf(raw: Raw): TypeText[] {
  const list = raw.typeArguments ?? raw.typeParameters;
  return isRaw(list) ? rawsIn(list.params).flatMap((parameter) => typeText(parameter) ?? []) : [];
}

function pathOf(raw: unknown): string[] | undefined {
  if (!isRaw(raw)) return undefined;
  if (raw.type === "Identifier") return [textOf(raw.name)];
  const [left, right] =
    raw.type === "TSQualifiedName"
      ? [raw.left, raw.right]
      : raw.type === "MemberExpression"
        ? [raw.object, raw.property]
        : [];
  const leftPath = pathOf(left);
  const rightPath = pathOf(right);
  return leftPath && rightPath && [...leftPath, ...rightPath];
}

const skippedKeys = new Set([
  "parent",
  "type",
  "range",
  "loc",
  "start",
  "end",
  "typeAnnotation",
  "returnType",
  "typeArguments",
  "typeParameters",
  "tokens",
  "comments",
]);

function childRaws(raw: Raw): Raw[] {
  if (raw.type.startsWith("TSInterface") || raw.type === "TSTypeAliasDeclaration") return [];
  const children: Raw[] = [];
  for (const [key, value] of Object.entries(raw)) {
    if (skippedKeys.has(key)) continue;
    if (isRaw(value)) children.push(value);
    else children.push(...rawsIn(value));
  }
  return children.filter((child) => !/^TS\w*(Type|Keyword)$/.test(child.type));
}
