/** Generates the Prisma clients that tests of the Prisma adapter use. Quick, and needs no network. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../test/databases/prisma");
const prisma = createRequire(import.meta.url).resolve("prisma/build/index.js");
// There is a driver adapter below the client, so the engine that Prisma would download is never asked.
const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: "/bin/true", CHECKPOINT_DISABLE: "1" };

for (const schema of readdirSync(folder).filter((file) => file.endsWith(".prisma"))) {
  const args = [prisma, "generate", `--schema=${join(folder, schema)}`, "--no-hints"];
  const { status, stderr, error } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  if (error) throw error;
  if (status !== 0) {
    console.error(stderr);
    process.exit(status ?? 1);
  }
}
