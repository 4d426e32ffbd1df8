/**
 * Installs the real libraries whose types the rule tests read (test/rules/fixtures) and generates the Prisma client there.
 * Does nothing when what it would install is already there.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const fixtures = join(import.meta.dirname, "../test/rules/fixtures");
const stamp = join(fixtures, "node_modules/.prepared");
const wanted = fingerprint(["package.json", "package-lock.json", "prisma/schema.prisma", "left-out/package.json"]);

if (existsSync(stamp) && existsSync(join(fixtures, "generated")) && readFileSync(stamp, "utf8") === wanted) {
  console.log("fixtures: up to date");
} else {
  const started = performance.now();
  console.log("fixtures: installing the libraries whose types the rule tests read (once, a few minutes)");
  run(...npm("ci", "--loglevel=error"));
  // Only types are wanted, so the engines that Prisma would download are replaced by a program that does nothing.
  run(
    process.execPath,
    ["node_modules/prisma/build/index.js", "generate", "--schema=prisma/schema.prisma", "--no-hints"],
    {
      PRISMA_SCHEMA_ENGINE_BINARY: "/bin/true",
      PRISMA_QUERY_ENGINE_LIBRARY: "/bin/true",
      CHECKPOINT_DISABLE: "1",
    },
  );
  writeFileSync(stamp, wanted);
  console.log(`fixtures: ready after ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

// our own package is one of the libraries; npm ci empties the folder, so the link is made each time
const own = join(fixtures, "node_modules/aftercommit");
if (!existsSync(own)) symlinkSync(join(import.meta.dirname, ".."), own, "junction");

function fingerprint(files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(join(fixtures, file))).update("\0");
  return hash.digest("hex");
}

/** The npm that runs us, or the one on the path when started by hand. */
function npm(...args: string[]): [string, string[]] {
  const npmCli = process.env["npm_execpath"];
  return npmCli?.endsWith(".js") === true ? [process.execPath, [npmCli, ...args]] : ["npm", args];
}

function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const { status, error } = spawnSync(command, args, {
    cwd: fixtures,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...env },
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
