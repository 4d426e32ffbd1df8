import type ts from "typescript";

import type { CodeFile } from "./code/node.js";
import type { InPlay } from "./knowledge.js";
import { packageOfFile, packageOfSpecifier } from "./package-of.js";

const programImports = new WeakMap<ts.SourceFile, readonly string[]>();

/**
 * What a program's own code imports, directly or through other packages: no other library can be meant by it. Types that
 * are merely installed (`@types/…`) are part of a program without being used, unless they declare globals.
 */
export function inPlayIn(program: ts.Program): InPlay {
  const importedBy = new Map<string, Set<string>>();
  const packages = new Set(["typescript", "node"]);
  const own: ts.SourceFile[] = [];
  for (const file of program.getSourceFiles()) {
    const { name, isProject } = packageOfFile(file.fileName);
    if (isProject) {
      own.push(file);
      for (const imported of importsOf(file)) packages.add(imported);
    } else {
      let imported = importedBy.get(name);
      if (!imported) importedBy.set(name, (imported = new Set<string>()));
      for (const other of importsOf(file)) imported.add(other);
    }
  }
  // what is added to a set while it is walked is walked too
  for (const name of packages) for (const imported of importedBy.get(name) ?? []) packages.add(imported);
  return {
    packages,
    mayDeclareGlobals: (name) => packages.has(name) || importedBy.has(name),
    holds: (text) => own.some((file) => holds(file, text)),
  };
}

/** The same for a file alone: its types are not known, so that globals are what they are called. */
export function inPlayInFile(file: CodeFile): InPlay {
  return { packages: packagesIn(file), mayDeclareGlobals: () => true, holds: (text) => file.text.includes(text) };
}

const held = new WeakMap<ts.SourceFile, Map<string, boolean>>();

/** Whether a file holds a text; kept, because an edit leaves all other files as they are. */
function holds(file: ts.SourceFile, text: string): boolean {
  let answers = held.get(file);
  if (!answers) held.set(file, (answers = new Map<string, boolean>()));
  let answer = answers.get(text);
  if (answer === undefined) answers.set(text, (answer = file.text.includes(text)));
  return answer;
}

function importsOf(file: ts.SourceFile): readonly string[] {
  let names = programImports.get(file);
  if (!names) {
    const { imports = [] } = file as { imports?: readonly { readonly text: string }[] };
    names = imports.flatMap(({ text }) => packageOfSpecifier(text) ?? []);
    programImports.set(file, names);
  }
  return names;
}

const packages = new WeakMap<CodeFile, ReadonlySet<string>>();

/** The packages that a file names behind `from`, `import` or `require`. */
export function packagesIn(file: CodeFile): ReadonlySet<string> {
  let found = packages.get(file);
  if (!found) {
    const names = [...file.text.matchAll(/\b(?:from|import|require)\s*\(?\s*["']([^"'\n]+)["']/g)].map(
      ([, specifier]) => packageOfSpecifier(specifier ?? ""),
    );
    packages.set(file, (found = new Set(names.filter((name) => name !== undefined))));
  }
  return found;
}
