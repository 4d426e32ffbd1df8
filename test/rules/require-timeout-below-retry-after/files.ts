import { readFileSync } from "node:fs";
import { join } from "node:path";
import parser from "@typescript-eslint/parser";
import { Linter } from "eslint";
import ts from "typescript";
import { describe, expect, test } from "vitest";

import { requireTimeoutBelowRetryAfter } from "../../../rules/require-timeout-below-retry-after.js";

/**
 * Cases of several files, linted with types. A line that ends in `// report tooLong` has to be reported by that message,
 * and no other line by any. Without types the rule sees one file at a time, and has to be silent.
 */
export function casesOfFiles(title: string, cases: Readonly<Record<string, Readonly<Record<string, string>>>>): void {
  const folder = join(fixtures, "cases");
  const texts = new Map<string, string>();
  const names = Object.keys(cases);
  for (const [name, files] of Object.entries(cases)) {
    for (const [file, text] of Object.entries(files)) texts.set(pathOf(folder, names.indexOf(name), file), text);
  }
  let program: ts.Program | undefined;
  describe(title, () => {
    test.each(names)("%s", (name) => {
      program ??= programOf(texts, folder);
      const paths = Object.keys(cases[name] ?? {}).map((file) => pathOf(folder, names.indexOf(name), file));
      expect(paths.flatMap((path) => reportsOf(path, texts.get(path) ?? "", program))).toEqual(
        paths.flatMap((path) => marksOf(path, texts.get(path) ?? "")),
      );
      expect(paths.flatMap((path) => reportsOf(path, texts.get(path) ?? "", undefined))).toEqual([]);
    });
  });
}

/** The messages about the last of several files, with types. */
export function messagesAbout(files: Readonly<Record<string, string>>): string[] {
  const folder = join(fixtures, "cases");
  const texts = new Map(Object.entries(files).map(([file, text]) => [pathOf(folder, 0, file), text]));
  const program = programOf(texts, folder);
  return [...texts].flatMap(([path, text]) => lint(path, text, program).map(({ message }) => message));
}

const fixtures = join(import.meta.dirname, "../fixtures");

function pathOf(folder: string, index: number, file: string): string {
  return join(folder, `case${String(index)}`, file);
}

function lint(path: string, text: string, program: ts.Program | undefined) {
  return new Linter({ cwd: fixtures }).verify(
    text,
    [
      {
        files: ["**/*.ts"],
        languageOptions: { parser: parser, parserOptions: program ? { programs: [program] } : {} },
        plugins: { aftercommit: { rules: { rule: requireTimeoutBelowRetryAfter as never } } },
        rules: { "aftercommit/rule": "error" },
      },
    ],
    { filename: path },
  );
}

function reportsOf(path: string, text: string, program: ts.Program | undefined): string[] {
  return lint(path, text, program).map(
    ({ line, messageId, message }) => `${path}:${String(line)} ${messageId ?? message}`,
  );
}

function marksOf(path: string, text: string): string[] {
  return text.split("\n").flatMap((line, index) => {
    const [, messageId] = /\/\/ report (\w+)$/.exec(line) ?? [];
    return messageId === undefined ? [] : [`${path}:${String(index + 1)} ${messageId}`];
  });
}

/** A program of files that stand nowhere, among the libraries of the fixtures. */
function programOf(texts: ReadonlyMap<string, string>, folder: string): ts.Program {
  const config = ts.readConfigFile(join(fixtures, "tsconfig.json"), (path) => readFileSync(path, "utf8")) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.config.compilerOptions, fixtures);
  const host = ts.createCompilerHost(options, true);
  const withTexts: ts.CompilerHost = {
    ...host,
    fileExists: (path) => texts.has(path) || host.fileExists(path),
    readFile: (path) => texts.get(path) ?? host.readFile(path),
    directoryExists: (path) => path.startsWith(folder) || (host.directoryExists?.(path) ?? true),
    getSourceFile: (path, version) => {
      const text = withTexts.readFile(path);
      return text === undefined ? undefined : ts.createSourceFile(path, text, version, true);
    },
  };
  return ts.createProgram({ rootNames: [...texts.keys()], options, host: withTexts });
}
