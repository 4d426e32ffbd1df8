import type ts from "typescript";

type Typescript = typeof ts;

const perFile = new WeakMap<ts.SourceFile, ReadonlySet<string>>();

/**
 * The names that code of a file can be called by as a member of something: of methods, of fields, properties and
 * exports that may hold a function, and of what is assigned to a member. Kept as long as the file is unchanged.
 */
export function memberNamesOf(typescript: Typescript, file: ts.SourceFile): ReadonlySet<string> {
  let names = perFile.get(file);
  if (!names) perFile.set(file, (names = search(typescript, file)));
  return names;
}

function search(typescript: Typescript, file: ts.SourceFile): ReadonlySet<string> {
  const { SyntaxKind, forEachChild } = typescript;
  const names = new Set<string>();
  const note = (name: ts.Node | undefined) => {
    const text = (name as { text?: unknown } | undefined)?.text;
    if (typeof text === "string") names.add(text);
  };
  const noteNames = (name: ts.BindingName): void => {
    if (name.kind === SyntaxKind.Identifier) note(name);
    else for (const element of name.elements) if ("name" in element) noteNames(element.name);
  };
  const data = new Set<ts.SyntaxKind>([
    SyntaxKind.ObjectLiteralExpression,
    SyntaxKind.ArrayLiteralExpression,
    SyntaxKind.StringLiteral,
    SyntaxKind.NoSubstitutionTemplateLiteral,
    SyntaxKind.TemplateExpression,
    SyntaxKind.NumericLiteral,
    SyntaxKind.TrueKeyword,
    SyntaxKind.FalseKeyword,
    SyntaxKind.NullKeyword,
  ]);
  const visit = (node: ts.Node): void => {
    switch (node.kind) {
      case SyntaxKind.PropertyAssignment:
        if (!data.has((node as ts.PropertyAssignment).initializer.kind)) note((node as ts.PropertyAssignment).name);
        break;
      case SyntaxKind.BinaryExpression: {
        const { left, operatorToken } = node as ts.BinaryExpression;
        if (operatorToken.kind === SyntaxKind.EqualsToken && left.kind === SyntaxKind.PropertyAccessExpression)
          note((left as ts.PropertyAccessExpression).name);
        break;
      }
      case SyntaxKind.InterfaceDeclaration:
      case SyntaxKind.TypeAliasDeclaration:
      case SyntaxKind.ImportDeclaration:
        return;
      case SyntaxKind.MethodDeclaration:
      case SyntaxKind.GetAccessor:
      case SyntaxKind.PropertyDeclaration:
      case SyntaxKind.ShorthandPropertyAssignment:
      case SyntaxKind.FunctionDeclaration:
      case SyntaxKind.ClassDeclaration:
      case SyntaxKind.ExportSpecifier:
        note((node as ts.NamedDeclaration).name);
        break;
      case SyntaxKind.VariableStatement: {
        // what a module may export
        const { parent, declarationList } = node as ts.VariableStatement;
        if (parent.kind === SyntaxKind.SourceFile || parent.kind === SyntaxKind.ModuleBlock)
          for (const { name } of declarationList.declarations) noteNames(name);
        break;
      }
      case SyntaxKind.ExportAssignment:
      case SyntaxKind.DefaultKeyword:
        names.add("default");
        break;
      case SyntaxKind.Parameter:
        // `constructor(private readonly queue: Queue)`
        if ((node as ts.ParameterDeclaration).modifiers) note((node as ts.ParameterDeclaration).name);
        break;
      default:
    }
    forEachChild(node, visit);
  };
  visit(file);
  return names;
}
