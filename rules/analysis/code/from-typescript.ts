import type ts from "typescript";

import { lazily, Start as StartOf } from "./lazily.js";
import type {
  ClassMember,
  ClassNode,
  CodeFile,
  FunctionNode,
  Node,
  ObjectNode,
  ParameterNode,
  PropertyNode,
  TypeText,
} from "./node.js";

type Typescript = typeof ts;

type Start = StartOf<ts.Node, TypescriptFile>;

/** Wrapped files and nodes are kept as long as TypeScript keeps the source file: unchanged files survive an edit elsewhere. */
const files = new WeakMap<ts.SourceFile, TypescriptFile>();

/** The code of a source file of a TypeScript program. */
export function codeOfSourceFile(typescript: Typescript, sourceFile: ts.SourceFile): TypescriptFile {
  let file = files.get(sourceFile);
  if (!file) files.set(sourceFile, (file = new TypescriptFile(typescript, sourceFile)));
  return file;
}

/** The node of the analysis for a node of TypeScript. */
export function nodeOf(typescript: Typescript, raw: ts.Node): Node {
  return codeOfSourceFile(typescript, raw.getSourceFile()).wrap(raw);
}

export class TypescriptFile implements CodeFile {
  readonly path: string;
  readonly text: string;
  readonly #nodes = new Map<ts.Node, Node>();
  readonly #ts: Typescript;
  readonly #sourceFile: ts.SourceFile;

  constructor(typescript: Typescript, sourceFile: ts.SourceFile) {
    this.#ts = typescript;
    this.#sourceFile = sourceFile;
    this.path = sourceFile.fileName;
    this.text = sourceFile.text;
  }

  get root(): Node {
    return this.wrap(this.#sourceFile);
  }

  wrap(raw: ts.Node): Node {
    const inner = this.#skipDown(raw);
    let node = this.#nodes.get(inner);
    if (!node) this.#nodes.set(inner, (node = this.#convert(inner)));
    return node;
  }

  #wrapped(raw: ts.Node | undefined): Node | undefined {
    return raw && this.wrap(raw);
  }

  #wrapAll(raws: readonly ts.Node[] | undefined): Node[] {
    return (raws ?? []).map((raw) => this.wrap(raw));
  }

  /** Steps over what is no node of its own. */
  #skipDown(raw: ts.Node): ts.Node {
    const { SyntaxKind } = this.#ts;
    for (let current = raw; ;) {
      switch (current.kind) {
        case SyntaxKind.ParenthesizedExpression:
        case SyntaxKind.AsExpression:
        case SyntaxKind.SatisfiesExpression:
        case SyntaxKind.TypeAssertionExpression:
        case SyntaxKind.NonNullExpression:
        case SyntaxKind.ExpressionStatement:
        case SyntaxKind.ExpressionWithTypeArguments:
        case SyntaxKind.PartiallyEmittedExpression:
        case SyntaxKind.Decorator:
        case SyntaxKind.ComputedPropertyName:
        case SyntaxKind.ExportAssignment:
          current = (current as ts.ParenthesizedExpression).expression;
          break;
        case SyntaxKind.VariableStatement:
          current = (current as ts.VariableStatement).declarationList;
          break;
        default:
          return current;
      }
    }
  }

  /** The next node above that is a node here. */
  parentOf(raw: ts.Node): Node | undefined {
    const { SyntaxKind } = this.#ts;
    // while a broken file is edited a parent can be missing
    for (let current = raw.parent as ts.Node | undefined; current; current = current.parent as ts.Node | undefined) {
      switch (current.kind) {
        case SyntaxKind.CaseClause:
        case SyntaxKind.DefaultClause:
        case SyntaxKind.CaseBlock:
        case SyntaxKind.CatchClause:
        case SyntaxKind.BindingElement:
        case SyntaxKind.TemplateSpan:
        case SyntaxKind.TemplateExpression:
        case SyntaxKind.HeritageClause:
          if (
            current.kind === SyntaxKind.TemplateExpression &&
            current.parent.kind !== SyntaxKind.TaggedTemplateExpression
          )
            return this.wrap(current);
          continue;
        default:
          if (this.#skipDown(current) === current) return this.wrap(current);
      }
    }
    return undefined;
  }

  startOf(raw: ts.Node): number {
    return raw.getStart(this.#sourceFile);
  }

  #base(raw: ts.Node): Start {
    return new StartOf(this, raw, raw.end);
  }

  #convert(raw: ts.Node): Node {
    const t = this.#ts;
    const { SyntaxKind } = t;
    const base = this.#base(raw);
    switch (raw.kind) {
      case SyntaxKind.Identifier:
      case SyntaxKind.PrivateIdentifier:
        return Object.assign(base, { kind: "name" as const, text: (raw as ts.Identifier).text });
      case SyntaxKind.ThisKeyword:
        return Object.assign(base, { kind: "this" as const });
      case SyntaxKind.SuperKeyword:
        return Object.assign(base, { kind: "super" as const });
      case SyntaxKind.StringLiteral:
        return Object.assign(base, { kind: "literal" as const, value: (raw as ts.StringLiteral).text });
      case SyntaxKind.NoSubstitutionTemplateLiteral:
        return raw.parent.kind === SyntaxKind.TaggedTemplateExpression
          ? Object.assign(base, {
              kind: "template" as const,
              strings: [(raw as ts.StringLiteral).text],
              expressions: [],
              tag: undefined,
            })
          : Object.assign(base, { kind: "literal" as const, value: (raw as ts.StringLiteral).text });
      case SyntaxKind.NumericLiteral:
        return Object.assign(base, { kind: "literal" as const, value: Number((raw as ts.NumericLiteral).text) });
      case SyntaxKind.BigIntLiteral:
        return Object.assign(base, { kind: "literal" as const, value: bigintOf((raw as ts.BigIntLiteral).text) });
      case SyntaxKind.TrueKeyword:
      case SyntaxKind.FalseKeyword:
        return Object.assign(base, { kind: "literal" as const, value: raw.kind === SyntaxKind.TrueKeyword });
      case SyntaxKind.NullKeyword:
        return Object.assign(base, { kind: "literal" as const, value: null });
      case SyntaxKind.RegularExpressionLiteral:
        return Object.assign(base, { kind: "literal" as const, value: undefined });
      case SyntaxKind.TemplateExpression:
        return this.#template(base, raw as ts.TemplateExpression, undefined);
      case SyntaxKind.TaggedTemplateExpression: {
        const tagged = raw as ts.TaggedTemplateExpression;
        return this.#template(base, tagged.template, tagged.tag);
      }
      case SyntaxKind.CallExpression:
      case SyntaxKind.NewExpression: {
        const call = raw as ts.CallExpression | ts.NewExpression;
        return lazily(Object.assign(base, { kind: "call" as const, isNew: raw.kind === SyntaxKind.NewExpression }), {
          callee: () => this.wrap(call.expression),
          args: () => this.#wrapAll(call.arguments),
        });
      }
      case SyntaxKind.PropertyAccessExpression: {
        const access = raw as ts.PropertyAccessExpression;
        return lazily(
          Object.assign(base, {
            kind: "member" as const,
            property: access.name.text,
            index: undefined,
            propertyRaw: access.name,
          }),
          { object: () => this.wrap(access.expression) },
        );
      }
      case SyntaxKind.ElementAccessExpression: {
        const access = raw as ts.ElementAccessExpression;
        const fixed = t.isStringLiteralLike(access.argumentExpression) ? access.argumentExpression.text : undefined;
        return lazily(
          Object.assign(base, { kind: "member" as const, property: fixed, propertyRaw: access.argumentExpression }),
          {
            object: () => this.wrap(access.expression),
            index: () => (fixed === undefined ? this.wrap(access.argumentExpression) : undefined),
          },
        );
      }
      case SyntaxKind.FunctionDeclaration:
      case SyntaxKind.FunctionExpression:
      case SyntaxKind.ArrowFunction:
      case SyntaxKind.MethodDeclaration:
      case SyntaxKind.Constructor:
      case SyntaxKind.GetAccessor:
      case SyntaxKind.SetAccessor:
        return this.#function(base, raw as ts.FunctionLikeDeclaration);
      case SyntaxKind.Parameter:
        return this.#parameter(base, raw as ts.ParameterDeclaration);
      case SyntaxKind.ClassDeclaration:
      case SyntaxKind.ClassExpression:
        return this.#class(base, raw as ts.ClassLikeDeclaration);
      case SyntaxKind.PropertyDeclaration: {
        const field = raw as ts.PropertyDeclaration;
        return lazily(Object.assign(base, { kind: "field" as const, name: this.#keyOf(field.name) }), {
          value: () => this.#wrapped(field.initializer),
          type: () => this.#typeText(field.type),
          decorators: () => this.#decorators(field),
        });
      }
      case SyntaxKind.ObjectLiteralExpression: {
        const object = raw as ts.ObjectLiteralExpression;
        return lazily(Object.assign(base, { kind: "object" as const }), {
          properties: () => object.properties.map((property) => this.#property(property)),
        });
      }
      case SyntaxKind.PropertyAssignment:
      case SyntaxKind.ShorthandPropertyAssignment:
      case SyntaxKind.SpreadAssignment:
        return this.#property(raw as ts.ObjectLiteralElementLike);
      case SyntaxKind.ArrayLiteralExpression:
        return lazily(Object.assign(base, { kind: "array" as const }), {
          elements: () =>
            this.#wrapAll(
              (raw as ts.ArrayLiteralExpression).elements.filter(
                (element) => element.kind !== SyntaxKind.OmittedExpression,
              ),
            ),
        });
      case SyntaxKind.SpreadElement:
        return this.#wrapper(base, "spread", (raw as ts.SpreadElement).expression);
      case SyntaxKind.AwaitExpression:
        return this.#wrapper(base, "await", (raw as ts.AwaitExpression).expression);
      case SyntaxKind.YieldExpression:
        return this.#wrapper(base, "yield", (raw as ts.YieldExpression).expression);
      case SyntaxKind.ThrowStatement:
        return this.#wrapper(base, "throw", (raw as ts.ThrowStatement).expression);
      case SyntaxKind.ReturnStatement:
        return this.#wrapper(base, "return", (raw as ts.ReturnStatement).expression);
      case SyntaxKind.BinaryExpression: {
        const binary = raw as ts.BinaryExpression;
        const operator = t.tokenToString(binary.operatorToken.kind) ?? "";
        if (binary.operatorToken.kind === SyntaxKind.CommaToken) {
          return lazily(Object.assign(base, { kind: "sequence" as const }), {
            body: () => [this.wrap(binary.left), this.wrap(binary.right)],
          });
        }
        if (
          binary.operatorToken.kind >= SyntaxKind.FirstAssignment &&
          binary.operatorToken.kind <= SyntaxKind.LastAssignment
        ) {
          return lazily(Object.assign(base, { kind: "assign" as const, operator }), {
            target: () => this.wrap(binary.left),
            value: () => this.wrap(binary.right),
          });
        }
        return lazily(Object.assign(base, { kind: "binary" as const, operator }), {
          left: () => this.wrap(binary.left),
          right: () => this.wrap(binary.right),
        });
      }
      case SyntaxKind.PrefixUnaryExpression:
      case SyntaxKind.PostfixUnaryExpression: {
        const unary = raw as ts.PrefixUnaryExpression | ts.PostfixUnaryExpression;
        return lazily(
          Object.assign(base, { kind: "unary" as const, operator: t.tokenToString(unary.operator) ?? "" }),
          {
            argument: () => this.wrap(unary.operand),
          },
        );
      }
      case SyntaxKind.TypeOfExpression:
      case SyntaxKind.VoidExpression:
      case SyntaxKind.DeleteExpression: {
        const operator =
          raw.kind === SyntaxKind.TypeOfExpression
            ? "typeof"
            : raw.kind === SyntaxKind.VoidExpression
              ? "void"
              : "delete";
        return lazily(Object.assign(base, { kind: "unary" as const, operator }), {
          argument: () => this.wrap((raw as ts.TypeOfExpression).expression),
        });
      }
      case SyntaxKind.ConditionalExpression: {
        const conditional = raw as ts.ConditionalExpression;
        return lazily(Object.assign(base, { kind: "conditional" as const }), {
          test: () => this.wrap(conditional.condition),
          then: () => this.wrap(conditional.whenTrue),
          otherwise: (): Node | undefined => this.wrap(conditional.whenFalse),
        });
      }
      case SyntaxKind.IfStatement: {
        const branch = raw as ts.IfStatement;
        return lazily(Object.assign(base, { kind: "if" as const }), {
          test: () => this.wrap(branch.expression),
          then: () => this.wrap(branch.thenStatement),
          otherwise: () => this.#wrapped(branch.elseStatement),
        });
      }
      case SyntaxKind.Block:
      case SyntaxKind.ModuleBlock:
      case SyntaxKind.SourceFile:
        return lazily(Object.assign(base, { kind: "block" as const }), {
          body: () => this.#wrapAll((raw as ts.Block).statements),
        });
      case SyntaxKind.VariableDeclarationList: {
        const list = raw as ts.VariableDeclarationList;
        return lazily(
          Object.assign(base, { kind: "declare" as const, isConst: (list.flags & t.NodeFlags.Const) !== 0 }),
          {
            declarators: () =>
              list.declarations.map((declaration) => this.wrap(declaration) as Extract<Node, { kind: "declarator" }>),
          },
        );
      }
      case SyntaxKind.VariableDeclaration: {
        const declaration = raw as ts.VariableDeclaration;
        const isConst = (declaration.parent.flags & t.NodeFlags.Const) !== 0;
        return lazily(Object.assign(base, { kind: "declarator" as const, isConst }), {
          target: () => this.wrap(declaration.name),
          init: () => this.#wrapped(declaration.initializer),
          type: () => this.#typeText(declaration.type),
        });
      }
      case SyntaxKind.EnumDeclaration:
        return this.#enum(base, raw as ts.EnumDeclaration);
      case SyntaxKind.EnumMember:
        return this.#enumMember(raw as ts.EnumMember);
      case SyntaxKind.ForStatement: {
        const loop = raw as ts.ForStatement;
        return lazily(Object.assign(base, { kind: "loop" as const, iterated: undefined }), {
          init: () => this.#wrapped(loop.initializer),
          test: () => this.#wrapped(loop.condition),
          update: () => this.#wrapped(loop.incrementor),
          body: () => this.wrap(loop.statement),
        });
      }
      case SyntaxKind.ForOfStatement:
      case SyntaxKind.ForInStatement: {
        const loop = raw as ts.ForInOrOfStatement;
        return lazily(Object.assign(base, { kind: "loop" as const, test: undefined, update: undefined }), {
          init: () => this.#wrapped(loop.initializer),
          iterated: () => this.#wrapped(loop.expression),
          body: () => this.wrap(loop.statement),
        });
      }
      case SyntaxKind.WhileStatement:
      case SyntaxKind.DoStatement: {
        const loop = raw as ts.WhileStatement | ts.DoStatement;
        return lazily(
          Object.assign(base, { kind: "loop" as const, init: undefined, iterated: undefined, update: undefined }),
          {
            test: () => this.#wrapped(loop.expression),
            body: () => this.wrap(loop.statement),
          },
        );
      }
      case SyntaxKind.SwitchStatement: {
        const statement = raw as ts.SwitchStatement;
        return lazily(Object.assign(base, { kind: "switch" as const }), {
          discriminant: () => this.wrap(statement.expression),
          cases: () =>
            statement.caseBlock.clauses.map((clause) => ({
              test: t.isCaseClause(clause) ? this.wrap(clause.expression) : undefined,
              body: this.#wrapAll(clause.statements),
            })),
        });
      }
      case SyntaxKind.TryStatement: {
        const statement = raw as ts.TryStatement;
        return lazily(Object.assign(base, { kind: "try" as const }), {
          block: () => this.wrap(statement.tryBlock),
          handler: () => this.#wrapped(statement.catchClause?.block),
          finalizer: () => this.#wrapped(statement.finallyBlock),
        });
      }
      case SyntaxKind.ObjectBindingPattern: {
        const pattern = raw as ts.ObjectBindingPattern;
        return lazily(Object.assign(base, { kind: "pattern" as const }), {
          entries: () =>
            pattern.elements.map((element) => ({
              key: element.dotDotDotToken ? undefined : this.#keyOf(element.propertyName ?? element.name),
              target: this.wrap(element.name),
              defaultValue: this.#wrapped(element.initializer),
            })),
        });
      }
      case SyntaxKind.ArrayBindingPattern: {
        const pattern = raw as ts.ArrayBindingPattern;
        return lazily(Object.assign(base, { kind: "pattern" as const }), {
          entries: () =>
            pattern.elements.flatMap((element, index) =>
              t.isOmittedExpression(element)
                ? []
                : [
                    {
                      key: element.dotDotDotToken ? undefined : index,
                      target: this.wrap(element.name),
                      defaultValue: this.#wrapped(element.initializer),
                    },
                  ],
            ),
        });
      }
      case SyntaxKind.ImportDeclaration:
        return Object.assign(base, this.#import(raw as ts.ImportDeclaration));
      default:
        return lazily(Object.assign(base, { kind: "other" as const }), {
          children: () => {
            const children: Node[] = [];
            t.forEachChild(raw, (child) => {
              if (!isTypeOrToken(t, child)) children.push(this.wrap(child));
            });
            return children;
          },
        });
    }
  }

  #wrapper(base: Start, kind: "spread" | "await" | "yield" | "throw" | "return", argument: ts.Node | undefined): Node {
    return lazily(Object.assign(base, { kind }), { argument: () => this.#wrapped(argument) });
  }

  #template(base: Start, template: ts.TemplateLiteral, tag: ts.Node | undefined): Node {
    const parts = this.#ts.isTemplateExpression(template) ? template : undefined;
    const strings = parts
      ? [parts.head.text, ...parts.templateSpans.map((span) => span.literal.text)]
      : [(template as ts.NoSubstitutionTemplateLiteral).text];
    return lazily(Object.assign(base, { kind: "template" as const, strings }), {
      expressions: () => (parts?.templateSpans ?? []).map((span) => this.wrap(span.expression)),
      tag: () => this.#wrapped(tag),
    });
  }

  #function(base: Start, raw: ts.FunctionLikeDeclaration): FunctionNode {
    const t = this.#ts;
    const { SyntaxKind } = t;
    const roles: Partial<Record<ts.SyntaxKind, FunctionNode["role"]>> = {
      [SyntaxKind.MethodDeclaration]: "method",
      [SyntaxKind.Constructor]: "constructor",
      [SyntaxKind.GetAccessor]: "getter",
      [SyntaxKind.SetAccessor]: "setter",
    };
    const modifiers = t.canHaveModifiers(raw) ? t.getModifiers(raw) : undefined;
    return lazily(
      Object.assign(base, {
        kind: "function" as const,
        name: raw.name ? this.#keyOf(raw.name) : undefined,
        isAsync: modifiers?.some((modifier) => modifier.kind === SyntaxKind.AsyncKeyword) ?? false,
        isGenerator: raw.asteriskToken !== undefined,
        isArrow: raw.kind === SyntaxKind.ArrowFunction,
        role: roles[raw.kind] ?? ("function" as const),
      }),
      {
        params: () =>
          raw.parameters
            .filter((parameter) => !(t.isIdentifier(parameter.name) && parameter.name.text === "this"))
            .map((parameter) => this.wrap(parameter) as ParameterNode),
        body: () => this.#wrapped(raw.body),
        owner: (): ClassNode | ObjectNode | undefined => {
          if (!roles[raw.kind]) return undefined;
          const owner = this.wrap(raw.parent);
          return owner.kind === "class" || owner.kind === "object" ? owner : undefined;
        },
        decorators: () => this.#decorators(raw),
        returnType: () => this.#typeText(raw.type),
      },
    );
  }

  #parameter(base: Start, raw: ts.ParameterDeclaration): ParameterNode {
    return lazily(
      Object.assign(base, {
        kind: "parameter" as const,
        isRest: raw.dotDotDotToken !== undefined,
        isOptional: raw.questionToken !== undefined || raw.initializer !== undefined || this.#mayBeMissing(raw.type),
        isProperty: this.#ts.isParameterPropertyDeclaration(raw, raw.parent),
      }),
      {
        target: () => this.wrap(raw.name),
        defaultValue: () => this.#wrapped(raw.initializer),
        type: () => this.#typeText(raw.type),
        decorators: () => this.#decorators(raw),
      },
    );
  }

  #class(base: Start, raw: ts.ClassLikeDeclaration): ClassNode {
    const t = this.#ts;
    const clause = (token: ts.SyntaxKind) => raw.heritageClauses?.find((heritage) => heritage.token === token)?.types;
    return lazily(Object.assign(base, { kind: "class" as const, name: raw.name?.text }), {
      superClass: () => this.#wrapped(clause(t.SyntaxKind.ExtendsKeyword)?.[0]?.expression),
      interfaces: () => (clause(t.SyntaxKind.ImplementsKeyword) ?? []).flatMap((type) => this.#typeText(type) ?? []),
      decorators: () => this.#decorators(raw),
      members: () =>
        raw.members
          .filter((member) => t.isFunctionLike(member) || t.isPropertyDeclaration(member))
          .map((member) => this.wrap(member))
          .filter((member): member is ClassMember => member.kind === "function" || member.kind === "field"),
    });
  }

  /** An enum reads like a constant object. */
  #enum(base: Start, raw: ts.EnumDeclaration): Node {
    const object: Node = lazily(Object.assign(this.#base(raw), { kind: "object" as const }), {
      properties: () => raw.members.map((member) => this.#enumMember(member)),
    });
    const declarator: Extract<Node, { kind: "declarator" }> = lazily(
      Object.assign(this.#base(raw), { kind: "declarator" as const, isConst: true, type: undefined, init: object }),
      {
        target: () => this.wrap(raw.name),
      },
    );
    return Object.assign(base, { kind: "declare" as const, isConst: true, declarators: [declarator] });
  }

  #enumMember(raw: ts.EnumMember): PropertyNode {
    const known = this.#nodes.get(raw);
    if (known?.kind === "property") return known;
    const base = this.#base(raw);
    const node: PropertyNode = lazily(
      Object.assign(base, { kind: "property" as const, key: this.#keyOf(raw.name), isSpread: false, keyRaw: raw.name }),
      {
        value: (): Node =>
          this.#wrapped(raw.initializer) ??
          lazily(Object.assign(this.#base(raw), { kind: "other" as const }), { children: (): Node[] => [] }),
      },
    );
    this.#nodes.set(raw, node);
    return node;
  }

  #property(raw: ts.ObjectLiteralElementLike): PropertyNode {
    const known = this.#nodes.get(raw);
    if (known?.kind === "property") return known;
    const t = this.#ts;
    const isSpread = t.isSpreadAssignment(raw);
    const node: PropertyNode = lazily(
      Object.assign(this.#base(raw), {
        kind: "property" as const,
        key: isSpread ? undefined : this.#keyOf(raw.name),
        isSpread,
        keyRaw: raw.name ?? raw,
      }),
      {
        value: (): Node => {
          if (t.isPropertyAssignment(raw)) return this.wrap(raw.initializer);
          if (t.isShorthandPropertyAssignment(raw)) return this.wrap(raw.name);
          if (t.isSpreadAssignment(raw)) return this.wrap(raw.expression);
          return this.wrap(raw);
        },
      },
    );
    // a method is a property and a function at once: only the function is kept under its raw node
    if (!t.isMethodDeclaration(raw) && !t.isAccessor(raw)) this.#nodes.set(raw, node);
    return node;
  }

  #keyOf(name: ts.Node): string | undefined {
    const t = this.#ts;
    if (t.isIdentifier(name) || t.isPrivateIdentifier(name) || t.isStringLiteralLike(name) || t.isNumericLiteral(name))
      return name.text;
    if (t.isComputedPropertyName(name) && t.isStringLiteralLike(name.expression)) return name.expression.text;
    return undefined;
  }

  #decorators(raw: ts.Node): Node[] {
    return this.#ts.canHaveDecorators(raw) ? this.#wrapAll(this.#ts.getDecorators(raw)) : [];
  }

  /** `X | undefined`, `X | null` */
  #mayBeMissing(type: ts.TypeNode | undefined): boolean {
    const t = this.#ts;
    return (
      type !== undefined &&
      t.isUnionTypeNode(type) &&
      type.types.some(
        (part) =>
          part.kind === t.SyntaxKind.UndefinedKeyword ||
          (t.isLiteralTypeNode(part) && part.literal.kind === t.SyntaxKind.NullKeyword),
      )
    );
  }

  #typeText(type: ts.TypeNode | undefined): TypeText | undefined {
    const t = this.#ts;
    if (!type) return undefined;
    if (t.isTypeReferenceNode(type))
      return { path: pathOfEntityName(t, type.typeName), typeArguments: this.#typeTexts(type.typeArguments) };
    if (t.isExpressionWithTypeArguments(type)) {
      const path = pathOfExpression(t, type.expression);
      return path && { path, typeArguments: this.#typeTexts(type.typeArguments) };
    }
    if (t.isUnionTypeNode(type)) {
      const rest = type.types.filter(
        (part) => part.kind !== t.SyntaxKind.UndefinedKeyword && !t.isLiteralTypeNode(part),
      );
      return rest.length === 1 ? this.#typeText(rest[0]) : undefined;
    }
    if (t.isParenthesizedTypeNode(type)) return this.#typeText(type.type);
    return undefined;
  }

  #typeTexts(types: readonly ts.TypeNode[] | undefined): TypeText[] {
    return (types ?? []).flatMap((type) => this.#typeText(type) ?? []);
  }

  #import(raw: ts.ImportDeclaration) {
    const t = this.#ts;
    const module = t.isStringLiteralLike(raw.moduleSpecifier) ? raw.moduleSpecifier.text : "";
    const specifiers: { local: string; imported: string }[] = [];
    const clause = raw.importClause;
    if (clause?.name) specifiers.push({ local: clause.name.text, imported: "default" });
    const bindings = clause?.namedBindings;
    if (bindings && t.isNamespaceImport(bindings)) specifiers.push({ local: bindings.name.text, imported: "*" });
    if (bindings && t.isNamedImports(bindings)) {
      for (const element of bindings.elements)
        specifiers.push({ local: element.name.text, imported: (element.propertyName ?? element.name).text });
    }
    return { kind: "import" as const, module, specifiers };
  }
}

function bigintOf(text: string): bigint | undefined {
  try {
    return BigInt(text.replace(/n$/, ""));
  } catch {
    return undefined;
  }
}

function pathOfEntityName(t: Typescript, name: ts.EntityName): string[] {
  return t.isIdentifier(name) ? [name.text] : [...pathOfEntityName(t, name.left), name.right.text];
}

function pathOfExpression(t: Typescript, expression: ts.Expression): string[] | undefined {
  if (t.isIdentifier(expression)) return [expression.text];
  if (!t.isPropertyAccessExpression(expression)) return undefined;
  const left = pathOfExpression(t, expression.expression);
  return left && [...left, expression.name.text];
}

function isTypeOrToken(t: Typescript, node: ts.Node): boolean {
  const { SyntaxKind } = t;
  if (node.kind >= SyntaxKind.FirstTypeNode && node.kind <= SyntaxKind.LastTypeNode) return true;
  switch (node.kind) {
    case SyntaxKind.InterfaceDeclaration:
    case SyntaxKind.TypeAliasDeclaration:
    case SyntaxKind.TypeParameter:
    case SyntaxKind.EndOfFileToken:
      return true;
    default:
      return t.isTypeNode(node) && !t.isExpressionWithTypeArguments(node);
  }
}
