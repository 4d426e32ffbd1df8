/**
 * Runs changesets for both packages. It looks for packages among the workspaces, and the root of the repository, which is
 * the package `aftercommit`, is none of them (npm would link it into its own node_modules): so it is one while this runs.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Manifest {
  version: string;
  workspaces: string[];
}

const root = join(import.meta.dirname, "..");
const path = (file: string): string => join(root, file);
const read = (file: string): Manifest => JSON.parse(readFileSync(path(file), "utf8")) as Manifest;
const setWorkspaces = (workspaces: string[]): void => {
  writeFileSync(path("package.json"), `${JSON.stringify({ ...read("package.json"), workspaces }, null, 2)}\n`);
};

const [command = "add", ...args] = process.argv.slice(2);
const { workspaces } = read("package.json");

// Ctrl-C in a prompt ends changesets; package.json is put right all the same.
process.on("SIGINT", () => undefined);
setWorkspaces([".", ...workspaces]);
const { status } = spawnSync(process.execPath, [path("node_modules/@changesets/cli/bin.js"), command, ...args], {
  cwd: root,
  stdio: "inherit",
});
setWorkspaces(workspaces);

if (status === 0 && command === "version") {
  for (const [manifest, module] of [
    ["package.json", "src/version.ts"],
    ["rules/package.json", "rules/version.ts"],
  ] as const) {
    const text = readFileSync(path(module), "utf8");
    writeFileSync(path(module), text.replace(/"[^"]*"/, JSON.stringify(read(manifest).version)));
  }
  spawnSync("npm", ["install", "--package-lock-only"], { cwd: root, stdio: "inherit" });
}
process.exitCode = status ?? 1;
