import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const src = join(import.meta.dirname, "../src");

/** The modules that importing `file` loads at run time, and what of other packages. */
function loaded(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, clause = "", specifier = ""] of text.matchAll(/^(?:import|export) ([^;]*?) from "([^"]+)";/gm)) {
    if (clause.startsWith("type ")) continue;
    if (specifier.startsWith(".")) loaded(join(dirname(file), specifier.replace(/\.js$/, ".ts")), seen);
    else seen.add(specifier);
  }
  return seen;
}

test("importing the package loads no adapter and no other package", () => {
  const names = [...loaded(join(src, "index.ts"))].map((file) => (existsSync(file) ? relative(src, file) : file));
  expect(names).toContain("transaction-manager.ts");
  const adapters = names.filter(
    (name) =>
      /^(?:databases|queues|locks|frameworks)\//.test(name) && !/\/(?:database|queues|lock-store|ddl)\.ts$/.test(name),
  );
  expect(adapters).toEqual([]);
  expect(names.filter((name) => !name.endsWith(".ts") && !name.startsWith("node:"))).toEqual([]);
});

const noLibrary = ["databases", "frameworks"]
  .flatMap((folder) => readdirSync(join(src, folder)).map((file) => `${folder}/${file}`))
  .filter((file) => file !== "frameworks/nestjs.ts");

test.each(noLibrary)("%s loads no package", (file) => {
  const packages = [...loaded(join(src, file))].filter((file) => !file.startsWith(src));
  expect(packages.filter((specifier) => !specifier.startsWith("node:"))).toEqual([]);
});

test.each([
  ["memory", []],
  ["pg-boss", []],
  ["graphile-worker", []],
  ["kafka", []],
  ["rabbitmq", []],
  ["sqs", []],
  ["bullmq", ["bullmq"]],
])("the adapter of %s loads no package but %j", (name, expected) => {
  const packages = [...loaded(join(src, `queues/${name}.ts`))].filter((file) => !file.startsWith(src));
  expect(packages.filter((specifier) => !specifier.startsWith("node:"))).toEqual(expected);
});

test("the Nest module loads what Nest itself consists of, and no more", () => {
  const packages = [...loaded(join(src, "frameworks/nestjs.ts"))].filter((file) => !file.startsWith(src));
  expect(packages.filter((specifier) => !specifier.startsWith("node:")).sort()).toEqual([
    "@nestjs/common",
    "@nestjs/core",
  ]);
});

test("telemetry loads the API of OpenTelemetry, and no more", () => {
  const packages = [...loaded(join(src, "opentelemetry.ts"))].filter((file) => !file.startsWith(src));
  expect(packages.filter((specifier) => !specifier.startsWith("node:"))).toEqual(["@opentelemetry/api"]);
});

test.each(["database", "dynamodb", "file", "memcached", "memory", "redis"])(
  "the locks in %s load no package",
  (name) => {
    const packages = [...loaded(join(src, `locks/${name}.ts`))].filter((file) => !file.startsWith(src));
    expect(packages.filter((specifier) => !specifier.startsWith("node:"))).toEqual([]);
  },
);
