import { createRequire } from "node:module";
import type ts from "typescript";

type Typescript = typeof ts;

const require = createRequire(import.meta.url);
const candidates = new Set<Typescript>();

/**
 * The TypeScript that a program was made with, loaded only when there is a program: without one the plugin works where
 * TypeScript is not installed. A second copy of another version numbers its syntax kinds differently and is not taken.
 */
export function typescriptOf(program: ts.Program, sourceFile: ts.SourceFile): Typescript | undefined {
  for (const candidate of candidates) if (isSame(candidate, sourceFile)) return candidate;
  // the copy that the parser has loaded made the program
  for (const load of [
    ...loadedCopies(),
    () => require("typescript") as unknown,
    () => createRequire(`${program.getCurrentDirectory()}/`)("typescript") as unknown,
  ]) {
    try {
      const loaded = load();
      if (!isCompiler(loaded)) continue;
      candidates.add(loaded);
      if (isSame(loaded, sourceFile)) return loaded;
    } catch {
      // not installed there
    }
  }
  return undefined;
}

/** Copies that the parser has already loaded, wherever they were installed. */
function loadedCopies(): (() => unknown)[] {
  return Object.keys(require.cache)
    .filter((path) => /[\\/]typescript[\\/]lib[\\/]typescript\.js$/.test(path))
    .map((path) => () => require.cache[path]?.exports as unknown);
}

/** TypeScript 7's `typescript` has a version and no compiler API. */
function isCompiler(loaded: unknown): loaded is Typescript {
  return typeof loaded === "object" && loaded !== null && "SyntaxKind" in loaded && "forEachChild" in loaded;
}

function isSame(candidate: Typescript, sourceFile: ts.SourceFile): boolean {
  const kinds: readonly number[] = [sourceFile.kind, sourceFile.endOfFileToken.kind];
  return kinds[0] === candidate.SyntaxKind.SourceFile && kinds[1] === candidate.SyntaxKind.EndOfFileToken;
}
