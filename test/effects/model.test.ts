/**
 * Any sequence of deliveries, answers, passing time and people: what the record lets happen is what a small model lets
 * happen. Never is a service asked twice that nobody has allowed to be asked twice.
 */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { effectsDdl } from "../../src/effects/ddl.js";
import { NeedsReviewError } from "../../src/effects/effect-errors.js";
import type { Resolution } from "../../src/effects/effect-record.js";
import { createEffects, type Effects } from "../../src/effects/effects.js";
import { refused } from "../../src/effects/service.js";
import { idempotencyKey } from "../../src/idempotency-key.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import { betterSqlite3Subject } from "../databases/subjects/better-sqlite3.js";
import type { Opened } from "../databases/subjects.js";
import { statementsOf } from "../ledger/statements.js";

const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant("deliver" as const),
      answer: fc.constantFrom("yes" as const, "no" as const, "unclear" as const, "not sent" as const),
    }),
    fc.record({ do: fc.constant("time passes" as const) }),
    fc.record({
      do: fc.constant("resolve" as const),
      as: fc.constantFrom("done" as const, "refused" as const, "not sent" as const),
    }),
  ),
  { maxLength: 12 },
);

let opened: Opened;
let effects: Effects;
let orders = 0;

beforeAll(async () => {
  opened = await betterSqlite3Subject.open();
  for (const statement of statementsOf(effectsDdl("sqlite"))) await opened.database.query(statement);
  effects = createEffects({ transactions: createTransactionManager(opened.database) });
});
afterAll(() => opened.close());

const resolutions: Readonly<Record<Resolution["as"], Resolution>> = {
  done: { as: "done", result: "by a person" },
  refused: { as: "refused", reason: "by a person" },
  "not sent": { as: "not sent" },
};

test.each([true, false])("a service that takes keys: %j", async (takesKey) => {
  const service = takesKey
    ? effects.service("with keys", { timeout: 60, keysKeptFor: 3600 })
    : effects.service("without keys", { timeout: 60 });

  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const key = idempotencyKey("model", (orders += 1), takesKey ? "keyed" : "keyless");
      /** How many requests may have arrived since a person last said that none has. */
      let arrived = 0;
      let calls = 0;
      let model: "free" | "unknown" | "review" | "done" | "refused" = "free";
      /** Where it is decided: by what the handler gets. */
      let answer: unknown;

      for (const step of sequence) {
        if (step.do === "time passes") {
          await opened.database.query("update aftercommit_effects set open_until = ? where open_until is not null", [
            "2000-01-01 00:00:00.000",
          ]);
          if (model === "unknown") model = "review";
        } else if (step.do === "resolve") {
          expect(await effects.resolve(key, resolutions[step.as])).toBe(model === "review");
          if (model !== "review") continue;
          model = step.as === "not sent" ? "free" : step.as;
          answer = "by a person";
          arrived = 0;
        } else {
          const before = calls;
          const outcome: unknown = await service
            .call(key, { n: 1 }, () => {
              calls += 1;
              if (step.answer === "not sent") throw Object.assign(new Error("no"), { code: "ECONNREFUSED" });
              arrived += 1;
              if (step.answer === "unclear") throw new Error("cut");
              return step.answer === "yes" ? "by the service" : refused("by the service");
            })
            .catch((error: unknown) => error);
          const mayCall = model === "free" || (takesKey && model === "unknown");
          expect(calls - before).toBe(mayCall ? 1 : 0);
          if (!takesKey) expect(arrived).toBeLessThanOrEqual(1);
          if (!mayCall && (model === "unknown" || model === "review")) {
            expect(outcome).toBeInstanceOf(NeedsReviewError);
            continue;
          }
          if (mayCall) {
            if (step.answer === "unclear") model = takesKey ? "unknown" : "review";
            else if (step.answer === "yes") model = "done";
            else if (step.answer === "no") model = "refused";
            answer = "by the service";
          }
          if (model === "done") expect(outcome).toMatchObject({ outcome: "done", result: answer, repeated: !mayCall });
          if (model === "refused") expect(outcome).toMatchObject({ outcome: "refused", reason: answer });
        }
        const listed = (await effects.list({ limit: 100_000 })).some((record) => record.key === key);
        expect(listed).toBe(model === "review");
      }
    }),
    { numRuns: 300 },
  );
});
