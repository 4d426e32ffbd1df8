import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import ts from "typescript";

/** A class, interface, type alias, variable, function, enum or namespace of a declaration file. */
interface Declaration {
  readonly file: DeclarationFile;
  /** Names of the members that stand inside it, those of nested type literals too, with what they are declared by. */
  readonly members: ReadonlyMap<string, readonly ts.Node[]>;
  /** The types that it extends or is made of. */
  readonly bases: readonly TypeName[];
  readonly isCallable: boolean;
  readonly isConstructable: boolean;
}

/** A type as a file mentions it: `Queue`, `types.Queue` (`types` is the qualifier), `import("bullmq").Queue`. */
interface TypeName {
  readonly name: string;
  readonly qualifier?: string;
  readonly module?: string;
}

interface Place {
  readonly owner: PackageDeclarations;
  readonly declaration: Declaration;
}

interface DeclarationFile {
  readonly declarations: ReadonlyMap<string, readonly Declaration[]>;
  /** Exported under another name: `export { Batch$1 as Batch }`. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Names that stand for a whole module: `export * as schedules from "./schedules.js"`. */
  readonly namespaces: ReadonlySet<string>;
  /** Imported name → module, and the name there. */
  readonly imports: ReadonlyMap<string, { readonly module: string; readonly name: string }>;
  readonly hasDefault: boolean;
}

/**
 * The declaration files of one package, read syntactically: what is declared there, not what it means. A file is
 * parsed only when a name that was asked for seems to be declared in it.
 */
export class PackageDeclarations {
  static readonly #read = new Map<string, PackageDeclarations>();

  readonly #folder: string;
  readonly #paths: readonly string[];
  readonly #texts = new Map<string, string>();
  readonly #files = new Map<string, DeclarationFile>();
  readonly #found = new Map<string, readonly Declaration[]>();
  readonly #closures = new Map<string, { readonly levels: (readonly Place[])[]; readonly seen: Set<Declaration> }>();
  #declaredIn: ReadonlyMap<string, readonly string[]> | undefined;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#paths = declarationFilesBelow(folder);
  }

  static of(folder: string): PackageDeclarations {
    let found = PackageDeclarations.#read.get(folder);
    if (!found) PackageDeclarations.#read.set(folder, (found = new PackageDeclarations(folder)));
    return found;
  }

  get isEmpty(): boolean {
    return this.#paths.length === 0;
  }

  get hasDefault(): boolean {
    return this.#paths.some(
      (path) => /\bexport\s*(?:=|default\b|\{[^}]*\bdefault\b)/.test(this.#text(path)) && this.#file(path).hasDefault,
    );
  }

  has(name: string): boolean {
    return this.declarationsOf(name).length > 0 || this.#isNamespace(name);
  }

  isCallable(name: string): boolean {
    return this.declarationsOf(name).some((declaration) => declaration.isCallable || declaration.bases.length > 0);
  }

  isConstructable(name: string): boolean {
    return this.declarationsOf(name).some((declaration) => declaration.isConstructable || declaration.bases.length > 0);
  }

  /** Whether a member stands in a container of this name, or in something that the container inherits from. */
  hasMember(container: string, path: readonly string[]): boolean {
    if (path.length === 1 && path[0] !== undefined && this.#isNamespace(container) && this.#index().has(path[0]))
      return true;
    return this.#member(container, path, new Set()).length > 0;
  }

  /** Whether some container here has the member. */
  hasMemberAnywhere(member: string): boolean {
    const declared = new RegExp(`\\b${member}\\b\\s*[?(<:]`);
    return this.#paths.some(
      (path) =>
        declared.test(this.#text(path)) &&
        [...this.#file(path).declarations.values()].flat().some((declaration) => declaration.members.has(member)),
    );
  }

  declarationsOf(name: string): readonly Declaration[] {
    let found = this.#found.get(name);
    if (!found) {
      this.#found.set(name, []);
      found = this.#filesDeclaring(name).flatMap((file) => {
        const alias = file.aliases.get(name);
        return [...(file.declarations.get(name) ?? []), ...(alias === undefined ? [] : this.declarationsOf(alias))];
      });
      this.#found.set(name, found);
    }
    return found;
  }

  #isNamespace(name: string): boolean {
    return this.#filesDeclaring(name).some((file) => file.namespaces.has(name));
  }

  /** A container and what it inherits from or is made of, across packages, nearest first. */
  *#closure(container: string): Generator<Place> {
    let closure = this.#closures.get(container);
    if (!closure) this.#closures.set(container, (closure = { levels: [], seen: new Set() }));
    const { levels, seen } = closure;
    for (let depth = 0; depth < 6; depth++) {
      levels[depth] ??= (
        depth === 0
          ? [{ owner: this as PackageDeclarations, name: container }]
          : (levels[depth - 1] ?? []).flatMap(({ owner, declaration }) =>
              declaration.bases.map((base) => ({
                owner: owner.#imported(declaration.file, base) ?? owner,
                name:
                  base.qualifier === undefined
                    ? (declaration.file.imports.get(base.name)?.name ?? base.name)
                    : base.name,
              })),
            )
      )
        .flatMap(({ owner, name }) => owner.declarationsOf(name).map((declaration) => ({ owner, declaration })))
        .filter(({ declaration }) => !seen.has(declaration) && seen.add(declaration));
      yield* levels[depth] ?? [];
    }
  }

  /** What declares a member; a dotted path goes on in the member's type. */
  #member(container: string, [member, ...rest]: readonly string[], seen: Set<Declaration>): readonly ts.Node[] {
    if (member === undefined) return [];
    for (const { owner, declaration } of this.#closure(container)) {
      const found = declaration.members.get(member);
      if (!found || seen.has(declaration)) continue;
      const [next] = rest;
      // nested type literals count as members of their declaration
      if (next === undefined || (rest.length === 1 && declaration.members.has(next))) return found;
      for (const type of found.flatMap((node) => typeNamesIn(node))) {
        if (type.name === "Promise") return found;
        const inside = owner.#member(type.name, rest, seen);
        if (inside.length > 0) return inside;
        const elsewhere = owner.#imported(declaration.file, type);
        const across = elsewhere ? elsewhere.#member(type.name, rest, seen) : [];
        if (across.length > 0) return across;
      }
    }
    return [];
  }

  /** The package that a type of one of this package's files comes from. */
  #imported(from: DeclarationFile, type: TypeName): PackageDeclarations | undefined {
    const module = type.module ?? from.imports.get(type.qualifier ?? type.name)?.module;
    if (module === undefined || module.startsWith(".")) return undefined;
    const [first = "", second = ""] = module.replace(/^node:/, "").split("/");
    const bare = first.startsWith("@") ? `${first}/${second}` : first;
    const candidates = builtinModules.includes(first)
      ? ["@types/node"]
      : [bare, `@types/${bare.replace(/^@/, "").replace("/", "__")}`];
    for (const candidate of candidates) {
      const folder = resolvePackage(this.#folder, candidate);
      const found = folder === undefined ? undefined : PackageDeclarations.of(folder);
      if (found && !found.isEmpty) return found;
    }
    return undefined;
  }

  #filesDeclaring(name: string): readonly DeclarationFile[] {
    return (this.#index().get(name) ?? []).map((path) => this.#file(path));
  }

  /** Where a name seems to be declared: by the words before it, without parsing. */
  #index(): ReadonlyMap<string, readonly string[]> {
    if (this.#declaredIn) return this.#declaredIn;
    const index = new Map<string, string[]>();
    this.#declaredIn = index;
    for (const path of this.#paths) {
      const names = new Set<string>();
      for (const [, name = ""] of this.#text(path).matchAll(declaring)) names.add(name);
      for (const name of names) {
        const list = index.get(name);
        if (list) list.push(path);
        else index.set(name, [path]);
      }
    }
    return index;
  }

  #text(path: string): string {
    let text = this.#texts.get(path);
    if (text === undefined) this.#texts.set(path, (text = readFileSync(path, "utf8")));
    return text;
  }

  #file(path: string): DeclarationFile {
    let file = this.#files.get(path);
    if (!file)
      this.#files.set(
        path,
        (file = readDeclarations(ts.createSourceFile(path, this.#text(path), ts.ScriptTarget.Latest, false))),
      );
    return file;
  }
}

const declaring = /\b(?:class|interface|type|enum|namespace|module|function|const|let|var|as)\s+([\w$]+)/g;

/** The folder of an installed package as Node finds it from another one. */
export function resolvePackage(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(candidate)) return candidate;
    if (dirname(folder) === folder) return undefined;
  }
}

/** Declarations for other module systems and older compilers say the same a second time. */
function declarationFilesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const has = (name: string) => entries.some((entry) => entry.name === name);
  return entries.flatMap((entry) => {
    const { name } = entry;
    const path = join(folder, name);
    if (entry.isDirectory()) {
      const isTwin =
        name === "node_modules" || name === "ts3.4" || ((name === "cjs" || name === "commonjs") && has("esm"));
      return isTwin ? [] : declarationFilesBelow(path);
    }
    if (/\.d\.[cm]ts$/.test(name) && has(name.replace(/\.d\.[cm]ts$/, ".d.ts"))) return [];
    return /\.d\.[cm]?ts$/.test(name) ? [path] : [];
  });
}

function readDeclarations(source: ts.SourceFile): DeclarationFile {
  const declarations = new Map<string, Declaration[]>();
  const aliases = new Map<string, string>();
  const namespaces = new Set<string>();
  const imports = new Map<string, { module: string; name: string }>();
  const file = { declarations, aliases, namespaces, imports, hasDefault: false };
  const add = (name: string, declaration: Omit<Declaration, "file">) => {
    const list = declarations.get(name) ?? [];
    list.push({ ...declaration, file });
    declarations.set(name, list);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const { text } = node.moduleSpecifier;
      for (const [name, original] of importedNames(node)) imports.set(name, { module: text, name: original });
      const bindings = node.importClause?.namedBindings;
      if (bindings && ts.isNamespaceImport(bindings)) namespaces.add(bindings.name.text);
    } else if (ts.isExportDeclaration(node)) {
      const { exportClause } = node;
      if (exportClause && ts.isNamespaceExport(exportClause)) namespaces.add(exportClause.name.text);
      for (const { name, propertyName } of exportClause && ts.isNamedExports(exportClause)
        ? exportClause.elements
        : []) {
        if (name.text === "default") file.hasDefault = true;
        if (propertyName && propertyName.text !== name.text) aliases.set(name.text, propertyName.text);
      }
    } else if (ts.isExportAssignment(node)) {
      file.hasDefault = true;
    } else if (ts.isModuleDeclaration(node)) {
      const statements = node.body && ts.isModuleBlock(node.body) ? node.body.statements : [];
      const members = new Map(statements.flatMap(declaredNames).map((name) => [name, [node]] as const));
      add(node.name.text, { members, bases: [], isCallable: false, isConstructable: false });
      if (node.body) ts.forEachChild(node.body, visit);
    } else if (ts.isVariableStatement(node)) {
      for (const variable of node.declarationList.declarations)
        if (ts.isIdentifier(variable.name)) add(variable.name.text, described(variable));
    } else if (isNamedDeclaration(node)) {
      if (node.name) add(node.name.text, described(node));
      if (node.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.DefaultKeyword)) file.hasDefault = true;
    } else {
      ts.forEachChild(node, visit);
    }
  };
  ts.forEachChild(source, visit);
  return file;
}

function isNamedDeclaration(node: ts.Node) {
  return (
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isEnumDeclaration(node)
  );
}

function described(node: ts.Node): Omit<Declaration, "file"> {
  const members = new Map<string, ts.Node[]>();
  let isCallable = ts.isFunctionDeclaration(node);
  let isConstructable = ts.isClassDeclaration(node);
  const visit = (child: ts.Node): void => {
    if (ts.isCallSignatureDeclaration(child) || ts.isFunctionTypeNode(child)) isCallable = true;
    if (ts.isConstructSignatureDeclaration(child) || ts.isConstructorTypeNode(child)) isConstructable = true;
    if (ts.isClassElement(child) || ts.isTypeElement(child)) {
      const name = child.name && nameText(child.name);
      if (name !== undefined) members.set(name, [...(members.get(name) ?? []), child]);
    }
    ts.forEachChild(child, visit);
  };
  ts.forEachChild(node, visit);
  return { members, bases: basesOf(node), isCallable, isConstructable };
}

function basesOf(node: ts.Node): TypeName[] {
  if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) {
    return (node.heritageClauses ?? []).flatMap((clause) =>
      clause.types.flatMap((type) => [
        ...namesOfBase(type.expression),
        ...(type.typeArguments ?? []).flatMap((argument) => typeNamesIn(argument, true)),
      ]),
    );
  }
  if (ts.isTypeAliasDeclaration(node)) return typeNamesIn(node.type, true);
  if (ts.isVariableDeclaration(node) || ts.isFunctionDeclaration(node))
    return node.type ? typeNamesIn(node.type, true) : [];
  return [];
}

/** `extends QueryableBase(ExecutableBase(EventEmitter))` extends all three. */
function namesOfBase(expression: ts.Expression): TypeName[] {
  if (ts.isIdentifier(expression)) return [{ name: expression.text }];
  if (ts.isPropertyAccessExpression(expression))
    return [{ name: expression.name.text, qualifier: firstName(expression) }];
  if (ts.isCallExpression(expression)) return [expression.expression, ...expression.arguments].flatMap(namesOfBase);
  return [];
}

/** Every type that a node mentions; with `asBase` none that its members or parameters are of. */
function typeNamesIn(node: ts.Node, asBase = false): TypeName[] {
  const names: TypeName[] = [];
  const add = (name: ts.EntityName, module?: string) => {
    const last = ts.isIdentifier(name) ? name.text : name.right.text;
    names.push({
      name: last,
      ...(ts.isIdentifier(name) ? {} : { qualifier: firstName(name) }),
      ...(module === undefined ? {} : { module }),
    });
  };
  const visit = (child: ts.Node): void => {
    if (asBase && (ts.isTypeElement(child) || ts.isParameter(child) || ts.isTypeParameterDeclaration(child))) return;
    if (ts.isTypeReferenceNode(child)) add(child.typeName);
    else if (ts.isTypeQueryNode(child) && !ts.isImportTypeNode(child.exprName)) add(child.exprName);
    else if (ts.isImportTypeNode(child) && child.qualifier) {
      const { argument } = child;
      add(
        child.qualifier,
        ts.isLiteralTypeNode(argument) && ts.isStringLiteral(argument.literal) ? argument.literal.text : undefined,
      );
    }
    ts.forEachChild(child, visit);
  };
  visit(node);
  return names;
}

function firstName(node: ts.Node): string {
  if (ts.isQualifiedName(node)) return firstName(node.left);
  if (ts.isPropertyAccessExpression(node)) return firstName(node.expression);
  return ts.isIdentifier(node) ? node.text : "";
}

function nameText(name: ts.PropertyName): string | undefined {
  return ts.isIdentifier(name) || ts.isStringLiteral(name) || ts.isNumericLiteral(name) ? name.text : undefined;
}

/** Names that an import makes here, with what they are called where they come from. */
function importedNames(node: ts.ImportDeclaration): (readonly [string, string])[] {
  const clause = node.importClause;
  const bindings = clause?.namedBindings;
  const elements = bindings && ts.isNamedImports(bindings) ? bindings.elements : [];
  return [
    ...(clause?.name ? [[clause.name.text, clause.name.text] as const] : []),
    ...(bindings && ts.isNamespaceImport(bindings) ? [[bindings.name.text, bindings.name.text] as const] : []),
    ...elements.map(({ name, propertyName }) => [name.text, (propertyName ?? name).text] as const),
  ];
}

function declaredNames(node: ts.Statement): string[] {
  if (ts.isVariableStatement(node))
    return node.declarationList.declarations.flatMap((variable) =>
      ts.isIdentifier(variable.name) ? [variable.name.text] : [],
    );
  if (ts.isExportDeclaration(node) && node.exportClause && ts.isNamedExports(node.exportClause))
    return node.exportClause.elements.map((element) => element.name.text);
  return isNamedDeclaration(node) && node.name ? [node.name.text] : [];
}
