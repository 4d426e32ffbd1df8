/** External effects: scenarios EX-01 to EX-11, with a carrier that answers over HTTP. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { effectsDdl } from "../../src/effects/ddl.js";
import {
  EffectNotRecordedError,
  EffectUnderWayError,
  NeedsReviewError,
  RequestChangedError,
} from "../../src/effects/effect-errors.js";
import { createEffects, type Effects } from "../../src/effects/effects.js";
import type { KeyedService, ReviewedService } from "../../src/effects/service.js";
import { ConfigurationError, InvalidKeyError } from "../../src/errors.js";
import { idempotencyKey, type IdempotencyKey } from "../../src/idempotency-key.js";
import { newJobId } from "../../src/job-id.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { driversAndMostUsed, type Opened } from "../databases/subjects.js";
import { statementsOf } from "../ledger/statements.js";
import { bookAt, type Parcel } from "./carrier.js";
import { closedUrl, Provider, type Conduct } from "./provider.js";

const order = (orderId: number, street = "Long Lane"): Parcel => ({ orderId, street });
const key = (orderId: number, version = 1) => idempotencyKey("request-shipment", orderId, version);
const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each(driversAndMostUsed)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: Opened;
    let transactions: TransactionManager;
    let provider: Provider;
    let effects: Effects;
    /** Takes keys, and forgets them after an hour. */
    let keyed: KeyedService;
    let keyless: ReviewedService;

    beforeAll(async () => {
      [opened, provider] = await Promise.all([subject.open(), Provider.start()]);
      transactions = createTransactionManager(opened.database);
      for (const statement of statementsOf(effectsDdl(opened.database.dialect))) await opened.database.query(statement);
    });
    beforeEach(async () => {
      await opened.database.query("delete from aftercommit_effects");
      provider.forget();
      effects = createEffects({ transactions });
      keyed = effects.service("payments", { timeout: 20, keysKeptFor: 3600 });
      keyless = effects.service("carrier", { timeout: 20 });
    });
    afterAll(async () => {
      provider.close();
      await opened.close();
    });

    const book = (service: KeyedService | ReviewedService, of: IdempotencyKey, parcel: Parcel) =>
      service.call(of, parcel, bookAt(provider.url, { withKey: service === keyed }));
    const state = async (of: IdempotencyKey) => {
      const { rows } = await opened.database.query<{ state: string }>(
        `select state from aftercommit_effects where operation_key = '${of}'`,
      );
      return rows[0]?.state;
    };
    /** A call to the service without keys that gets its answer later. */
    const callThatHangs = async () => {
      let arrived: () => void = () => undefined;
      let answer: (booked: { parcel: number }) => void = () => undefined;
      const calling = new Promise<void>((resolve) => (arrived = resolve));
      const first = keyless.call(key(1), order(1), () => {
        arrived();
        return new Promise<{ parcel: number }>((resolve) => (answer = resolve));
      });
      await Promise.race([calling, first]);
      return { first, answer };
    };
    const forReview = async () => (await effects.list()).map((record) => record.key);
    /** Makes a record as old as if its time had passed. */
    const timeIsOver = async (of: IdempotencyKey) => {
      const past = {
        postgres: "statement_timestamp() - interval '1 second'",
        mysql: "utc_timestamp(3) - interval 1 second",
        sqlite: "strftime('%Y-%m-%d %H:%M:%f', 'now', '-1 seconds')",
      }[opened.database.dialect];
      await opened.database.query(`update aftercommit_effects set open_until = ${past} where operation_key = '${of}'`);
    };

    describe("a service that takes keys", () => {
      test.each<Conduct>(["book and hang", "book and cut", "book and fail"])(
        "EX-01 %s: the retry sends the same key and body, and there is one shipment",
        async (conduct) => {
          provider.conduct.push(conduct);
          const impatient = effects.service("impatient", { timeout: 1.5, keysKeptFor: 3600 });
          const first = conduct === "book and hang" ? impatient : keyed;
          await expect(first.call(key(1), order(1), bookAt(provider.url, { withKey: true }))).rejects.toThrow();
          expect(await state(key(1))).toBe("unknown");
          expect(await forReview()).toEqual([]);
          expect(await book(keyed, key(1), order(1))).toEqual({
            outcome: "done",
            result: { parcel: 1 },
            repeated: false,
          });
          expect(provider.received).toHaveLength(2);
          expect(new Set(provider.received.map((received) => JSON.stringify(received))).size).toBe(1);
          expect(provider.booked).toEqual([key(1)]);
        },
      );

      test("EX-02, EX-08 the order asked for again is answered from the record, without a call", async () => {
        await book(keyed, key(1), order(1));
        expect(await book(keyed, key(1), order(1))).toEqual({
          outcome: "done",
          result: { parcel: 1 },
          repeated: true,
        });
        expect(provider.received).toHaveLength(1);
      });

      test("EX-03 two operations on one order have two keys, and happen both", async () => {
        await book(keyed, key(1, 1), order(1));
        await book(keyed, key(1, 2), order(1, "Short Street"));
        expect(provider.booked).toEqual([key(1, 1), key(1, 2)]);
      });

      test("EX-11 the same key with another body is refused before anything is sent", async () => {
        provider.conduct.push("book and cut");
        await errorOf(book(keyed, key(1), order(1)));
        const error = await errorOf(book(keyed, key(1), order(1, "Short Street")));
        expect(error).toBeInstanceOf(RequestChangedError);
        expect(error).toMatchObject({ code: "AFTERCOMMIT_REQUEST_CHANGED", state: "nothing written", key: key(1) });
        expect(provider.received).toHaveLength(1);
        // The order of members is no difference, and what is sent is what was written down.
        await book(keyed, key(1), { street: "Long Lane", orderId: 1 });
        expect(provider.received.map(({ body }) => body)).toEqual([
          '{"orderId":1,"street":"Long Lane"}',
          '{"orderId":1,"street":"Long Lane"}',
        ]);
      });

      test("once the service may have forgotten the key, nobody asks again and a person decides", async () => {
        provider.conduct.push("book and cut");
        await errorOf(book(keyed, key(1), order(1)));
        await timeIsOver(key(1));
        expect(await forReview()).toEqual([key(1)]);
        expect(await errorOf(book(keyed, key(1), order(1)))).toBeInstanceOf(NeedsReviewError);
        expect(provider.received).toHaveLength(1);
      });

      test("a refused connection after a call that may have arrived leaves it unknown, and the key as it is", async () => {
        provider.conduct.push("book and cut");
        await errorOf(book(keyed, key(1), order(1)));
        const nobody = await closedUrl();
        await errorOf(keyed.call(key(1), order(1), bookAt(nobody, { withKey: true })));
        expect(await state(key(1))).toBe("unknown");
        expect(await errorOf(book(keyed, key(1), order(1, "Short Street")))).toBeInstanceOf(RequestChangedError);
        await book(keyed, key(1), order(1));
        expect(provider.booked).toEqual([key(1)]);
      });
    });

    describe("a service without keys", () => {
      test.each<Conduct>(["book and hang", "book and cut", "book and fail"])(
        "EX-05 %s: unknown, no second call, listed for review",
        async (conduct) => {
          provider.conduct.push(conduct);
          const impatient = effects.service("impatient", { timeout: 1.5 });
          const call = () => impatient.call(key(1), order(1), bookAt(provider.url, { withKey: false }));
          for (let run = 1; run <= 3; run += 1) expect(await errorOf(call())).toBeInstanceOf(NeedsReviewError);
          expect(provider.booked).toHaveLength(1);
          expect(await effects.list()).toMatchObject([
            {
              key: key(1),
              service: "impatient",
              state: "unknown",
              needsReview: true,
              request: '{"orderId":1,"street":"Long Lane"}',
              lastError: expect.any(String) as string,
              calls: 1,
            },
          ]);
          expect(await effects.list({ service: "carrier" })).toEqual([]);
        },
      );

      test("EX-06 an intention without an answer is left alone while its time runs, and then unknown, not called", async () => {
        const { first, answer } = await callThatHangs();
        expect(await errorOf(book(keyless, key(1), order(1)))).toBeInstanceOf(EffectUnderWayError);
        expect(await state(key(1))).toBe("intended");
        expect(await forReview()).toEqual([]);
        await timeIsOver(key(1));
        expect(await forReview()).toEqual([key(1)]);
        expect(await errorOf(book(keyless, key(1), order(1)))).toBeInstanceOf(NeedsReviewError);
        expect(await state(key(1))).toBe("unknown");
        // Whoever has called knows best.
        answer({ parcel: 7 });
        expect(await first).toEqual({ outcome: "done", result: { parcel: 7 }, repeated: false });
        expect(await state(key(1))).toBe("done");
        expect(await forReview()).toEqual([]);
        expect(provider.received).toEqual([]);
      });

      test("EX-07 a refused connection, or an unknown host, is tried again, with another body where that is right", async () => {
        for (const url of [await closedUrl(), "http://nowhere.invalid/"]) {
          await expect(keyless.call(key(1), order(1), bookAt(url, { withKey: false }))).rejects.toThrow("fetch failed");
          expect(await state(key(1))).toBe("not sent");
        }
        expect(await forReview()).toEqual([]);
        expect(await book(keyless, key(1), order(1, "Short Street"))).toMatchObject({
          outcome: "done",
          repeated: false,
        });
        expect(provider.booked).toEqual(['{"orderId":1,"street":"Short Street"}']);
      });

      test("EX-08 done and refused are answered from the record, without a call", async () => {
        provider.conduct.push("answer", "refuse");
        for (const repeated of [false, true]) {
          expect(await book(keyless, key(1), order(1))).toEqual({ outcome: "done", result: { parcel: 1 }, repeated });
          expect(await book(keyless, key(2), order(2))).toEqual({
            outcome: "refused",
            reason: "no such street",
            repeated,
          });
        }
        expect(provider.received).toHaveLength(2);
      });

      test("EX-09 of eight workers at once one calls, the others stop at the unique row", async () => {
        const ends = await Promise.all(
          Array.from({ length: 8 }, () => book(keyless, key(1), order(1)).catch((error: unknown) => error)),
        );
        expect(provider.booked).toHaveLength(1);
        const called = ends.filter((end) => !(end instanceof EffectUnderWayError));
        expect(called).toContainEqual({ outcome: "done", result: { parcel: 1 }, repeated: false });
        // Who came late enough got the answer.
        for (const end of called) expect(end).toMatchObject({ outcome: "done", result: { parcel: 1 } });
      });

      test("of eight that try again after a refused connection, one calls", async () => {
        await errorOf(keyless.call(key(1), order(1), bookAt(await closedUrl(), { withKey: false })));
        await Promise.all(Array.from({ length: 8 }, () => errorOf(book(keyless, key(1), order(1)))));
        expect(provider.booked).toHaveLength(1);
      });
    });

    describe("what a person finds out", () => {
      const becomesUnknown = async (of: IdempotencyKey, orderId: number) => {
        provider.conduct.push("book and cut");
        await errorOf(book(keyless, of, order(orderId)));
      };

      test("done: the next run gets the result, without a call", async () => {
        await becomesUnknown(key(1), 1);
        expect(await effects.resolve(key(1), { as: "done", result: { parcel: 9 }, note: "seen in their portal" })).toBe(
          true,
        );
        expect(await book(keyless, key(1), order(1))).toEqual({
          outcome: "done",
          result: { parcel: 9 },
          repeated: true,
        });
        expect(provider.received).toHaveLength(1);
        expect(await effects.list({ state: "done" })).toMatchObject([{ key: key(1), note: "seen in their portal" }]);
      });

      test("done without a result, and refused", async () => {
        await becomesUnknown(key(1), 1);
        await becomesUnknown(key(2), 2);
        await effects.resolve(key(1), { as: "done" });
        await effects.resolve(key(2), { as: "refused", reason: "their system was down" });
        expect(await book(keyless, key(1), order(1))).toEqual({ outcome: "done", result: undefined, repeated: true });
        expect(await book(keyless, key(2), order(2))).toMatchObject({
          outcome: "refused",
          reason: "their system was down",
        });
        expect(await forReview()).toEqual([]);
      });

      test("not sent: the next run calls the service, once", async () => {
        await becomesUnknown(key(1), 1);
        await effects.resolve(key(1), { as: "not sent" });
        for (let run = 1; run <= 2; run += 1) {
          expect(await book(keyless, key(1), order(1))).toMatchObject({ outcome: "done", result: { parcel: 2 } });
        }
        expect(provider.received).toHaveLength(2);
      });

      test("only what waits for a person can be resolved, and once", async () => {
        await book(keyless, key(1), order(1));
        await becomesUnknown(key(2), 2);
        const refusal = { as: "refused", reason: "x" } as const;
        expect(await effects.resolve(key(1), refusal)).toBe(false);
        expect(await effects.resolve(key(3), refusal)).toBe(false);
        expect(await effects.resolve(key(2), { as: "not sent" })).toBe(true);
        expect(await effects.resolve(key(2), refusal)).toBe(false);
        expect(await state(key(1))).toBe("done");
      });

      test.each([
        ["not sent", { as: "not sent" }],
        ["refused", { as: "refused", reason: "not found there" }],
      ] as const)("an answer that comes after a person has said %s is not lost in silence", async (_, resolution) => {
        const { first, answer } = await callThatHangs();
        await timeIsOver(key(1));
        await effects.resolve(key(1), resolution);
        await book(keyless, key(1), order(1));
        answer({ parcel: 7 });
        const error = await errorOf(first);
        expect(error).toBeInstanceOf(EffectNotRecordedError);
        expect((error as Error).message).toContain("Look at both");
      });
    });

    test("EX-10 a call inside a transaction is refused before anything is written or sent", async () => {
      const error = await errorOf(transactions.run(() => book(keyless, key(1), order(1))));
      expect(error).toBeInstanceOf(ConfigurationError);
      expect((error as Error).message).toContain("inside a transaction");
      expect(provider.received).toEqual([]);
      expect(await state(key(1))).toBeUndefined();
    });

    test("EX-04 a job's id, or a text that is no key, is refused before anything is written or sent", async () => {
      for (const wrong of [newJobId(), "", "two words"]) {
        const error = await errorOf(book(keyless, wrong as unknown as IdempotencyKey, order(1)));
        expect(error).toBeInstanceOf(InvalidKeyError);
      }
      expect(provider.received).toEqual([]);
    });

    test("a result that JSON cannot say is done, and told", async () => {
      const error = await errorOf(keyless.call(key(1), order(1), () => 1n));
      expect(error).toBeInstanceOf(EffectNotRecordedError);
      expect(await state(key(1))).toBe("done");
    });

    test("a table that is missing is named before anything is sent", async () => {
      const elsewhere = createEffects({ transactions, table: "nowhere" }).service("carrier", { timeout: 5 });
      const error = await errorOf(elsewhere.call(key(1), order(1), bookAt(provider.url, { withKey: false })));
      expect((error as Error).message).toContain('"nowhere": there is no such table');
      expect((error as Error).message).toContain("CREATE TABLE nowhere");
      expect(provider.received).toEqual([]);
    });
  });
});
