import type ts from "typescript";

import { codeOfSourceFile, nodeOf } from "./code/from-typescript.js";
import { memberNamesOf } from "./code/member-names.js";
import { childrenOf } from "./code/node.js";
import type {
  CallNode,
  ClassNode,
  CodeFile,
  DeclaratorNode,
  FieldNode,
  FunctionNode,
  MemberNode,
  NameNode,
  Node,
  ParameterNode,
  PropertyNode,
} from "./code/node.js";
import { Annotations, memberRef } from "./annotations.js";
import { DeclarationRefs, importOfSymbol } from "./declaration-refs.js";
import type { Knowledge } from "./knowledge.js";
import { packageOfFile, packageOfSpecifier } from "./package-of.js";
import { isTestFile } from "./test-file.js";
import type { Definition, Path, Ref, Semantics } from "./semantics.js";

type Typescript = typeof ts;
type Declared = Extract<Definition, { kind: "declared" }>;

/** Meaning as the type checker tells it. Only members of the checker that the native back end has too are used. */
export class TypedSemantics implements Semantics {
  readonly isTyped = true;
  readonly #ts: Typescript;
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #definitions = new WeakMap<object, Definition | null>();
  readonly #types = new WeakMap<object, readonly Ref[]>();
  readonly #implementers = new Map<string, ClassNode[]>();
  readonly #annotations: Annotations;
  readonly #refs: DeclarationRefs;
  #files: readonly CodeFile[] | undefined;
  #memberNames: readonly ReadonlySet<string>[] | undefined;
  /** How many questions the checker was asked: the number that a test watches, because time is noisy. */
  questions = 0;

  constructor(typescript: Typescript, program: ts.Program, knowledge: Knowledge) {
    this.#annotations = new Annotations(
      {
        definitionOfName: (name) => this.definitionOfName(name),
        definitionOfMember: (member) => this.definitionOfMember(member),
        ownMember: (member) => {
          const definition = this.definitionOfMember(member);
          return definition?.kind === "declared" ? undefined : definition;
        },
        typeNamed: importNamed,
      },
      knowledge,
    );
    this.#ts = typescript;
    this.#program = program;
    this.#checker = program.getTypeChecker();
    this.#refs = new DeclarationRefs(typescript, this.#checker);
  }

  definitionOfName(name: NameNode): Definition | undefined {
    return this.#remembered(name.raw, () => {
      const raw = name.raw as ts.Identifier;
      const symbol = this.#symbolAt(raw);
      return symbol && (this.#definitionOf(symbol) ?? this.#unresolvedImport(symbol));
    });
  }

  definitionOfMember(member: MemberNode): Definition | undefined {
    return this.#remembered(member.raw, () => {
      const symbol = this.#symbolAt(member.propertyRaw as ts.Node);
      if (symbol) return this.#definitionOf(symbol);
      // a package that is not installed has no types: its import and the annotations still tell what is meant
      const { property } = member;
      const refs =
        property === undefined
          ? []
          : this.#annotations.containersOf(member.object).map((type) => memberRef(type, property));
      return refs.length > 0 ? { kind: "declared", refs, raw: undefined } : undefined;
    });
  }

  definitionOfProperty(node: Node, name: string): Definition | undefined {
    this.questions++;
    const symbol = this.#checker.getTypeAtLocation(node.raw as ts.Node).getProperty(name);
    return symbol && this.#definitionOf(this.#target(symbol));
  }

  typesOf(node: Node): readonly Ref[] {
    const known = this.#types.get(node.raw);
    if (known) return known;
    this.questions++;
    const typed = this.#refs.ofType(this.#checker.getTypeAtLocation(node.raw as ts.Node));
    // what a package that is not installed brings has no type, but its annotations have names
    const refs = typed.length > 0 ? typed : this.#annotations.containersOf(node);
    this.#types.set(node.raw, refs);
    return refs;
  }

  mayBeNullish(node: Node): boolean {
    this.questions++;
    const nullish = this.#ts.TypeFlags.Undefined | this.#ts.TypeFlags.Null;
    const type = this.#checker.getTypeAtLocation(node.raw as ts.Node);
    return type.isUnion() && type.types.some((part) => (part.flags & nullish) !== 0);
  }

  expectedTypesOf(node: Node): readonly Ref[] {
    this.questions++;
    const type = this.#checker.getContextualType(node.raw as ts.Expression);
    return type ? this.#refs.ofType(type) : [];
  }

  typesOfParameter(parameter: ParameterNode): readonly Ref[] {
    // an alias of something structural, or of a package that is not installed, has no name left in its type
    return [...this.typesOf(parameter), ...this.#annotations.annotated(parameter.type, parameter)];
  }

  mayRun(parameter: NameNode, member?: string): boolean {
    this.questions++;
    const type = this.#checker.getNonNullableType(this.#checker.getTypeAtLocation(parameter.raw as ts.Node));
    const { Any, Unknown, TypeParameter } = this.#ts.TypeFlags;
    if ((type.flags & (Any | Unknown | TypeParameter)) !== 0) return true;
    if (member === undefined)
      return (type.isUnion() ? type.types : [type]).some((part) => part.getCallSignatures().length > 0);
    const declaration = type.getProperty(member)?.declarations?.[0];
    return !declaration || packageOfFile(declaration.getSourceFile().fileName).isProject;
  }

  signatureOf(call: CallNode): readonly Ref[] {
    this.questions++;
    const declaration = this.#checker.getResolvedSignature(call.raw as ts.CallExpression)?.declaration as
      ts.Declaration | undefined;
    if (!declaration) return [];
    const ref = this.#refs.ofDeclaration(declaration);
    if (!ref) return [];
    const name =
      call.callee.kind === "member" ? call.callee.property : call.callee.kind === "name" ? call.callee.text : undefined;
    return name === undefined || ref.name === name ? [ref] : [ref, { ...ref, name }];
  }

  implementationsOf(definition: Declared): readonly FunctionNode[] {
    const ref = definition.refs[0];
    if (!ref?.isProject || ref.container === undefined || !definition.raw) return [];
    const container = (definition.raw as ts.Node).parent as ts.Node | undefined;
    if (!container) return [];
    return this.#classesBelow(ref.container)
      .filter((node) => this.#descendsFrom(node, container))
      .flatMap((node) => node.members)
      .filter(
        (member) => member.kind === "function" && member.name === ref.name && member.body !== undefined,
      ) as FunctionNode[];
  }

  mayDeclareMember(name: string): boolean {
    this.#memberNames ??= this.#program
      .getSourceFiles()
      .filter((file) => this.#isReadable(file))
      .map((file) => memberNamesOf(this.#ts, file));
    return this.#memberNames.some((names) => names.has(name));
  }

  projectFiles(): readonly CodeFile[] {
    this.#files ??= this.#program
      .getSourceFiles()
      .filter((file) => this.#isReadable(file))
      .map((file) => codeOfSourceFile(this.#ts, file));
    return this.#files;
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
    const raw = node.raw as ts.ClassLikeDeclaration;
    return (raw.heritageClauses ?? [])
      .flatMap((clause) => clause.types)
      .some((type) => {
        const declaration = this.#symbolAt(type.expression)?.declarations?.[0];
        if (!declaration) return false;
        if (packages.includes(this.#refs.packageOf(declaration, declaration.getSourceFile()).name)) return true;
        const base =
          this.#ts.isClassLike(declaration) && this.#isReadable(declaration.getSourceFile())
            ? nodeOf(this.#ts, declaration)
            : undefined;
        return base?.kind === "class" && base !== node && this.isOfLibrary(base, packages);
      });
  }

  #remembered(raw: object, compute: () => Definition | undefined): Definition | undefined {
    const known = this.#definitions.get(raw);
    if (known !== undefined) return known ?? undefined;
    // a cycle of initialisers finds nothing instead of itself
    this.#definitions.set(raw, null);
    const definition = compute();
    this.#definitions.set(raw, definition ?? null);
    return definition;
  }

  #symbolAt(raw: ts.Node): ts.Symbol | undefined {
    this.questions++;
    const t = this.#ts;
    const symbol =
      t.isIdentifier(raw) && (raw.parent as ts.Node | undefined) && t.isShorthandPropertyAssignment(raw.parent)
        ? this.#checker.getShorthandAssignmentValueSymbol(raw.parent)
        : this.#checker.getSymbolAtLocation(raw);
    return symbol && this.#target(symbol);
  }

  #target(symbol: ts.Symbol): ts.Symbol {
    if ((symbol.flags & this.#ts.SymbolFlags.Alias) === 0) return symbol;
    const target = this.#checker.getAliasedSymbol(symbol);
    return target.declarations ? target : symbol;
  }

  #definitionOf(symbol: ts.Symbol): Definition | undefined {
    const t = this.#ts;
    const declarations = symbol.declarations ?? [];
    const declaration = symbol.valueDeclaration ?? declarations[0];
    if (
      !declaration ||
      t.isImportSpecifier(declaration) ||
      t.isImportClause(declaration) ||
      t.isNamespaceImport(declaration)
    )
      return undefined;
    if (!this.#isReadable(declaration.getSourceFile())) return this.#declared(declarations);
    const wrap = (raw: ts.Node) => nodeOf(t, raw);
    if (t.isParameter(declaration)) return this.#parameter(declaration, []);
    if (t.isVariableDeclaration(declaration))
      return { kind: "variable", declarator: wrap(declaration) as DeclaratorNode, path: [] };
    if (t.isBindingElement(declaration)) return this.#binding(declaration);
    if (t.isClassLike(declaration)) return { kind: "class", node: wrap(declaration) as ClassNode };
    if (t.isPropertyDeclaration(declaration)) {
      if (!declaration.initializer && hasAbstract(t, declaration)) return this.#declared([declaration]);
      return { kind: "field", field: wrap(declaration) as FieldNode };
    }
    if (t.isPropertyAssignment(declaration) || t.isShorthandPropertyAssignment(declaration)) {
      return { kind: "property", property: wrap(declaration) as PropertyNode };
    }
    if (t.isEnumDeclaration(declaration)) {
      const node = wrap(declaration);
      const [declarator] = node.kind === "declare" ? node.declarators : [];
      return declarator && { kind: "variable", declarator, path: [] };
    }
    if (t.isEnumMember(declaration)) return { kind: "property", property: wrap(declaration) as PropertyNode };
    if (t.isExportAssignment(declaration)) {
      const value = wrap(declaration);
      if (value.kind === "function") return { kind: "function", fn: value };
      if (value.kind === "name") return this.definitionOfName(value);
      return undefined;
    }
    const withBody = declarations.find(
      (candidate) => t.isFunctionLike(candidate) && "body" in candidate && candidate.body !== undefined,
    );
    if (withBody) {
      const node = wrap(withBody);
      return node.kind === "function" ? { kind: "function", fn: node } : undefined;
    }
    return this.#declared(declarations);
  }

  #parameter(declaration: ts.ParameterDeclaration, path: Path): Definition | undefined {
    const t = this.#ts;
    const fn = nodeOf(t, declaration.parent);
    const parameter = nodeOf(t, declaration) as ParameterNode;
    return fn.kind === "function"
      ? { kind: "parameter", fn, index: fn.params.indexOf(parameter), parameter, path }
      : undefined;
  }

  #binding(element: ts.BindingElement): Definition | undefined {
    const t = this.#ts;
    const path: (string | number)[] = [];
    let current: ts.Node = element;
    while (t.isBindingElement(current)) {
      if (current.dotDotDotToken) return undefined;
      const pattern: ts.BindingPattern = current.parent;
      if (t.isArrayBindingPattern(pattern)) path.unshift(pattern.elements.indexOf(current));
      else {
        const key: ts.Node = current.propertyName ?? current.name;
        if (!t.isIdentifier(key) && !t.isStringLiteralLike(key)) return undefined;
        path.unshift(key.text);
      }
      current = pattern.parent;
    }
    if (t.isParameter(current)) return this.#parameter(current, path);
    if (t.isVariableDeclaration(current))
      return { kind: "variable", declarator: nodeOf(t, current) as DeclaratorNode, path };
    return undefined;
  }

  #isReadable(file: ts.SourceFile): boolean {
    return !file.isDeclarationFile && !file.fileName.includes("/node_modules/");
  }

  #declared(declarations: readonly ts.Declaration[]): Definition | undefined {
    const refs = declarations.flatMap((declaration) => this.#refs.ofDeclaration(declaration) ?? []);
    return refs.length > 0 ? { kind: "declared", refs, raw: declarations[0] } : undefined;
  }

  /** An import of a package that has no types or is not installed: the name of the package is all that is known. */
  #unresolvedImport(symbol: ts.Symbol): Definition | undefined {
    const found = importOfSymbol(this.#ts, symbol);
    return found?.name === undefined
      ? undefined
      : declared({ package: found.package, container: undefined, name: found.name, file: undefined, isProject: false });
  }

  /** Classes of the project that mention a name behind `implements` or `extends`. */
  #classesBelow(name: string): readonly ClassNode[] {
    let classes = this.#implementers.get(name);
    if (!classes) {
      const mention = new RegExp(`\\b(?:implements|extends)\\b[^{]*\\b${name.replace(/[^\w]/g, "\\$&")}\\b`);
      classes = this.projectFiles()
        .filter((file) => !isTestFile(file.path) && mention.test(file.text))
        .flatMap((file) => classesIn(file.root))
        .filter((node) => node.interfaces.some((type) => type.path.at(-1) === name) || nameOfSuper(node) === name);
      this.#implementers.set(name, classes);
    }
    return classes;
  }

  #descendsFrom(node: ClassNode, container: ts.Node): boolean {
    const raw = node.raw as ts.ClassLikeDeclaration;
    return (raw.heritageClauses ?? []).some((clause) =>
      clause.types.some((type) => {
        const symbol = this.#symbolAt(type.expression);
        return symbol?.declarations?.includes(container as ts.Declaration) ?? false;
      }),
    );
  }
}

/** The import behind a name of a file. */
function importNamed(name: string, near: Node): Definition | undefined {
  if (near.file.root.kind !== "block") return undefined;
  for (const statement of near.file.root.body) {
    const found = statement.kind === "import" ? statement.specifiers.find(({ local }) => local === name) : undefined;
    const from = found && statement.kind === "import" ? packageOfSpecifier(statement.module) : undefined;
    if (found && from !== undefined)
      return declared({ package: from, container: undefined, name: found.imported, file: undefined, isProject: false });
  }
  return undefined;
}

function declared(ref: Ref): Definition {
  return { kind: "declared", refs: [ref], raw: undefined };
}

function hasAbstract(t: Typescript, declaration: ts.PropertyDeclaration): boolean {
  return declaration.modifiers?.some((modifier) => modifier.kind === t.SyntaxKind.AbstractKeyword) ?? false;
}

function nameOfSuper(node: ClassNode): string | undefined {
  const base = node.superClass;
  return base?.kind === "name" ? base.text : base?.kind === "member" ? base.property : undefined;
}

function classesIn(node: Node): ClassNode[] {
  if (node.kind === "class") return [node];
  // classes stand at the top of a file, at most inside an export, a namespace or a constant
  return ["block", "other", "declare", "declarator"].includes(node.kind) ? childrenOf(node).flatMap(classesIn) : [];
}
