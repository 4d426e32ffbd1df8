/** Generates the Prisma clients that tests of the Prisma adapter use, unless they are there. Needs no network. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../test/databases/prisma");
const prisma = createRequire(import.meta.url).resolve("prisma/build/index.js");
// There is a driver adapter below the client, so the engine that Prisma would download is never asked.
const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: "/bin/true", CHECKPOINT_DISABLE: "1" };

const schemas = readdirSync(folder)
  .filter((file) => file.endsWith(".prisma"))
  .map((file) => join(folder, file));
const stamp = join(folder, "generated/.prepared");
const hash = createHash("sha256");
for (const file of [...schemas, join(prisma, "../../package.json")]) hash.update(readFileSync(file)).update("\0");
const wanted = hash.digest("hex");
// `npm pack` comes here as well, while others may be reading what was generated.
if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) process.exit();

for (const schema of schemas) {
  const args = [prisma, "generate", `--schema=${schema}`, "--no-hints"];
  const { status, stderr, error } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  if (error) throw error;
  if (status !== 0) {
    console.error(stderr);
    process.exit(status ?? 1);
  }
}
writeFileSync(stamp, wanted);
