import { join } from "node:path";
import parser from "@typescript-eslint/parser";
import { ESLint } from "eslint";
import plugin from "eslint-plugin-aftercommit";
import { expect, test } from "vitest";

import { analyse } from "../../rules/dist/analysis/analysis.js";
import { knowledgeFor } from "../../rules/dist/settings.js";

/**
 * Questions asked of the type checker by all rules on the programs of `examples/`. Time is noise on a busy machine; this
 * is not. A change that asks less lowers the bound, one that must ask more raises it with a reason.
 */
const BOUND = 650;

test("the rules ask the type checker no more than they did", async () => {
  const folder = join(import.meta.dirname, "../../examples");
  const programs = new Set<{ readonly questions: number }>();
  const counter: ESLint.Plugin = {
    rules: {
      count: {
        create: (context) => ({
          "Program:exit"() {
            const { semantics } = analyse(context.sourceCode as never, context.filename, knowledgeFor(undefined));
            if ("questions" in semantics) programs.add(semantics as never);
          },
        }),
      },
    },
  };
  const eslint = new ESLint({
    cwd: folder,
    overrideConfigFile: true,
    overrideConfig: {
      files: ["**/*.ts"],
      languageOptions: { parser: parser, parserOptions: { projectService: true, tsconfigRootDir: folder } },
      plugins: { aftercommit: plugin, counter },
      rules: { ...plugin.configs.all.rules, "counter/count": "error" },
    },
  });
  const results = await eslint.lintFiles(["**/*.ts"]);
  expect(
    results.flatMap((result) => result.messages).filter((message) => message.ruleId?.startsWith("aftercommit/")).length,
  ).toBeGreaterThan(0);
  const asked = [...programs].reduce((sum, { questions }) => sum + questions, 0);
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(BOUND);
}, 60_000);
