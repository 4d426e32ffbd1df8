import parser from "@typescript-eslint/parser";
import { Linter, type Rule } from "eslint";
import { expect, test } from "vitest";

import { noCheckThenInsert } from "../../../rules/no-check-then-insert.js";
import { noRandomIdInHandler } from "../../../rules/no-random-id-in-handler.js";

const rules = {
  "no-check-then-insert": noCheckThenInsert,
  "no-random-id-in-handler": noRandomIdInHandler,
} as unknown as Record<string, Rule.RuleModule>;

const code = `import { randomUUID } from "node:crypto"; import { PrismaClient } from "@prisma/client"; import { Worker } from "bullmq";
const prisma = new PrismaClient();
new Worker("users", async (job) => {
  const user = await prisma.user.findFirst({ where: { email: job.data.email } });
  if (user) return;
  const id = randomUUID();
  await prisma.user.create({ data: { id, email: job.data.email } });
});`;

function reported(on: readonly string[]): string[] {
  const messages = new Linter().verify(
    code,
    {
      files: ["**/*.ts"],
      languageOptions: { parser },
      plugins: { aftercommit: { rules } },
      rules: Object.fromEntries(on.map((name) => [`aftercommit/${name}`, "error" as const])),
    },
    { filename: "users.ts" },
  );
  return messages.map(({ line, ruleId }) => `${String(line)} ${ruleId?.replace("aftercommit/", "") ?? "fatal"}`);
}

test("an insert with an id by chance is reported at the id", () => {
  expect(reported(Object.keys(rules))).toEqual(["6 no-random-id-in-handler"]);
});

test("alone the rule reports it at the insert", () => {
  expect(reported(["no-check-then-insert"])).toEqual(["7 no-check-then-insert"]);
});
