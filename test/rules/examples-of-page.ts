import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { messagesOf } from "./cases-of-files.js";

/** Lints the examples on a rule's page, so that they cannot rot. */
export function examplesOfPage(name: string, rule: unknown): void {
  const page = readFileSync(join(import.meta.dirname, `../../docs/rules/${name}.md`), "utf8");
  const blocksOf = (heading: string) => {
    const [, section = ""] = page.split(`### ${heading}\n`);
    return [...(section.split(/^##/m)[0] ?? "").matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code);
  };
  describe(`the page of ${name}`, () => {
    test.each(blocksOf("❌ Incorrect"))("shows wrong code that is reported: %s", (code) => {
      expect(messagesOf(rule, { "example.ts": code })).toHaveLength(1);
    });
    test.each(blocksOf("✅ Correct"))("shows right code that is not reported: %s", (code) => {
      expect(messagesOf(rule, { "example.ts": code })).toEqual([]);
    });
  });
}
