/**
 * Runs the suites of the database adapters once more on the oldest versions of their libraries that are supported,
 * installed into a folder of their own: `npm run test:oldest-libraries`. The newest are those of `devDependencies`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const folder = join(root, "node_modules", ".cache", "oldest-libraries");
const versions = {
  "@prisma/adapter-mariadb": "6.19.3",
  "@prisma/adapter-pg": "6.19.3",
  "@prisma/client": "6.19.3",
  "better-sqlite3": "13.2.0",
  "drizzle-orm": "0.36.4",
  knex: "3.0.1",
  kysely: "0.27.6",
  mariadb: "3.3.0",
  mysql2: "3.24.6",
  pg: "8.23.1",
  postgres: "3.4.0",
  prisma: "6.19.3",
  "reflect-metadata": "0.2.2",
  sequelize: "6.28.0",
  typeorm: "0.3.20",
};

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: versions }));
const npm = ["install", "--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
execFileSync("npm", [...npm, "--loglevel=error"], { cwd: folder, stdio: "inherit" });

for (const provider of ["postgresql", "mysql"]) {
  const schema = join(folder, `${provider}.prisma`);
  writeFileSync(
    schema,
    `generator client {
  provider   = "prisma-client"
  output     = "./generated/${provider}"
  engineType = "client"
}

datasource db {
  provider = "${provider}"
  url      = "none"
}

model Conformance {
  id Int @id

  @@map("conformance")
}
`,
  );
  const prisma = join(folder, "node_modules/prisma/build/index.js");
  execFileSync(process.execPath, [prisma, "generate", `--schema=${schema}`, "--no-hints"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    // There is a driver adapter below the client, so the engines that Prisma would download are never asked.
    env: {
      ...process.env,
      PRISMA_SCHEMA_ENGINE_BINARY: "/bin/true",
      PRISMA_QUERY_ENGINE_LIBRARY: "/bin/true",
      CHECKPOINT_DISABLE: "1",
    },
  });
}

const tests = ["test/databases/databases.test.ts", "test/databases/lost-connections.test.ts"];
execFileSync(
  process.execPath,
  [join(root, "node_modules/vitest/vitest.mjs"), "run", ...tests, ...process.argv.slice(2)],
  { cwd: root, stdio: "inherit", env: { ...process.env, AFTERCOMMIT_OLDEST_LIBRARIES: folder } },
);
