import parser from "@typescript-eslint/parser";
import { Linter, type Rule } from "eslint";
import { expect, test } from "vitest";

import { noJobIdAsIdempotencyKey } from "../../../rules/no-job-id-as-idempotency-key.js";
import { noRandomIdInHandler } from "../../../rules/no-random-id-in-handler.js";
import { noUnstableDedupKey } from "../../../rules/no-unstable-dedup-key.js";

const rules = {
  "no-job-id-as-idempotency-key": noJobIdAsIdempotencyKey,
  "no-random-id-in-handler": noRandomIdInHandler,
  "no-unstable-dedup-key": noUnstableDedupKey,
} as unknown as Record<string, Rule.RuleModule>;

const code = `import { Worker, Queue } from "bullmq"; import Stripe from "stripe"; import { randomUUID } from "node:crypto";
const stripe = new Stripe("sk"); const queue = new Queue("x"); const charge = { amount: 1, currency: "eur" };
new Worker("charges", async (job) => {
  await stripe.paymentIntents.create(charge, { idempotencyKey: randomUUID() });
  await stripe.paymentIntents.create(charge, { idempotencyKey: job.id });
  await queue.add("next", {}, { deduplication: { id: randomUUID() } });
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
    { filename: "charge.ts" },
  );
  return messages.map(({ line, ruleId }) => `${String(line)} ${ruleId?.replace("aftercommit/", "") ?? "fatal"}`);
}

test("each key is reported once", () => {
  expect(reported(Object.keys(rules))).toEqual([
    "4 no-random-id-in-handler",
    "5 no-job-id-as-idempotency-key",
    "6 no-unstable-dedup-key",
  ]);
});

test("alone the rule reports what is unstable in handlers too", () => {
  expect(reported(["no-unstable-dedup-key"])).toEqual(["4 no-unstable-dedup-key", "6 no-unstable-dedup-key"]);
});
