/**
 * Measures what the core weighs in somebody's bundle (`npm run size`), and fails when the number in the README is more
 * than 1 kB off, or when the core brings anything along. `--write` puts the number into the README.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");

/** The size of the core's part that these lines use, in kB, minified and gzipped. */
async function sizeOf(contents: string): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    target: "node20",
    write: false,
    metafile: true,
  });
  const foreign = Object.keys(metafile.inputs).filter((file) => file !== "<stdin>" && !file.startsWith("dist/"));
  if (foreign.length > 0) throw new Error(`the core brings along ${foreign.join(", ")}`);
  return gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length / 1000;
}

const sizes: readonly (readonly [string, number])[] = [
  ["all", await sizeOf('export * from "./dist/index.js"')],
  ["transactions", await sizeOf('export { createTransactionManager } from "./dist/index.js"')],
];

const file = join(root, "README.md");
let page = readFileSync(file, "utf8");
for (const [name, size] of sizes) {
  console.log(`${name}: ${size.toFixed(1)} kB, minified and gzipped`);
  const place = new RegExp(`(<!-- size:${name} -->)([\\d.]+)`);
  const stated = place.exec(page)?.[2];
  if (process.argv.includes("--write")) page = page.replace(place, `$1${Math.ceil(size).toString()}`);
  else if (stated === undefined || Math.abs(Number(stated) - size) > 1) {
    console.error(`README.md says ${stated ?? "nothing"}. Run: npm run size -- --write`);
    process.exitCode = 1;
  }
}
if (process.argv.includes("--write")) writeFileSync(file, page);
