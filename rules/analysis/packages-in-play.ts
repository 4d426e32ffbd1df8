import type ts from "typescript";

import type { CodeFile } from "./code/node.js";
import { packageOfFile, packageOfSpecifier } from "./package-of.js";

const programImports = new WeakMap<ts.SourceFile, readonly string[]>();

/**
 * The packages that a program's own code imports, directly or through other packages: no other one can be meant by it.
 * Types that are merely installed (`@types/…`) are part of a program without being used.
 */
export function packagesOfProgram(program: ts.Program): ReadonlySet<string> {
  const importedBy = new Map<string, Set<string>>();
  const inPlay = new Set(["typescript", "node"]);
  for (const file of program.getSourceFiles()) {
    const { name, isProject } = packageOfFile(file.fileName);
    if (isProject) for (const imported of importsOf(file)) inPlay.add(imported);
    else {
      let imported = importedBy.get(name);
      if (!imported) importedBy.set(name, (imported = new Set<string>()));
      for (const other of importsOf(file)) imported.add(other);
    }
  }
  // what is added to a set while it is walked is walked too
  for (const name of inPlay) for (const imported of importedBy.get(name) ?? []) inPlay.add(imported);
  return inPlay;
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
