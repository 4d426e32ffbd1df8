import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import parser from "@typescript-eslint/parser";
import { ESLint } from "eslint";
import plugin from "eslint-plugin-aftercommit";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const examples = join(root, "examples");
const node24 = join(root, "node_modules/node/bin/node");
const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "aftercommit-oxlint-"));
  writeFileSync(
    join(folder, ".oxlintrc.json"),
    JSON.stringify({
      jsPlugins: [{ name: "aftercommit", specifier: join(root, "rules/dist/index.js") }],
      categories: { correctness: "off" },
      rules: plugin.configs.all.rules,
      settings: { aftercommit: { ambientTransaction: ["src/nowhere/**"] } },
    }),
  );
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

function linted(...paths: string[]): string[] {
  const { stdout, stderr } = spawnSync(
    node24,
    [oxlint, "--config", join(folder, ".oxlintrc.json"), "--format=json", ...paths],
    { cwd: root, encoding: "utf8" },
  );
  expect(stderr).toBe("");
  expect(stdout).not.toContain("Error running JS plugin");
  const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: readonly Diagnostic[] };
  return diagnostics
    .map(({ code, filename, labels }) => {
      const [, rule = code] = /\((.*)\)/.exec(code) ?? [];
      return `${relative(examples, resolve(root, filename))}:${String(labels[0]?.span.line)} ${rule}`;
    })
    .sort();
}

test("oxlint reports what ESLint reports without types, and nothing in the right programs", async () => {
  const eslint = new ESLint({
    cwd: examples,
    overrideConfigFile: true,
    overrideConfig: {
      files: ["**/*.ts"],
      languageOptions: { parser },
      plugins: { aftercommit: plugin },
      rules: plugin.configs.all.rules ?? {},
    },
  });
  const results = await eslint.lintFiles(["**/*.ts"]);
  const expected = results.flatMap(({ filePath, messages }) =>
    messages.map(
      ({ line, ruleId }) =>
        `${relative(examples, filePath)}:${String(line)} ${ruleId?.replace("aftercommit/", "") ?? "fatal"}`,
    ),
  );
  expect(expected.length).toBeGreaterThan(3);
  const found = linted(examples);
  expect(found).toEqual(expected.sort());
  expect(found.filter((line) => line.includes("/right/"))).toEqual([]);
});

test("an empty file, new syntax and JavaScript are linted, too", () => {
  writeFileSync(join(folder, "empty.ts"), "");
  writeFileSync(
    join(folder, "queue.js"),
    `import { Queue } from "bullmq"; import knexLib from "knex"; const queue = new Queue("x");
export const place = () => knexLib({}).transaction(async (trx) => { await queue.add("a", {}); });`,
  );
  writeFileSync(join(folder, "using.ts"), `class A { @c d() {} static { using file = open(); } }`);
  expect(linted(folder).map((line) => line.replace(/^.*\//, ""))).toEqual(["queue.js:2 no-dispatch-in-transaction"]);
});

test("each rule passes oxlint's own rule tester", () => {
  const out = execFileSync(node24, [join(import.meta.dirname, "rule-tester.ts")], { encoding: "utf8" });
  expect(out).toContain(`${String(2 * Object.keys(plugin.rules).length)} passed`);
});
