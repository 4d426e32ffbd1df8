import type ts from "typescript";

import { packageOfFile, packageOfSpecifier } from "./package-of.js";
import type { Ref } from "./semantics.js";

type Typescript = typeof ts;

/** By what declarations and types of the checker are known: package, container and name. */
export class DeclarationRefs {
  readonly #ts: Typescript;
  readonly #checker: ts.TypeChecker;

  constructor(typescript: Typescript, checker: ts.TypeChecker) {
    this.#ts = typescript;
    this.#checker = checker;
  }

  /** Name, container and package of a declaration. */
  ofDeclaration(declaration: ts.Declaration): Ref | undefined {
    const t = this.#ts;
    const file = declaration.getSourceFile();
    const container = this.#containerOf(declaration);
    const named =
      (declaration as ts.NamedDeclaration).name ?? (declaration.parent as ts.NamedDeclaration | undefined)?.name;
    const name =
      named && (t.isIdentifier(named) || t.isStringLiteralLike(named) || t.isPrivateIdentifier(named))
        ? named.text
        : container;
    if (name === undefined) return undefined;
    const { name: packageName, isProject } = this.packageOf(declaration, file);
    return {
      package: packageName,
      container,
      name,
      file: file.fileName,
      isProject,
      ...(isProject ? { fileText: file.text } : {}),
    };
  }

  #containerOf(declaration: ts.Node): string | undefined {
    const t = this.#ts;
    for (
      let current = declaration.parent as ts.Node | undefined;
      current;
      current = current.parent as ts.Node | undefined
    ) {
      if (t.isClassLike(current) || t.isInterfaceDeclaration(current) || t.isTypeAliasDeclaration(current))
        return current.name?.text;
      if (t.isVariableDeclaration(current) && current !== declaration && t.isIdentifier(current.name))
        return current.name.text;
      if (t.isSourceFile(current) || t.isModuleBlock(current)) return undefined;
    }
    return undefined;
  }

  /** The package that a declaration stands in; of Node's own types, the built-in module. */
  packageOf(declaration: ts.Node, file: ts.SourceFile): { name: string; isProject: boolean } {
    const t = this.#ts;
    if (/\/typescript[^/]*\/lib\/lib\.[^/]*d\.ts$/.test(file.fileName)) return { name: "typescript", isProject: false };
    const found = packageOfFile(file.fileName);
    if (found.name !== "node" || found.isProject) return found;
    // @types/node: the built-in module that the declaration stands in
    for (let current = declaration as ts.Node | undefined; current; current = current.parent as ts.Node | undefined) {
      if (t.isModuleDeclaration(current) && t.isStringLiteral(current.name)) {
        return {
          name: current.name.text.startsWith("node:") ? current.name.text : `node:${current.name.text}`,
          isProject: false,
        };
      }
    }
    return found;
  }

  /** What a type is known as: itself, what it is made of, and its bases. `any` is known as nothing. */
  ofType(type: ts.Type, depth = 0): readonly Ref[] {
    const t = this.#ts;
    if ((type.flags & (t.TypeFlags.Any | t.TypeFlags.Unknown)) !== 0 || depth > 4) return [];
    if (type.isUnionOrIntersection()) {
      const parts = type.types.filter((part) => (part.flags & (t.TypeFlags.Undefined | t.TypeFlags.Null)) === 0);
      const aliased = this.#ofSymbol(type.aliasSymbol);
      return [...aliased, ...parts.flatMap((part) => this.ofType(part, depth + 1))];
    }
    const symbol = type.getSymbol();
    const refs = [...this.#ofSymbol(type.aliasSymbol), ...this.#ofSymbol(symbol)];
    const bases = type.isClassOrInterface()
      ? this.#checker.getBaseTypes(type)
      : symbol && (symbol.flags & (t.SymbolFlags.Class | t.SymbolFlags.Interface)) !== 0
        ? this.#basesOf(symbol)
        : [];
    // `Omit<PrismaClient, ITXClientDenyList>`: what an alias is made of tells more than `Omit`
    const made = type.aliasSymbol?.name === "Omit" ? (type.aliasTypeArguments ?? []).slice(1, 2) : [];
    return [...refs, ...[...bases, ...made].flatMap((base) => this.ofType(base, depth + 1))];
  }

  #basesOf(symbol: ts.Symbol): readonly ts.Type[] {
    const declared = this.#checker.getDeclaredTypeOfSymbol(symbol);
    return declared.isClassOrInterface() ? this.#checker.getBaseTypes(declared) : [];
  }

  #ofSymbol(symbol: ts.Symbol | undefined): Ref[] {
    const declaration = symbol?.declarations?.[0];
    if (!symbol || !declaration || symbol.name === "__type" || symbol.name === "__object") return [];
    const file = declaration.getSourceFile();
    const { name, isProject } = this.packageOf(declaration, file);
    return [
      {
        package: name,
        container: undefined,
        name: symbol.name,
        file: file.fileName,
        isProject,
        ...(isProject ? { fileText: file.text } : {}),
      },
    ];
  }
}

/** The import that a symbol is, where nothing is known of what it imports. */
export function importOfSymbol(
  t: Typescript,
  symbol: ts.Symbol,
): { package: string; name: string | undefined; imported: "named" | "default" | "namespace" } | undefined {
  const declaration = symbol.declarations?.[0];
  if (!declaration) return undefined;
  const clause = t.isImportSpecifier(declaration)
    ? declaration.parent.parent.parent
    : t.isImportClause(declaration)
      ? declaration.parent
      : t.isNamespaceImport(declaration)
        ? declaration.parent.parent
        : undefined;
  if (!clause || !t.isImportDeclaration(clause) || !t.isStringLiteral(clause.moduleSpecifier)) return undefined;
  const name = packageOfSpecifier(clause.moduleSpecifier.text);
  if (name === undefined) return undefined;
  if (t.isImportSpecifier(declaration))
    return { package: name, name: (declaration.propertyName ?? declaration.name).text, imported: "named" };
  return {
    package: name,
    name: t.isImportClause(declaration) ? "default" : undefined,
    imported: t.isImportClause(declaration) ? "default" : "namespace",
  };
}
