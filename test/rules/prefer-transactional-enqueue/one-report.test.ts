import parser from "@typescript-eslint/parser";
import { Linter, type Rule } from "eslint";
import { expect, test } from "vitest";

import { noDispatchInTransaction } from "../../../rules/no-dispatch-in-transaction.js";
import { preferTransactionalEnqueue } from "../../../rules/prefer-transactional-enqueue.js";

const rules = {
  "no-dispatch-in-transaction": noDispatchInTransaction,
  "prefer-transactional-enqueue": preferTransactionalEnqueue,
} as unknown as Record<string, Rule.RuleModule>;

const code = `import { PgBoss } from "pg-boss"; import { Queue } from "bullmq"; import { makeWorkerUtils } from "graphile-worker"; import knexLib from "knex";
const boss = new PgBoss("x"); const queue = new Queue("x"); const knex = knexLib({}); const utils = await makeWorkerUtils({});
export const place = () => knex.transaction(async (trx) => {
  await boss.send("mail", {});
  await queue.add("mail", {});
  await utils.addJob("mail", {});
});`;

function reported(text: string, on: readonly string[]): string[] {
  const messages = new Linter().verify(
    text,
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

const both = ["4 prefer-transactional-enqueue", "5 no-dispatch-in-transaction", "6 prefer-transactional-enqueue"];

test("with both rules on each dispatch is reported once, by the one that says more", () => {
  expect(reported(code, ["no-dispatch-in-transaction", "prefer-transactional-enqueue"])).toEqual(both);
  expect(reported(code, ["prefer-transactional-enqueue", "no-dispatch-in-transaction"])).toEqual(both);
});

test("with one rule on nothing is lost that is its own", () => {
  expect(reported(code, ["no-dispatch-in-transaction"])).toEqual(
    [4, 5, 6].map((line) => `${String(line)} no-dispatch-in-transaction`),
  );
  expect(reported(code, ["prefer-transactional-enqueue"])).toEqual(
    [4, 6].map((line) => `${String(line)} prefer-transactional-enqueue`),
  );
});

test("a comment that switches the one off for the file leaves the report to the other", () => {
  const without = `/* eslint aftercommit/prefer-transactional-enqueue: off */ ${code}`;
  expect(reported(without, ["no-dispatch-in-transaction", "prefer-transactional-enqueue"])).toEqual(
    [4, 5, 6].map((line) => `${String(line)} no-dispatch-in-transaction`),
  );
});
