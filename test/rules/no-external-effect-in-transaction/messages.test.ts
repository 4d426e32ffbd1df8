import parser from "@typescript-eslint/parser";
import { Linter, type Rule } from "eslint";
import { expect, test } from "vitest";

import { noExternalEffectInTransaction } from "../../../rules/no-external-effect-in-transaction.js";

function messages(code: string, options: object = {}): string[] {
  return new Linter()
    .verify(
      code,
      {
        files: ["**/*.ts"],
        languageOptions: { parser },
        plugins: { aftercommit: { rules: { effect: noExternalEffectInTransaction as unknown as Rule.RuleModule } } },
        rules: { "aftercommit/effect": ["error", options] },
      },
      { filename: "place.ts" },
    )
    .map(({ message }) => message);
}

test("the message says what happens, by which path, and what to do", () => {
  const code = `import Stripe from "stripe"; import knexLib from "knex"; const knex = knexLib({}); const stripe = new Stripe("k");
const charge = () => stripe.charges.create({ amount: 1, currency: "eur" });
export const place = () => knex.transaction(async () => { await charge(); });`;
  expect(messages(code)).toEqual([
    "`StripeResource.create` acts at the payment provider before the transaction of `Knex.transaction` (line 3) commits: a rollback does not take it back, and while it is waited for, rows stay locked. Path: charge → charges.create (place.ts:2). Do it after the commit, or write an outbox row in the transaction and do it from there.",
  ]);
});

test("the message says that it may happen again", () => {
  const code = `import axios from "axios"; import { MongoClient } from "mongodb"; const client = new MongoClient("x");
export const place = () => client.startSession().withTransaction(async () => { await axios.post("/x", {}); });`;
  expect(messages(code)[0]).toContain(
    "It happens again each time that `ClientSession.withTransaction` runs this code again.",
  );
});

test("requests that only read are reported where the option asks for it", () => {
  const code = `import axios from "axios"; import knexLib from "knex"; const knex = knexLib({});
async function price() { return axios.get("/price"); }
export const place = () => knex.transaction(async () => { await price(); await fetch("/x"); });`;
  expect(messages(code)).toEqual([]);
  expect(messages(code, { reads: true })).toEqual([
    "The transaction of `Knex.transaction` (line 3) stays open, with its connection and its locks, while `get` waits for another system. Path: price → axios.get (place.ts:2). Ask before the transaction begins, and pass the answer in.",
    "The transaction of `Knex.transaction` (line 3) stays open, with its connection and its locks, while `fetch` waits for another system. Ask before the transaction begins, and pass the answer in.",
  ]);
});
