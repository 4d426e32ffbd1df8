/** The pages of docs/guide/migrating: each state of their programs compiles, and the linter says of it what they show. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { ESLint } from "eslint";
import ts from "typescript";
import tseslint from "typescript-eslint";
import { afterAll, describe, expect, test } from "vitest";
import plugin from "../../rules/index.js";
import { migrationPages } from "./blocks.js";
import { stepsOf } from "./steps.js";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "aftercommit-migrating-"));
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const { compilerOptions } = ts.readConfigFile(join(root, "tsconfig.base.json"), (file) => ts.sys.readFile(file))
  .config as { compilerOptions: object };
const options = {
  ...compilerOptions,
  noEmit: true,
  experimentalDecorators: true,
  paths: { aftercommit: [join(root, "src/index.ts")], "aftercommit/*": [join(root, "src/*.ts")] },
};
/** The linter sees the package as it is installed: declarations, not sources into which it could follow a call. */
const installed = {
  ...options,
  paths: { aftercommit: [join(root, "dist/index.d.ts")], "aftercommit/*": [join(root, "dist/*.d.ts")] },
};

describe.each(migrationPages)("%s", (page) => {
  const steps = stepsOf(page).map((step, index) => {
    const at = join(folder, page.replaceAll(/\W/g, "-"), index.toString());
    mkdirSync(at, { recursive: true });
    for (const [name, code] of step.files) {
      mkdirSync(dirname(join(at, name)), { recursive: true });
      writeFileSync(join(at, name), code);
    }
    writeFileSync(join(at, "tsconfig.json"), JSON.stringify({ compilerOptions: installed, include: ["**/*.ts"] }));
    return { ...step, at };
  });
  const sources = ({ at, files }: (typeof steps)[number]) =>
    [...files.keys()].filter((name) => name.endsWith(".ts")).map((name) => join(at, name));

  generatePrismaClients(steps);

  test("after each section the whole program compiles", () => {
    const parsed = ts.convertCompilerOptionsFromJson(options, folder);
    const program = ts.createProgram(steps.flatMap(sources), parsed.options);
    const wrong = ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
      const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1;
      const place = file === undefined ? "" : `${relative(folder, file.fileName)}:${line.toString()}`;
      return `${place} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
    expect(wrong).toEqual([]);
  });

  const told = steps.filter(({ reports }) => reports !== undefined);
  const last = steps.at(-1);

  test.each(told)("of $title the linter says what the page shows", async (step) => {
    expect(await reportsOn(step.at)).toBe(step.reports);
  });

  test("in the end the linter has nothing to say", async () => {
    expect(await reportsOn(last?.at ?? "")).toBe("");
  });
});

/** What `recommended` reports, a line each. */
async function reportsOn(cwd: string): Promise<string> {
  const eslint = new ESLint({
    cwd,
    overrideConfigFile: true,
    overrideConfig: {
      files: ["**/*.ts"],
      ignores: ["generated/**"],
      plugins: { aftercommit: plugin },
      rules: plugin.configs.recommended.rules ?? {},
      languageOptions: { parser: tseslint.parser, parserOptions: { projectService: true, tsconfigRootDir: cwd } },
    } as never,
  });
  const results = await eslint.lintFiles("**/*.ts");
  const reports = results.flatMap(({ filePath, messages }) =>
    messages.map(({ line, ruleId, message }) => [
      `${relative(cwd, filePath)}:${line.toString()}`,
      ruleId?.replace("aftercommit/", "") ?? message,
    ]),
  );
  const width = Math.max(0, ...reports.map(([place = ""]) => place.length)) + 2;
  return reports.map(([place = "", rule = ""]) => `${place.padEnd(width)}${rule}\n`).join("");
}

/** A client for each schema: the sections mostly share one. */
function generatePrismaClients(steps: readonly { at: string; files: ReadonlyMap<string, string> }[]): void {
  const name = "prisma/schema.prisma";
  const made = new Map<string, string>();
  for (const { at, files } of steps) {
    const schema = files.get(name);
    if (schema === undefined) continue;
    const before = made.get(schema);
    if (before !== undefined) {
      symlinkSync(join(before, "generated"), join(at, "generated"));
      continue;
    }
    const cli = createRequire(import.meta.url).resolve("prisma/build/index.js");
    // There is a driver adapter below the client, so the engine that Prisma would download is never asked.
    const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: "/bin/true", CHECKPOINT_DISABLE: "1" };
    const { status, stderr } = spawnSync(
      process.execPath,
      [cli, "generate", `--schema=${join(at, name)}`, "--no-hints"],
      { env, encoding: "utf8", cwd: at },
    );
    if (status !== 0) throw new Error(stderr);
    made.set(schema, at);
  }
}
