import parser from "@typescript-eslint/parser";
import { Linter, type Rule } from "eslint";
import { expect, test } from "vitest";

import { noDispatchInTransaction } from "../../../rules/no-dispatch-in-transaction.js";
import { noEffectInRetriedTransaction } from "../../../rules/no-effect-in-retried-transaction.js";
import { noExternalEffectInTransaction } from "../../../rules/no-external-effect-in-transaction.js";

const rules = {
  dispatch: noDispatchInTransaction,
  effect: noExternalEffectInTransaction,
  retried: noEffectInRetriedTransaction,
} as unknown as Record<string, Rule.RuleModule>;

const code = `import axios from "axios"; import { Queue } from "bullmq"; import { MongoClient } from "mongodb";
const queue = new Queue("x"); const client = new MongoClient("x"); const events: string[] = [];
async function confirm() { await axios.post("/x", {}); await queue.add("mail", {}); }
export const place = () => client.startSession().withTransaction(async () => {
  await queue.add("mail", {});
  await axios.post("/x", {});
  await confirm();
  events.push("x");
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
    { filename: "place.ts" },
  );
  return messages.map(({ line, ruleId }) => `${String(line)} ${ruleId?.replace("aftercommit/", "") ?? "fatal"}`);
}

test.each([[["dispatch", "effect", "retried"]], [["retried", "effect", "dispatch"]]])(
  "each defect is reported once: %s",
  (on) => {
    expect(reported(on)).toEqual(["5 dispatch", "6 effect", "7 dispatch", "8 retried"]);
  },
);

test("where one rule is off, the next reports what is left", () => {
  expect(reported(["effect", "retried"])).toEqual(["5 retried", "6 effect", "7 effect", "8 retried"]);
  expect(reported(["dispatch", "retried"])).toEqual(["5 dispatch", "6 retried", "7 dispatch", "8 retried"]);
  expect(reported(["retried"])).toEqual(["5 retried", "6 retried", "7 retried", "8 retried"]);
});
