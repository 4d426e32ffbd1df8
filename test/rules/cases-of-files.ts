import { join } from "node:path";
import parser from "@typescript-eslint/parser";
import { Linter, type Rule } from "eslint";
import type ts from "typescript";
import { describe, expect, test } from "vitest";

import { isNative, nativeOptions } from "./native-project.js";
import { fixtures, programOfFiles } from "./program-of-files.js";

type Files = Readonly<Record<string, string>>;

/** A case of one file is only its text. */
export type Cases = Readonly<Record<string, string | Files>>;

const folder = join(fixtures, isNative ? `cases-of-files-${String(process.pid)}` : "cases");

/**
 * Cases among the real libraries of the fixtures, all in one program. A line that ends in `// report stored` has to be
 * reported by that message, and no other line by any; `// report stored, typed` only with types, `, untyped` only
 * without. Every case is linted both ways.
 */
export function casesOfFiles(title: string, rule: unknown, cases: Cases): void {
  const names = Object.keys(cases);
  const filesOf = (name: string): [path: string, text: string][] => {
    const files = cases[name] ?? {};
    const byName: Files = typeof files === "string" ? { "file.ts": files } : files;
    return Object.entries(byName).map(([file, text]) => [
      join(folder, `case${String(names.indexOf(name))}`, file),
      text,
    ]);
  };
  let program: Project | undefined;
  describe(title, () => {
    test.each(names)("%s", (name) => {
      program ??= programOf(new Map(names.flatMap(filesOf)));
      const files = filesOf(name);
      expect(files.flatMap(([path, text]) => reportsOf(rule, path, text, program))).toEqual(
        files.flatMap(([path, text]) => marksOf(path, text, true)),
      );
      expect(files.flatMap(([path, text]) => reportsOf(rule, path, text, undefined))).toEqual(
        files.flatMap(([path, text]) => marksOf(path, text, false)),
      );
    });
  });
}

let count = 0;

/** The messages about some files, linted with types. */
export function messagesOf(rule: unknown, files: Files): string[] {
  const own = isNative ? `messages${String(++count)}` : ".";
  const texts = new Map(Object.entries(files).map(([file, text]) => [join(folder, own, file), text]));
  const program = programOf(texts);
  return [...texts].flatMap(([path, text]) => lint(rule, path, text, program).map(({ message }) => message));
}

function lint(rule: unknown, path: string, text: string, program: Project | undefined) {
  return new Linter({ cwd: fixtures }).verify(
    text,
    [
      {
        files: ["**/*.ts"],
        languageOptions:
          program && "texts" in program
            ? nativeOptions(fixtures, program.texts, folder)
            : { parser, parserOptions: program ? { programs: [program] } : {} },
        plugins: { aftercommit: { rules: { rule: rule as Rule.RuleModule } } },
        rules: { "aftercommit/rule": "error" },
      },
    ],
    { filename: path },
  );
}

function reportsOf(rule: unknown, path: string, text: string, program: Project | undefined): string[] {
  return lint(rule, path, text, program).map(
    ({ line, messageId, message }) => `${path.slice(folder.length)}:${String(line)} ${messageId ?? message}`,
  );
}

function marksOf(path: string, text: string, isTyped: boolean): string[] {
  return text.split("\n").flatMap((line, index) => {
    const [, messageId, mode] = /\/\/ report (\w+)(?:, ((?:un)?typed))?$/.exec(line) ?? [];
    return messageId === undefined || (mode !== undefined && mode !== (isTyped ? "typed" : "untyped"))
      ? []
      : [`${path.slice(folder.length)}:${String(index + 1)} ${messageId}`];
  });
}

/** A program, or for the native back end what has to be written to make one. */
type Project = ts.Program | { readonly texts: ReadonlyMap<string, string> };

function programOf(texts: ReadonlyMap<string, string>): Project {
  return isNative ? { texts } : programOfFiles(texts, folder);
}
