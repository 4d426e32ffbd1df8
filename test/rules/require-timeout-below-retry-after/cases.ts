import { dirname, join } from "node:path";
import parser from "@typescript-eslint/parser";
import { RuleTester } from "@typescript-eslint/rule-tester";
import { Linter } from "eslint";
import { afterAll, describe, expect, it } from "vitest";

import { requireTimeoutBelowRetryAfter } from "../../../rules/require-timeout-below-retry-after.js";

RuleTester.afterAll = afterAll;
RuleTester.describe = describe;
RuleTester.it = it;

type Options = readonly [{ readonly margin?: boolean }?];
type MessageId = keyof typeof requireTimeoutBelowRetryAfter.meta.messages;

/** One case. Without `at` the code is right. */
export interface Case {
  readonly code: string;
  /** Text at which the report begins: it stands once in the code. */
  readonly at?: string;
  /** `tooLong` where nothing else is said. */
  readonly is?: MessageId;
  /** Texts that the message contains: the two values, and where they were set. */
  readonly says?: readonly string[];
  readonly options?: Options;
  /** Types of the library are not installed in the fixtures, or the form is one of plain JavaScript. */
  readonly only?: "untyped" | "typed";
  /** Where the file seems to stand. */
  readonly filename?: string;
}

const fixtures = join(import.meta.dirname, "../fixtures");
const testers = {
  typed: new RuleTester({
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: fixtures } },
  }),
  untyped: new RuleTester(),
};

/** Every case with types and without: a title → its cases by name. */
export function leaseCases(title: string, cases: Readonly<Record<string, Case>>): void {
  for (const mode of ["typed", "untyped"] as const) {
    const wanted = Object.entries(cases).filter(([, { only }]) => only === undefined || only === mode);
    testers[mode].run(`${title} (${mode})`, requireTimeoutBelowRetryAfter as never, {
      valid: wanted
        .filter(([, { at }]) => at === undefined)
        .map(([name, one]) => ({ name, code: one.code, filename: fileOf(one), ...optionsOf(one) })),
      invalid: wanted
        .filter(([, { at }]) => at !== undefined)
        .map(([name, one]) => ({
          name,
          code: one.code,
          filename: fileOf(one),
          ...optionsOf(one),
          errors: [{ messageId: one.is ?? "tooLong", ...placeIn(one.code, one.at ?? "") }],
        })),
    });
  }
  const said = Object.entries(cases).filter(([, { says }]) => says !== undefined);
  describe.runIf(said.length > 0)(`${title}: what is said`, () => {
    for (const [name, one] of said) {
      it(name, () => {
        const [message = ""] = messagesOf(one.code, one.options);
        for (const text of one.says ?? []) expect(message).toContain(text);
        expect(message).not.toContain("{{");
      });
    }
  });
}

/** The messages about a code that is linted without types. */
export function messagesOf(code: string, options: Options = [], filename = join(fixtures, "file.ts")): string[] {
  return new Linter({ cwd: dirname(filename) })
    .verify(
      code,
      [
        {
          files: ["**/*.*"],
          languageOptions: { parser: parser },
          plugins: { aftercommit: { rules: { rule: requireTimeoutBelowRetryAfter as never } } },
          rules: { "aftercommit/rule": ["error", ...(options as readonly unknown[])] },
        },
      ],
      { filename },
    )
    .map(({ message }) => message);
}

function fileOf({ filename }: Case): string {
  return filename ?? join(fixtures, "file.ts");
}

function optionsOf({ options }: Case): { options: Options } | object {
  return options === undefined ? {} : { options };
}

function placeIn(code: string, text: string): { line: number; column: number } {
  const at = code.indexOf(text);
  if (at === -1 || code.includes(text, at + 1)) throw new Error(`"${text}" has to stand once in:\n${code}`);
  const before = code.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
