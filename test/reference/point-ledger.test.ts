/** The ledger of points that is there to be copied, on each of the databases that it names (F14). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DatabasePointLedger, GrantOrderPoints, type PointGrant } from "../../examples/reference/point-ledger.js";
import { pointTables } from "../../examples/reference/tables.js";
import { createTransactionManager, type TransactionManager } from "../../src/transaction-manager.js";
import { subjects, type Opened } from "../databases/subjects.js";

const named = subjects.filter(({ name }) => name !== "pglite");

describe.each(named)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: Opened;
    let transactions: TransactionManager;
    let points: GrantOrderPoints;
    let ledger: DatabasePointLedger;

    beforeAll(async () => {
      opened = await subject.open();
      transactions = createTransactionManager(opened.database);
      ledger = new DatabasePointLedger(opened.database.dialect);
      points = new GrantOrderPoints(transactions, ledger);
      for (const table of pointTables) await opened.database.query(table);
    });
    beforeEach(async () => {
      await opened.database.query("delete from point_grants");
      await opened.database.query("delete from point_balances");
      await opened.database.query("insert into point_balances values (1, 0)");
    });
    afterAll(() => opened.close());

    const grant = (changes: Partial<PointGrant> = {}): PointGrant => ({
      orderId: "o-1",
      reason: "order confirmed",
      customerId: 1,
      points: 10,
      ...changes,
    });
    const execute = async (changes: Partial<PointGrant> = {}) => (await points.execute(grant(changes))).value;
    const balance = async () => {
      const { rows } = await opened.database.query<{ balance: number }>("select balance from point_balances");
      return rows[0]?.balance;
    };
    const grants = async () => (await opened.database.query("select order_id from point_grants")).rows.length;

    test("LG-01 to LG-04 once for an order and a reason", async () => {
      expect(await execute()).toBe(true);
      expect(await execute()).toBe(false);
      expect(await execute({ orderId: "o-2" })).toBe(true);
      expect(await execute({ reason: "order returned", points: -10 })).toBe(true);
      expect(await balance()).toBe(10);
      expect(await grants()).toBe(3);
    });

    test("LG-05 what fails after the grant leaves neither the grant nor the points", async () => {
      const run = transactions.run(async (tx) => {
        await ledger.grantOnce(tx, grant());
        throw new Error("no");
      });
      await expect(run).rejects.toThrow("no");
      expect([await grants(), await balance()]).toEqual([0, 0]);
      expect(await execute()).toBe(true);
    });

    test("LG-10 of many at once, one grants", async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => execute()));
      expect(answers.filter((first) => first)).toHaveLength(1);
      expect(await balance()).toBe(10);
    });

    test("LG-11 many orders of one customer at once lose nothing", async () => {
      await Promise.all(Array.from({ length: 20 }, (_, order) => execute({ orderId: `o-${order.toString()}` })));
      expect(await balance()).toBe(200);
    });

    test("LG-12 a customer without a balance is an error, and no grant is recorded", async () => {
      await expect(execute({ customerId: 2 })).rejects.toThrow("customer 2 has no balance");
      expect(await grants()).toBe(0);
    });

    test("LG-13 the same grant with another amount is an error", async () => {
      await execute();
      await expect(execute({ points: 20 })).rejects.toThrow(/granted 10 points .* before, not 20/);
      expect(await balance()).toBe(10);
    });
  });
});
