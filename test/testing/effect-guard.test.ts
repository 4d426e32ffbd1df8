/** Effects that leave the process while a transaction is open throw; after the commit they do not. */
import http, { get } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ConfigurationError } from "../../src/errors.js";
import { EffectInTransactionError, guardTransactions, type EffectGuard } from "../../src/testing.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { subjects, type Opened } from "../databases/subjects.js";

const original = { fetch: globalThis.fetch, request: http.request };
let guard: EffectGuard;
let calls = 0;
let url: string;
const server = http.createServer((_request, response) => {
  calls += 1;
  response.end("{}");
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port.toString()}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => {
  guard.stop();
  calls = 0;
});

const byRequest = (target: string) =>
  new Promise<void>((resolve, reject) => {
    get(target, (response) => {
      response.resume();
      response.on("end", resolve);
    }).on("error", reject);
  });

const named = subjects.filter(({ name }) => name === "pg" || name === "better-sqlite3");

describe.each(named)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: Opened;
    let transactions: TransactionManager;
    beforeAll(async () => {
      opened = await subject.open();
      transactions = createTransactionManager(opened.database);
    });
    afterAll(() => opened.close());

    test.each<[string, () => unknown, string]>([
      ["fetch", () => fetch(`${url}/charges`, { method: "post" }), "POST"],
      ["an imported http.get", () => byRequest(`${url}/charges`), "GET"],
      [
        "http.request with options",
        () => http.request({ port: new URL(url).port, host: "127.0.0.1", path: "/charges" }),
        "GET",
      ],
    ])("EX-10 %s throws in a transaction, and in a savepoint", async (_name, effect, method) => {
      guard = guardTransactions();
      for (const run of [
        () => transactions.run(() => effect()),
        () => transactions.run((tx) => tx.savepoint(() => effect())),
      ]) {
        const error: unknown = await run().catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(EffectInTransactionError);
        expect(error).toMatchObject({
          code: "AFTERCOMMIT_EFFECT_IN_TRANSACTION",
          effect: `${method} ${url}/charges`,
        });
      }
      expect(calls).toBe(0);
    });

    test("outside of a transaction and after the commit nothing is in the way", async () => {
      guard = guardTransactions();
      await fetch(url);
      await transactions.run((tx) => {
        tx.afterCommit(() => fetch(url));
      });
      await byRequest(url);
      expect(calls).toBe(3);
    });

    test("what is allowed passes, and `report` only tells", async () => {
      guard = guardTransactions({ allow: [url] });
      await transactions.run(() => fetch(url));
      guard.stop();
      const reported: string[] = [];
      guard = guardTransactions({ report: ({ effect }) => reported.push(effect) });
      await transactions.run(() => fetch(`${url}/a`));
      expect(reported).toEqual([`GET ${url}/a`]);
      expect(calls).toBe(2);
    });

    test("a client's method is guarded as it is asked for", async () => {
      class Mailer {
        readonly #sent: string[] = [];
        send(to: string) {
          return this.#sent.push(to);
        }
      }
      const mailer = new Mailer();
      guard = guardTransactions();
      guard.watch(mailer, "send");
      expect(mailer.send("a")).toBe(1);
      await expect(transactions.run(() => mailer.send("b"))).rejects.toThrow(/^`Mailer\.send` was called while/);
      guard.stop();
      expect((await transactions.run(() => mailer.send("c"))).value).toBe(2);
      expect(() => {
        guard.watch({ n: 1 }, "n");
      }).toThrow(ConfigurationError);
    });
  });
});

test("stop puts back what was there, and there is one guard at a time", () => {
  guard = guardTransactions();
  expect(() => guardTransactions()).toThrow(ConfigurationError);
  expect(http.request).not.toBe(original.request);
  guard.stop();
  expect([globalThis.fetch, http.request]).toEqual([original.fetch, original.request]);
});
