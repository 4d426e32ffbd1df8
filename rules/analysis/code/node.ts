/**
 * Code as the analysis reads it: a small syntax tree that is the same whether it was parsed by TypeScript (files of a
 * typed program, also those that are not being linted) or came as ESTree (a file linted without types, also in oxlint).
 *
 * Parentheses, `as`, `satisfies`, `!`, optional chains and expression statements are not nodes of their own.
 */

/** A file of code, in either syntax. */
export interface CodeFile {
  /** Absolute path. */
  readonly path: string;
  readonly text: string;
  readonly root: Node;
}

interface Base {
  readonly file: CodeFile;
  readonly start: number;
  readonly end: number;
  /** The node of TypeScript or ESTree behind this one. */
  readonly raw: object;
  readonly parent: Node | undefined;
}

export interface NameNode extends Base {
  readonly kind: "name";
  readonly text: string;
}
export interface ThisNode extends Base {
  readonly kind: "this" | "super";
}
export interface LiteralNode extends Base {
  readonly kind: "literal";
  /** `undefined` for what has no value here (regular expressions). */
  readonly value: string | number | bigint | boolean | null | undefined;
}
export interface TemplateNode extends Base {
  readonly kind: "template";
  readonly strings: readonly string[];
  readonly expressions: readonly Node[];
  /** `sql` of `` sql`…` ``. */
  readonly tag: Node | undefined;
}
export interface CallNode extends Base {
  readonly kind: "call";
  readonly callee: Node;
  readonly args: readonly Node[];
  readonly isNew: boolean;
}
export interface MemberNode extends Base {
  readonly kind: "member";
  readonly object: Node;
  /** The property's name where it is fixed (`a.b`, `a["b"]`). */
  readonly property: string | undefined;
  /** The expression of a computed access. */
  readonly index: Node | undefined;
  /** The raw node of the property name. */
  readonly propertyRaw: object;
}
export interface FunctionNode extends Base {
  readonly kind: "function";
  readonly name: string | undefined;
  readonly params: readonly ParameterNode[];
  /** A block, or the expression of an arrow function; absent in overloads and abstract methods. */
  readonly body: Node | undefined;
  readonly isAsync: boolean;
  readonly isGenerator: boolean;
  readonly isArrow: boolean;
  /** The class or object that it is a method of. */
  readonly owner: ClassNode | ObjectNode | undefined;
  readonly role: "function" | "method" | "constructor" | "getter" | "setter";
  readonly decorators: readonly Node[];
  readonly returnType: TypeText | undefined;
}
export interface ParameterNode extends Base {
  readonly kind: "parameter";
  readonly target: Node;
  readonly defaultValue: Node | undefined;
  readonly isRest: boolean;
  /** Need not be given: `x?: X`, `x = …`, `x: X | undefined`. */
  readonly isOptional: boolean;
  readonly type: TypeText | undefined;
  readonly decorators: readonly Node[];
  /** `constructor(private readonly q: Queue)`. */
  readonly isProperty: boolean;
}
export interface ClassNode extends Base {
  readonly kind: "class";
  readonly name: string | undefined;
  readonly superClass: Node | undefined;
  readonly interfaces: readonly TypeText[];
  readonly decorators: readonly Node[];
  readonly members: readonly ClassMember[];
}
export type ClassMember = FunctionNode | FieldNode;
export interface FieldNode extends Base {
  readonly kind: "field";
  readonly name: string | undefined;
  readonly value: Node | undefined;
  readonly type: TypeText | undefined;
  readonly decorators: readonly Node[];
}
export interface ObjectNode extends Base {
  readonly kind: "object";
  readonly properties: readonly PropertyNode[];
}
export interface PropertyNode extends Base {
  readonly kind: "property";
  /** Absent: computed. */
  readonly key: string | undefined;
  readonly value: Node;
  readonly isSpread: boolean;
  readonly keyRaw: object;
}
export interface ArrayNode extends Base {
  readonly kind: "array";
  readonly elements: readonly Node[];
}
export interface WrapperNode extends Base {
  readonly kind: "spread" | "await" | "yield" | "throw" | "return";
  readonly argument: Node | undefined;
}
export interface AssignNode extends Base {
  readonly kind: "assign";
  readonly operator: string;
  readonly target: Node;
  readonly value: Node;
}
export interface BinaryNode extends Base {
  readonly kind: "binary";
  /** `+`, `===`, `&&`, `??` … */
  readonly operator: string;
  readonly left: Node;
  readonly right: Node;
}
export interface UnaryNode extends Base {
  readonly kind: "unary";
  /** `!`, `-`, `typeof`, `++` … */
  readonly operator: string;
  readonly argument: Node;
}
export interface ConditionalNode extends Base {
  readonly kind: "conditional" | "if";
  readonly test: Node;
  readonly then: Node;
  readonly otherwise: Node | undefined;
}
export interface BlockNode extends Base {
  readonly kind: "block" | "sequence";
  readonly body: readonly Node[];
}
export interface DeclareNode extends Base {
  readonly kind: "declare";
  readonly isConst: boolean;
  readonly declarators: readonly DeclaratorNode[];
}
export interface DeclaratorNode extends Base {
  readonly kind: "declarator";
  readonly target: Node;
  readonly init: Node | undefined;
  readonly type: TypeText | undefined;
  readonly isConst: boolean;
}
export interface LoopNode extends Base {
  readonly kind: "loop";
  readonly init: Node | undefined;
  readonly test: Node | undefined;
  readonly update: Node | undefined;
  /** What a for-of or for-in runs over. */
  readonly iterated: Node | undefined;
  readonly body: Node;
}
export interface SwitchNode extends Base {
  readonly kind: "switch";
  readonly discriminant: Node;
  readonly cases: readonly { readonly test: Node | undefined; readonly body: readonly Node[] }[];
}
export interface TryNode extends Base {
  readonly kind: "try";
  readonly block: Node;
  readonly handler: Node | undefined;
  readonly finalizer: Node | undefined;
}
/** `{ a, b: c = 1, ...d }` or `[a, b]` on the left-hand side. */
export interface PatternNode extends Base {
  readonly kind: "pattern";
  readonly entries: readonly {
    /** Property name or index; absent for a rest element. */
    readonly key: string | number | undefined;
    readonly target: Node;
    readonly defaultValue: Node | undefined;
  }[];
}
export interface ImportNode extends Base {
  readonly kind: "import";
  readonly module: string;
  /** `imported` is `"default"` or `"*"` for those forms. */
  readonly specifiers: readonly { readonly local: string; readonly imported: string }[];
}
/** Everything else: only its children matter. */
export interface OtherNode extends Base {
  readonly kind: "other";
  readonly children: readonly Node[];
}

export type Node =
  | NameNode
  | ThisNode
  | LiteralNode
  | TemplateNode
  | CallNode
  | MemberNode
  | FunctionNode
  | ParameterNode
  | ClassNode
  | FieldNode
  | ObjectNode
  | PropertyNode
  | ArrayNode
  | WrapperNode
  | AssignNode
  | BinaryNode
  | UnaryNode
  | ConditionalNode
  | BlockNode
  | DeclareNode
  | DeclaratorNode
  | LoopNode
  | SwitchNode
  | TryNode
  | PatternNode
  | ImportNode
  | OtherNode;

/** A type annotation as far as it can be read without a type checker: the names in it, outermost first. */
export interface TypeText {
  /** `["Knex", "Transaction"]` for `Knex.Transaction`; for `Repository<Order>` only `["Repository"]`. */
  readonly path: readonly string[];
  /** Type arguments that are plain references. */
  readonly typeArguments: readonly TypeText[];
}

/** The children of a node in the order in which they are evaluated. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case "template":
      return node.tag ? [node.tag, ...node.expressions] : node.expressions;
    case "call":
      return [node.callee, ...node.args];
    case "member":
      return node.index ? [node.object, node.index] : [node.object];
    case "function":
      return [...node.decorators, ...node.params, ...(node.body ? [node.body] : [])];
    case "parameter":
      return [...node.decorators, node.target, ...(node.defaultValue ? [node.defaultValue] : [])];
    case "class":
      return [...node.decorators, ...(node.superClass ? [node.superClass] : []), ...node.members];
    case "field":
      return [...node.decorators, ...(node.value ? [node.value] : [])];
    case "object":
      return node.properties;
    case "property":
      return [node.value];
    case "array":
      return node.elements;
    case "spread":
    case "await":
    case "yield":
    case "throw":
    case "return":
      return node.argument ? [node.argument] : [];
    case "assign":
      return [node.target, node.value];
    case "binary":
      return [node.left, node.right];
    case "unary":
      return [node.argument];
    case "conditional":
    case "if":
      return node.otherwise ? [node.test, node.then, node.otherwise] : [node.test, node.then];
    case "block":
    case "sequence":
      return node.body;
    case "declare":
      return node.declarators;
    case "declarator":
      return node.init ? [node.init, node.target] : [node.target];
    case "loop":
      return [node.init, node.iterated, node.test, node.body, node.update].filter((child) => child !== undefined);
    case "switch":
      return [
        node.discriminant,
        ...node.cases.flatMap((branch) => (branch.test ? [branch.test, ...branch.body] : branch.body)),
      ];
    case "try":
      return [node.block, node.handler, node.finalizer].filter((child) => child !== undefined);
    case "pattern":
      return node.entries.flatMap((entry) =>
        entry.defaultValue ? [entry.target, entry.defaultValue] : [entry.target],
      );
    case "other":
      return node.children;
    case "name":
    case "this":
    case "super":
    case "literal":
    case "import":
      return [];
  }
}

/** The innermost function around a node, not the node itself. */
export function enclosingFunction(node: Node): FunctionNode | undefined {
  for (let current = node.parent; current; current = current.parent) if (current.kind === "function") return current;
  return undefined;
}

/** The innermost class around a node. */
export function enclosingClass(node: Node): ClassNode | undefined {
  for (let current = node.parent; current; current = current.parent) if (current.kind === "class") return current;
  return undefined;
}

export function contains(outer: Node, inner: Node): boolean {
  return outer.file === inner.file && outer.start <= inner.start && inner.end <= outer.end;
}

/** 1-based line of an offset. */
export function lineOf(file: CodeFile, offset: number): number {
  let line = 1;
  for (let at = file.text.indexOf("\n"); at !== -1 && at < offset; at = file.text.indexOf("\n", at + 1)) line++;
  return line;
}
