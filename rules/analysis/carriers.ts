import type { Library, Member, OneOrMore } from "../catalogue/vocabulary.js";
import type { Program } from "./analysis.js";
import type { CallNode, ClassNode, CodeFile, FieldNode, FunctionNode, Node } from "./code/node.js";
import { isOneOf, oneOrMore, packagesOfLibrary, parseMember } from "./knowledge.js";
import { mentions, occurrences } from "./occurrences.js";
import { packageOfSpecifier } from "./package-of.js";
import { packagesIn } from "./packages-in-play.js";
import type { Ref } from "./semantics.js";
import { isTestFile } from "./test-file.js";

/** A place at which a member of a library is called, constructed or put as a decorator. */
export interface Carrier {
  readonly node: Node;
  readonly args: readonly Node[];
  /** What the decorator stands on. */
  readonly decorated: ClassNode | FunctionNode | FieldNode | undefined;
}

/** Finds the places of a file, or of the whole program, at which the members of an entry are called. One a program. */
export class Carriers {
  readonly #program: Program;
  readonly #inFile = new WeakMap<CodeFile, Map<object | string, readonly Carrier[]>>();
  readonly #relevant = new Map<Library, boolean>();

  constructor(program: Program) {
    this.#program = program;
  }

  /** Whether the program uses a library at all: asked before any question about types. */
  uses(library: Library): boolean {
    let answer = this.#relevant.get(library);
    if (answer === undefined) {
      answer = this.#program.semantics.projectFiles().some((file) => importsAnyOf(file, library));
      this.#relevant.set(library, answer);
    }
    return answer;
  }

  /** Everywhere in the program, but tests only for tests. */
  everywhere(members: OneOrMore<Member>, library: Library, near: CodeFile): readonly Carrier[] {
    const isTest = isTestFile(near.path);
    const files = this.#program.semantics.projectFiles().filter((file) => isTestFile(file.path) === isTest);
    return (files.includes(near) ? files : [near, ...files]).flatMap((file) => this.in(file, members, library));
  }

  in(file: CodeFile, members: OneOrMore<Member>, library: Library): readonly Carrier[] {
    let byMembers = this.#inFile.get(file);
    if (!byMembers) this.#inFile.set(file, (byMembers = new Map<object | string, readonly Carrier[]>()));
    let found = byMembers.get(members);
    if (!found) byMembers.set(members, (found = this.#find(file, oneOrMore(members), library)));
    return found;
  }

  /** What a call calls, as the catalogue may know it. */
  refsOf(call: CallNode): readonly Ref[] {
    const { callee } = call;
    if (callee.kind === "super") return this.#refsOfSuper(call);
    const { callee: settled, refs } = this.#program.effects.calledBy(call, undefined);
    if (settled.kind === "closure") return [];
    // mapped types and the like: the resolved signature still tells
    return refs.length === 0 && settled.kind === "other" && callee.kind === "member"
      ? this.#program.semantics.signatureOf(call)
      : refs;
  }

  isCallOf(call: CallNode, members: OneOrMore<Member>, library: Library): boolean {
    return isOneOf(members, call.isNew || call.callee.kind === "super" ? "new" : "member", library, this.refsOf(call));
  }

  #find(file: CodeFile, members: readonly Member[], library: Library): readonly Carrier[] {
    const found: Carrier[] = [];
    for (const form of ["member", "new", "decorator"] as const) {
      const names = new Set(
        members
          .map(parseMember)
          .filter((member) => member.form === form)
          .map((member) => member.name),
      );
      for (const name of [...names].flatMap((wanted) => namesOf(wanted, file, library))) {
        if (!mentions(file, name)) continue;
        for (const node of occurrences(file, name)) {
          const carrier = form === "decorator" ? decoratorAt(node) : callAt(node, form === "new");
          if (
            carrier &&
            !found.some((other) => other.node === carrier.node) &&
            this.#is(carrier, form, members, library)
          )
            found.push(carrier);
        }
      }
    }
    return found;
  }

  #is(carrier: Carrier, form: "member" | "new" | "decorator", members: readonly Member[], library: Library): boolean {
    const { node } = carrier;
    if (form !== "decorator") return node.kind === "call" && isOneOf(members, form, library, this.refsOf(node));
    const callee = node.kind === "call" ? node.callee : node;
    const settled = this.#program.values.settle(callee, undefined);
    return (
      settled.kind === "declared" &&
      isOneOf(
        members,
        form,
        library,
        settled.refs.map((ref) => ({ ...ref, container: undefined })),
      )
    );
  }

  /** `super(…)` constructs the base class. */
  #refsOfSuper(call: CallNode): readonly Ref[] {
    for (let above: Node | undefined = call.parent; above; above = above.parent) {
      if (above.kind !== "class") continue;
      const settled = above.superClass && this.#program.values.settle(above.superClass, undefined);
      return settled?.kind === "declared" ? settled.refs : [];
    }
    return [];
  }
}

const carriers = new WeakMap<object, Carriers>();

export function carriersOf(program: Program): Carriers {
  let found = carriers.get(program.values);
  if (!found) carriers.set(program.values, (found = new Carriers(program)));
  return found;
}

function callAt(name: Node, isNew: boolean): Carrier | undefined {
  if (isNew && name.kind === "name" && name.parent?.kind === "class" && name.parent.superClass === name)
    return superCallOf(name.parent);
  const callee = name.parent?.kind === "member" && name.parent.property === undefined ? name.parent : name;
  const call = callee.parent;
  return call?.kind === "call" && call.callee === callee && call.isNew === isNew
    ? { node: call, args: call.args, decorated: undefined }
    : undefined;
}

function superCallOf(owner: ClassNode): Carrier | undefined {
  const constructor = owner.members.find(
    (member) => member.kind === "function" && member.role === "constructor" && member.body !== undefined,
  );
  const body = constructor?.kind === "function" ? constructor.body : undefined;
  const call =
    body?.kind === "block"
      ? body.body.find(
          (statement): statement is CallNode => statement.kind === "call" && statement.callee.kind === "super",
        )
      : undefined;
  return call && { node: call, args: call.args, decorated: undefined };
}

function decoratorAt(name: Node): Carrier | undefined {
  const node = name.parent?.kind === "call" && name.parent.callee === name ? name.parent : name;
  const owner = node.parent;
  if (
    !owner ||
    (owner.kind !== "class" && owner.kind !== "function" && owner.kind !== "field") ||
    !owner.decorators.includes(node)
  )
    return undefined;
  return { node, args: node.kind === "call" ? node.args : [], decorated: owner };
}

function importsAnyOf(file: CodeFile, library: Library): boolean {
  const packages = packagesOfLibrary(library);
  for (const name of packagesIn(file)) if (packages.has(name)) return true;
  return false;
}

/** The name that code calls an export by: itself, and what an import calls it (`import { Worker as W }`, `import Bull`). */
function namesOf(exported: string, file: CodeFile, library: Library): readonly string[] {
  const locals = importsOf(file, library)
    .filter(({ imported }) => imported === exported || (imported === "*" && exported === "default"))
    .map(({ local }) => local);
  return exported === "default" ? locals : [...new Set([exported, ...locals])];
}

interface Imported {
  readonly local: string;
  readonly imported: string;
}

const imports = new WeakMap<CodeFile, Map<Library, readonly Imported[]>>();

function importsOf(file: CodeFile, library: Library): readonly Imported[] {
  let ofFile = imports.get(file);
  if (!ofFile) imports.set(file, (ofFile = new Map<Library, readonly Imported[]>()));
  let found = ofFile.get(library);
  if (!found) ofFile.set(library, (found = importsAnyOf(file, library) ? readImports(file, library) : []));
  return found;
}

function readImports({ root }: CodeFile, library: Library): readonly Imported[] {
  const of = (module: string) => packagesOfLibrary(library).has(packageOfSpecifier(module) ?? "");
  if (root.kind !== "block") return [];
  return root.body.flatMap((statement) => {
    if (statement.kind === "import") return of(statement.module) ? statement.specifiers : [];
    if (statement.kind !== "declare") return [];
    return statement.declarators.flatMap(({ init, target }) => {
      const [specifier] =
        init?.kind === "call" && init.callee.kind === "name" && init.callee.text === "require" ? init.args : [];
      if (specifier?.kind !== "literal" || typeof specifier.value !== "string" || !of(specifier.value)) return [];
      if (target.kind === "name") return [{ local: target.text, imported: "default" }];
      if (target.kind !== "pattern") return [];
      return target.entries.flatMap((entry) =>
        entry.target.kind === "name" && typeof entry.key === "string"
          ? [{ local: entry.target.text, imported: entry.key }]
          : [],
      );
    });
  });
}
