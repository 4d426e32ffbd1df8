/**
 * Runs what the page of every rule shows once more on the oldest ESLint, typescript-eslint and TypeScript that the plugin supports,
 * installed into a folder of their own: `npm run test:oldest`. With arguments, other tests: `npm run test:oldest -- test/rules`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const folder = join(root, "node_modules", ".cache", "oldest");
/** typescript-eslint 8.46 is the first that takes TypeScript 5.9. */
const versions = {
  eslint: "9.0.0",
  "typescript-eslint": "8.46.0",
  "@typescript-eslint/parser": "8.46.0",
  typescript: "5.9.2",
};

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: versions }));
execFileSync("npm", ["install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"], {
  cwd: folder,
  stdio: "inherit",
});
console.log(
  `oldest: ${Object.entries(versions)
    .map((version) => version.join(" "))
    .join(", ")}`,
);
const given = process.argv.slice(2);
const isAsked = given.some((argument) => !argument.startsWith("-"));
const files = isAsked ? [] : ["documentation.test", "rules/settings.test", "rules/versions.test"];
execFileSync(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...files, ...given], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, AFTERCOMMIT_OLDEST: folder },
});
