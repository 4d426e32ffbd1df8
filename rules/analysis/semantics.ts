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

/** What a declaration is called, and where it stands: enough to look it up in the catalogue or in the settings. */
export interface Ref {
  /** The package that declares it; for a file of the project the package that the file belongs to. */
  readonly package: string;
  /** Class, interface, type alias or variable around it; `"*"`: some container of the package, unknown which. */
  readonly container: string | undefined;
  readonly name: string;
  /** Path of the declaring file, where it is known. */
  readonly file: string | undefined;
  /** Declared by the project itself, not below a `node_modules`. */
  readonly isProject: boolean;
  /** Text of the declaring file. */
  readonly fileText?: string;
}

/** Steps into a value: property names and array indexes. */
export type Path = readonly (string | number)[];

/** What a name or a property stands for. */
export type Definition =
  | { readonly kind: "variable"; readonly declarator: DeclaratorNode; readonly path: Path }
  | {
      readonly kind: "parameter";
      readonly fn: FunctionNode;
      readonly index: number;
      readonly parameter: ParameterNode;
      readonly path: Path;
    }
  | { readonly kind: "function"; readonly fn: FunctionNode }
  | { readonly kind: "class"; readonly node: ClassNode }
  | { readonly kind: "field"; readonly field: FieldNode }
  | { readonly kind: "property"; readonly property: PropertyNode }
  /** Declared by a library, or by an interface or type of the project: there is no code to read. */
  | { readonly kind: "declared"; readonly refs: readonly Ref[]; readonly raw: object | undefined };

/**
 * The questions that the analysis asks about meaning. One implementation asks the type checker (and sees the whole
 * program), the other reads imports, annotations and `new` (and sees one file). `undefined` is "not known", and leads
 * to silence.
 */
export interface Semantics {
  readonly isTyped: boolean;
  definitionOfName(name: NameNode): Definition | undefined;
  definitionOfMember(member: MemberNode): Definition | undefined;
  /** A property of whatever an expression's type offers. */
  definitionOfProperty(node: Node, name: string): Definition | undefined;
  /** What the types of an expression are called: its class or interface, the alias, and what it extends. */
  typesOf(node: Node): readonly Ref[];
  /** What the place of an expression asks for: the annotation, `satisfies`, the parameter or the result that it becomes. */
  expectedTypesOf(node: Node): readonly Ref[];
  /** The same for a declared parameter. */
  typesOfParameter(parameter: ParameterNode): readonly Ref[];
  /** Whether the type of an expression holds `undefined` or `null` beside other things. */
  mayBeNullish(node: Node): boolean;
  /** Whether a parameter, or a member of it, may be a function of the project: what has no type may be one. */
  mayRun(parameter: NameNode, member?: string): boolean;
  /** The declaration of the resolved signature; for members that have no declaration of their own. */
  signatureOf(call: CallNode): readonly Ref[];
  /** Code behind a member of an interface or abstract class of the project, where its implementations are known. */
  implementationsOf(declared: Extract<Definition, { kind: "declared" }>): readonly FunctionNode[];
  /** Whether code of the project may be called as a member of this name; asked before any question about types. */
  mayDeclareMember(name: string): boolean;
  /** Every file of the project that can be read, the linted one first. */
  projectFiles(): readonly CodeFile[];
  /** The overriding or only method of this name in a class or its bases. */
  methodOf(node: ClassNode, name: string): FunctionNode | undefined;
  /** Whether a class extends or implements something of one of the packages. */
  isOfLibrary(node: ClassNode, packages: readonly string[]): boolean;
}

/** How a ref is written in messages: `Queue.add`. */
export function labelOf(ref: Ref): string {
  return ref.container === undefined || ref.container === "*" ? ref.name : `${ref.container}.${ref.name}`;
}
