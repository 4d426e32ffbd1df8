/**
 * Runs the tests of the rules once more on typescript-eslint's experimental native back end, installed into a folder of
 * its own, because beside it `tsc` would be another one: `npm run test:native`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const folder = join(root, "node_modules", ".cache", "native");
const dependencies = {
  "@typescript-eslint/parser": "8.74.0",
  "typescript-eslint": "8.74.0",
  typescript: "6.0.3",
  "@typescript/native": "npm:typescript@7.1.0-dev.20261021.1",
};

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
execFileSync(
  "npm",
  ["install", "--no-audit", "--no-fund", "--no-package-lock", "--legacy-peer-deps", "--loglevel=error"],
  { cwd: folder, stdio: "inherit" },
);
execFileSync(
  process.execPath,
  [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--maxWorkers=1",
    ...(process.argv.length > 2 ? process.argv.slice(2) : ["test/rules"]),
  ],
  { cwd: root, stdio: "inherit", env: { ...process.env, AFTERCOMMIT_NATIVE: folder } },
);
