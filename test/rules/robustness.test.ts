import { join } from "node:path";
import { Linter } from "eslint";
import plugin from "eslint-plugin-aftercommit";
import tseslint from "typescript-eslint";
import { expect, test } from "vitest";

import { filesBelow, lintAll } from "../../scripts/robustness.js";

/** Packages with much and varied code, sources and declarations, minified and generated. */
const packages = [
  "typescript-eslint",
  "@typescript-eslint",
  "eslint",
  "prettier",
  "@types/node",
  "vite",
  "fast-check",
  "knip",
];

test("no rule throws on code of packages that are installed anyway", () => {
  const files = packages.flatMap((name) => filesBelow(join(import.meta.dirname, "../../node_modules", name)));
  const everySecond = files.filter((_, index) => index % 2 === 0).slice(0, 400);
  const { throws, unparsed } = lintAll(everySecond);
  expect(throws).toEqual([]);
  expect(unparsed).toBeLessThan(everySecond.length / 2);
}, 120_000);

test("no rule throws on code that is being written", () => {
  const program = `import { Queue, Worker } from "bullmq";
import { randomUUID } from "node:crypto";
const queue = new Queue("a");
new Worker("a", async (job) => { await knex.transaction(async (trx) => { await queue.add(\`x\${job.id}\`, { id: randomUUID(), ...job.data }); }); }, { lockDuration: 30_000 });
class A { @Transactional() async b({ c = 1, ...d }: E, [f]: G[] = []) { for await (const h of this.i) queue?.["add"]?.("x", h!); } }`;
  const lengths = Array.from({ length: program.length }, (_, length) => length);
  for (const length of lengths)
    for (const rest of ["", ")", "}", "})", ";", "()", ".", "= {"]) lintText(program.slice(0, length) + rest);
}, 120_000);

test("a word as long as an embedded file costs no more than its length", () => {
  lintText(`import { Worker } from "bullmq"; import { randomUUID } from "node:crypto"; const wasm = "${"A".repeat(300_000)}";
new Worker("a", async (job) => { await prisma.order.create({ data: { id: randomUUID(), job } }); });`);
});

function lintText(text: string): void {
  new Linter({ configType: "flat" }).verify(
    text,
    {
      files: ["**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}"],
      languageOptions: { parser: tseslint.parser },
      plugins: { aftercommit: plugin },
      rules: plugin.configs.all.rules ?? {},
    },
    { filename: "file.ts" },
  );
}
