import { join } from "node:path";
import parser from "@typescript-eslint/parser";
import { Linter } from "eslint";
import type ts from "typescript";
import { describe, expect, test } from "vitest";

import { isNative, nativeOptions } from "./native-project.js";
import { fixtures, programOfFiles } from "./program-of-files.js";

/**
 * The code of a case: one file, or several by name. Lines that the rule must report end in a mark:
 *
 *     await queue.add("mail", {});   // report             by the message `dispatch`, with and without types
 *     await boss.send("mail", {});   // report noHandle    by another message
 *     await mailer.welcome();        // report typed       found only with types; silence without them
 *     await mailer.welcome();        // report untyped     found only without types: a limit, to be explained
 */
export type Code = string | Readonly<Record<string, string>>;

export interface Lint {
  readonly file: string;
  readonly line: number;
  readonly messageId: string;
  readonly message: string;
  /** The text that each suggestion writes. */
  readonly suggestions: readonly string[];
  /** The whole file after each suggestion. */
  readonly results: readonly string[];
}

/** Where the files of cases seem to stand; nothing is written there, except for the native back end. */
const folder = join(fixtures, isNative ? `cases-${String(process.pid)}` : "cases");
const files = new Map<string, string>();
let program: ts.Program | undefined;
/** The test file whose program it is, and how many files there were. */
let programOf: string | undefined;
let programSize = 0;
let count = 0;
/** Whose cases these are: one process runs many test files. */
let testFile: string | undefined;

/** One test with types and one without for each case, by its name. */
export function lintCases(
  title: string,
  rule: object,
  cases: Readonly<Record<string, Code>>,
  options: readonly unknown[] = [],
): void {
  describe(title, () => {
    for (const [name, code] of Object.entries(cases)) {
      const paths = addFiles(code);
      for (const isTyped of [true, false]) {
        test(`${name} (${isTyped ? "typed" : "untyped"})`, () => {
          const found = paths.flatMap((path) => lint(rule, path, isTyped, undefined, options));
          const wanted = paths.flatMap((path) => marksOf(path, isTyped));
          expect(describeLines(found)).toEqual(describeLines(wanted));
        });
      }
    }
  });
}

/** What the rule says of a case; call it while tests are collected, and the result in a test. */
export function linted(rule: object, code: Code, settings?: unknown): (mode?: "typed" | "untyped") => Lint[] {
  const paths = addFiles(code);
  return (mode = "typed") => paths.flatMap((path) => lint(rule, path, mode === "typed", settings));
}

function addFiles(code: Code): string[] {
  const { testPath } = expect.getState();
  if (testPath !== testFile) files.clear();
  testFile = testPath;
  const own = join(folder, `case${String(++count)}`);
  return Object.entries(typeof code === "string" ? { "main.ts": code } : code).map(([name, text]) => {
    const path = join(own, name);
    files.set(path, text.replaceAll("@case/", `@cases/case${String(count)}/`));
    return path;
  });
}

function lint(
  rule: object,
  path: string,
  isTyped: boolean,
  settings?: unknown,
  options: readonly unknown[] = [],
): Lint[] {
  const linter = new Linter({ cwd: fixtures });
  const text = files.get(path) ?? "";
  const messages = linter.verify(
    text,
    {
      files: ["**/*.ts", "**/*.tsx", "**/*.js"],
      languageOptions: !isTyped
        ? { parser }
        : isNative
          ? nativeOptions(fixtures, files, folder)
          : { parser, parserOptions: { programs: [programOfCases()] } },
      plugins: { aftercommit: { rules: { rule: rule as never } } },
      rules: { "aftercommit/rule": ["error", ...options] },
      ...(settings === undefined ? {} : { settings: { aftercommit: settings } }),
    },
    { filename: path },
  );
  return messages.map((message) => ({
    file: path.slice(path.lastIndexOf("/") + 1),
    line: message.line,
    messageId: message.messageId ?? "fatal",
    message: message.message,
    suggestions: (message.suggestions ?? []).map((suggestion) => suggestion.fix.text),
    results: (message.suggestions ?? []).map(
      ({ fix }) => text.slice(0, fix.range[0]) + fix.text + text.slice(fix.range[1]),
    ),
  }));
}

function marksOf(path: string, isTyped: boolean): Pick<Lint, "file" | "line" | "messageId">[] {
  const lines = (files.get(path) ?? "").split("\n");
  return lines.flatMap((text, index) => {
    const [, words] = /\/\/ report\b(.*)$/.exec(text) ?? [];
    if (words === undefined || words.includes(isTyped ? " untyped" : " typed")) return [];
    const messageId = words.split(" ").find((word) => word !== "" && !/^(?:un)?typed$/.test(word)) ?? "dispatch";
    return [{ file: path.slice(path.lastIndexOf("/") + 1), line: index + 1, messageId }];
  });
}

function describeLines(lints: readonly Pick<Lint, "file" | "line" | "messageId">[]): string[] {
  return lints.map(({ file, line, messageId }) => `${file}:${String(line)} ${messageId}`).sort();
}

/** One program of all cases of a test file: the libraries are read once. */
function programOfCases(): ts.Program {
  if (!program || programOf !== testFile || programSize !== files.size) program = programOfFiles(files, folder);
  programOf = testFile;
  programSize = files.size;
  return program;
}
