import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createConsumer, ownVersions, pack, type Consumer, type PackageManager } from "./consumer.js";

const files = {
  "tsconfig.json": JSON.stringify({
    compilerOptions: { target: "es2023", module: "nodenext", strict: true, noEmit: true, types: [] },
  }),

  "wrong.ts": `
    import { Queue } from "bullmq";
    import { drizzle } from "drizzle-orm/node-postgres";

    const db = drizzle("postgres://localhost/shop");
    const queue = new Queue("mail", { connection: { host: "localhost" } });

    export async function confirm(orderId: string) {
      await db.transaction(async (tx) => {
        await tx.execute("update orders set status = 'confirmed'");
        await queue.add("confirmed", { orderId });
      });
    }
  `,

  "right.ts": `
    import { Queue } from "bullmq";
    import { drizzle } from "drizzle-orm/node-postgres";

    const db = drizzle("postgres://localhost/shop");
    const queue = new Queue("mail", { connection: { host: "localhost" } });

    export async function confirm(orderId: string) {
      await db.transaction(async (tx) => {
        await tx.execute("update orders set status = 'confirmed'");
      });
      await queue.add("confirmed", { orderId });
    }
  `,

  "esm.config.mjs": `
    import aftercommit from "eslint-plugin-aftercommit";
    import { defineConfig } from "eslint/config";
    import tseslint from "typescript-eslint";

    export default defineConfig({
      files: ["**/*.ts"],
      extends: [aftercommit.configs.recommended],
      languageOptions: { parser: tseslint.parser, parserOptions: { projectService: true } },
    });
  `,

  "commonjs.config.cjs": `
    const aftercommit = require("eslint-plugin-aftercommit");
    const { defineConfig } = require("eslint/config");
    const tseslint = require("typescript-eslint");

    module.exports = defineConfig({
      files: ["**/*.ts"],
      extends: [aftercommit.configs.recommended],
      languageOptions: { parser: tseslint.parser, parserOptions: { projectService: true } },
    });
  `,

  "untyped.config.mjs": `
    import aftercommit from "eslint-plugin-aftercommit";
    import tseslint from "typescript-eslint";

    export default [{ files: ["**/*.ts"], languageOptions: { parser: tseslint.parser } }, aftercommit.configs.recommended];
  `,

  "types.mts": `
    import aftercommit from "eslint-plugin-aftercommit";
    import { afterCommit, createTransactionManager, defineConnection, version, type Committed } from "aftercommit";
    import { drizzleDatabase } from "aftercommit/databases/drizzle";
    import { pgDatabase } from "aftercommit/databases/pg";
    import { memoryQueues } from "aftercommit/queues/memory";
    import { drizzle } from "drizzle-orm/node-postgres";
    import type { ESLint, Linter } from "eslint";

    export const plugin: ESLint.Plugin = aftercommit;
    export const presets: Linter.Config[] = [
      aftercommit.configs.recommended,
      aftercommit.configs.strict,
      aftercommit.configs.all,
    ];
    export const sentence: string = version;
    export const confirm = (pool: Parameters<typeof pgDatabase>[0]): Promise<Committed<number>> =>
      createTransactionManager(pgDatabase(pool)).run(() => 7);
    export const transactions = createTransactionManager(drizzleDatabase(drizzle("postgres://localhost/shop")));
    export const selected = transactions.run((tx) => tx.handle.execute("select 1"));
    export const connection = defineConnection({ queues: memoryQueues(), retryAfter: 90, delivery: afterCommit() });
  `,
};

/** The tests of a project that one package manager has made, with each ESLint. */
export function testConsumersOf(manager: PackageManager): void {
  describe.each(["eslint", "eslint9"] as const)(`a project made with ${manager}, %s`, (eslint) => {
    let folder: string;
    let consumer: Consumer;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "aftercommit-"));
      const [runtime, plugin, versions] = await Promise.all([pack(".", folder), pack("rules", folder), ownVersions()]);
      const version = (name: string): string => {
        const found = versions[name];
        if (found === undefined) throw new Error(`package.json has no ${name}`);
        return found.replace(/^npm:.*@/, "");
      };
      const devDependencies = {
        aftercommit: `file:${runtime}`,
        "eslint-plugin-aftercommit": `file:${plugin}`,
        eslint: version(eslint),
        ...Object.fromEntries(
          ["typescript", "typescript-eslint", "bullmq", "drizzle-orm", "pg", "@types/pg"].map((name) => [
            name,
            version(name),
          ]),
        ),
      };
      consumer = await createConsumer(join(folder, "consumer"), manager, devDependencies, files);
    });

    afterAll(async () => {
      await rm(folder, { recursive: true, force: true });
    });

    test.each(["esm.config.mjs", "commonjs.config.cjs", "untyped.config.mjs"])(
      "%s: the wrong file is reported, the right one is not",
      async (config) => {
        const { stdout, stderr } = await consumer.node(
          "node_modules/eslint/bin/eslint.js",
          `--config=${config}`,
          "--format=json",
          "wrong.ts",
          "right.ts",
        );
        expect(stdout, stderr).toMatch(/^\[/);
        const results = JSON.parse(stdout) as {
          filePath: string;
          messages: { ruleId: string | null; line: number }[];
        }[];
        expect(
          results.flatMap(({ filePath, messages }) =>
            messages.map(({ ruleId, line }) => `${basename(filePath)}:${line} ${ruleId ?? "fatal"}`),
          ),
        ).toEqual(["wrong.ts:11 aftercommit/no-dispatch-in-transaction"]);
      },
    );

    test("the packed command explains a file with the types of the project", async () => {
      const command = "node_modules/eslint-plugin-aftercommit/dist/cli/eslint-plugin-aftercommit.js";
      const { stdout, stderr } = await consumer.node(command, "explain", "--json", "wrong.ts");
      expect(stdout, stderr).toMatch(/^\[/);
      const [{ types, transactions, calls }] = JSON.parse(stdout) as [
        { types: { from: string }; transactions: { line: number }[]; calls: { line: number; runs: string }[] },
      ];
      expect(types).toEqual({ from: "project" });
      expect(transactions.map(({ line }) => line)).toEqual([9]);
      expect(calls.map(({ line, runs }) => `${String(line)} ${runs}`)).toEqual(["11 inside"]);
    });

    test.each([
      ["import", "--input-type=module", `import * as runtime from "aftercommit"; console.log(runtime.version)`],
      ["require", "--input-type=commonjs", `console.log(require("aftercommit").version)`],
      [
        "import the plugin",
        "--input-type=module",
        `import plugin from "eslint-plugin-aftercommit"; console.log(plugin.meta.version)`,
      ],
      ["require the plugin", "--input-type=commonjs", `console.log(require("eslint-plugin-aftercommit").meta.version)`],
    ])("%s", async (_how, type, code) => {
      const { stdout, stderr } = await consumer.node("--no-warnings", type, "-e", code);
      expect(stdout, stderr).toMatch(/^\d+\.\d+\.\d+/);
    });

    test("the types compile, with the types of libraries checked", async () => {
      const { stdout, stderr } = await consumer.node(
        "node_modules/typescript/bin/tsc",
        ...["--ignoreConfig", "--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "types.mts"],
      );
      const errors = stdout.split("\n").filter((line) => line.includes("error TS"));
      // What is wrong inside other packages is not ours to mend.
      expect(errors.filter((line) => !/^node_modules\/(?!(\.pnpm\/)?(eslint-plugin-)?aftercommit)/.test(line))).toEqual(
        [],
      );
      expect(stderr).toBe("");
    });
  });
}
