import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ESLint } from "eslint";
import plugin from "eslint-plugin-aftercommit";
import { describe, expect, test } from "vitest";

const examples = join(import.meta.dirname, "../examples");
const programs = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .filter((name) => existsSync(join(examples, name, "wrong")));

describe.each(programs)("the program %s", (program) => {
  test("has each of the four mistakes where it is wrong", async () => {
    expect([...new Set(await reportedRules(`${program}/wrong`))].toSorted()).toEqual([
      "aftercommit/no-dispatch-in-transaction",
      "aftercommit/no-job-id-as-idempotency-key",
      "aftercommit/no-random-id-in-handler",
      "aftercommit/require-timeout-below-retry-after",
    ]);
  });

  test.each(["recommended", "all"] as const)("has none where it is right, by `%s`", async (preset) => {
    expect(await reportedRules(`${program}/right`, preset)).toEqual([]);
  });
});

async function reportedRules(
  folder: string,
  preset: "recommended" | "all" = "recommended",
): Promise<(string | null)[]> {
  const overrideConfig = { rules: plugin.configs[preset].rules ?? {} };
  const results = await new ESLint({ cwd: examples, overrideConfig }).lintFiles(folder);
  return results.flatMap(({ messages }) => messages.map(({ ruleId }) => ruleId));
}
