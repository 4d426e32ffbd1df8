/** Lints the programs of examples/ with the plugin and shows what a user sees. The reports are the point: they are no failure. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { styleText } from "node:util";
import { ESLint } from "eslint";

const examples = join(import.meta.dirname, "../examples");
const programs = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

const eslint = new ESLint({ cwd: examples });
const formatter = await eslint.loadFormatter("stylish");

for (const program of programs) {
  for (const version of ["wrong", "right"]) {
    const results = await eslint.lintFiles(`${program}/${version}`);
    const files = `${results.length.toString()} ${results.length === 1 ? "file" : "files"}`;
    console.log(styleText("bold", `\n▌ examples/${program}/${version} (${files})`));
    console.log((await formatter.format(results)) || "\n  nothing to report");
  }
}
