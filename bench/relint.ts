/**
 * What the plugin adds while somebody types: one file of a checkout is changed and linted again, with types.
 *
 *   npm run bench:relint -- path/to/checkout path/in/it.ts
 *
 * Without and with the rules in turns, median of the runs.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ESLint } from "eslint";
import aftercommit from "eslint-plugin-aftercommit";
import tseslint from "typescript-eslint";

const RUNS = Number(process.env["RUNS"] ?? 15);
const [folder = ".", file = ""] = process.argv.slice(2);
const path = join(resolve(folder), file);
const text = readFileSync(path, "utf8");

const linterWith = (rules: object) =>
  new ESLint({
    cwd: resolve(folder),
    overrideConfigFile: true,
    overrideConfig: {
      files: ["**/*.ts"],
      languageOptions: {
        parser: tseslint.parser,
        parserOptions: { projectService: true, tsconfigRootDir: resolve(folder) },
      },
      plugins: { aftercommit },
      rules: { ...rules },
    },
  });
const linters = { without: linterWith({}), with: linterWith(aftercommit.configs.all.rules ?? {}) };
const taken: Record<keyof typeof linters, number[]> = { without: [], with: [] };

// the first rounds load the program and warm the code
for (let round = -5; round < RUNS; round++) {
  for (const name of ["without", "with"] as const) {
    const edited = `${text}\n// ${String(round)} ${name}\n`;
    const started = performance.now();
    await linters[name].lintText(edited, { filePath: path });
    if (round >= 0) taken[name].push(performance.now() - started);
  }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const [without, ours] = [median(taken.without), median(taken.with)];
console.log(
  `${String(text.split("\n").length)} lines, median of ${String(RUNS)}: ${without.toFixed(0)} ms without, ${ours.toFixed(0)} ms with the rules: ${(ours - without).toFixed(0)} ms more (target ≤ 20 ms)`,
);
