/** docs/claims.md: every claim has its row, and every reference of a row leads to what it names. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import plugin from "eslint-plugin-aftercommit";
import { expect, test } from "vitest";
import { covers, namesIn } from "./guide/scenarios.js";

const docs = join(import.meta.dirname, "../docs");
const rows = readFileSync(join(docs, "claims.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| +\d+ +\|/.test(line))
  .map((line) => ({ number: Number(/\d+/.exec(line)?.[0]), line, links: linksOf(line) }));

function linksOf(line: string): { text: string; target: string }[] {
  return [...line.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, text = "", target = ""]) => ({ text, target }));
}

const read = (target: string) => readFileSync(join(docs, target), "utf8");

/** Names that the entries of the package export: those of adapters stand in their own files. */
const publicNames = new Set(
  ["index", "testing"].flatMap((entry) =>
    [...read(`../src/${entry}.ts`).matchAll(/export (?:type )?\{([^}]+)\}/g)].flatMap(([, names = ""]) =>
      names.split(",").map((name) => name.replace(/^\s*type /, "").trim()),
    ),
  ),
);

test("there is a row for each claim, once", () => {
  const numbers = rows.map(({ number }) => number).toSorted((a, b) => a - b);
  expect(numbers).toEqual(Array.from({ length: 185 }, (_, index) => index + 1));
});

test.each(rows)("claim $number has something that embodies it, or says that nothing does", ({ line, links }) => {
  if (links.length === 0) expect(line).toMatch(/\*\*not built\*\*: .{20,}/);
  // Pages and their anchors are looked up with the links of all pages, in test/guide/pages.test.ts.
  for (const { text, target } of links) {
    if (target.startsWith("rules/")) {
      expect(Object.keys(plugin.rules)).toContain(text);
    } else if (target.endsWith(".test.ts") && !text.startsWith('"')) {
      const names = namesIn(read(target));
      for (const id of scenariosOf(text)) expect(covers(names, id), `${id} in ${target}`).toBe(true);
    } else if (target.startsWith("../test/")) {
      expect(read(target)).toContain(text.slice(1, -1));
    } else if (target.startsWith("../src/")) {
      const name = text.replaceAll("`", "");
      expect(publicNames, `${name} is public`).toContain(name);
      expect(read(target)).toMatch(
        new RegExp(`^export (abstract )?(async )?(type|interface|class|function|const) ${name}\\b`, "m"),
      );
    }
  }
});

/** "LG-01 to LG-03, LG-05" are four. */
function scenariosOf(text: string): string[] {
  const found = text.split(", ").flatMap((part) => {
    const [, letters = "", from = "", to = from] = /^([A-Z]{2})-(\d\d)(?: to \1-(\d\d))?$/.exec(part) ?? [];
    if (letters === "")
      throw new Error(`"${part}" is no scenario; the words of a test's name stand in quotation marks.`);
    return Array.from(
      { length: Number(to) - Number(from) + 1 },
      (_, index) => `${letters}-${(Number(from) + index).toString().padStart(2, "0")}`,
    );
  });
  return found;
}
