import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Linter } from "eslint";

/** Where `npm run test:native` has installed typescript-eslint beside TypeScript's native compiler. */
const installed = process.env["AFTERCOMMIT_NATIVE"];

export const isNative = installed !== undefined;

/**
 * The language options that lint cases with types on typescript-eslint's experimental native back end. It reads a project
 * from the disk, so the files of the cases are written there, and taken away when the tests are over.
 */
export function nativeOptions(
  fixtures: string,
  files: ReadonlyMap<string, string>,
  folder: string,
): Linter.LanguageOptions {
  const written = writtenIn(folder, fixtures);
  for (const [path, text] of files) {
    if (written.has(path)) continue;
    written.add(path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return {
    parser: createRequire(`${installed ?? ""}/`)("@typescript-eslint/parser") as Linter.Parser,
    parserOptions: { projectService: { EXPERIMENTAL_backend: "tsgo" }, tsconfigRootDir: fixtures },
  };
}

const folders = new Map<string, Set<string>>();

function writtenIn(folder: string, fixtures: string): Set<string> {
  let written = folders.get(folder);
  if (!written) {
    folders.set(folder, (written = new Set<string>()));
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: join(fixtures, "tsconfig.json"),
        compilerOptions: { allowJs: true, paths: { "@cases/*": [`${folder}/*`] } },
        include: ["**/*"],
      }),
    );
    process.once("exit", () => {
      rmSync(folder, { recursive: true, force: true });
    });
  }
  return written;
}
