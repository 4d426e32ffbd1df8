/** What counts as "was there already", on real databases (F13). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { insertOnce } from "../src/insert-once.js";
import { driversAndMostUsed, type Opened } from "./databases/subjects.js";

describe.each(driversAndMostUsed)("$name", (subject) => {
  describe.skipIf(!subject.available)("on its server", () => {
    let opened: Opened;

    beforeAll(async () => {
      opened = await subject.open();
      const { database } = opened;
      // The foreign key is in force on SQLite too: better-sqlite3 turns it on.
      await database.query("create table grant_orders (id integer not null primary key)");
      await database.query(
        `create table grants (
           order_id integer not null, reason varchar(20) not null, reference integer, points integer not null,
           constraint grants_key unique (order_id, reason), constraint grants_reference unique (reference),
           foreign key (order_id) references grant_orders (id), check (points > 0)
         )`,
      );
    });
    beforeEach(async () => {
      await opened.database.query("delete from grants");
      await opened.database.query("delete from grant_orders");
      await opened.database.query("insert into grant_orders values (1), (2)");
    });
    afterAll(() => opened.close());

    const grant = { order_id: 1, reason: "confirmed", reference: 10, points: 5 };
    const grantOnce = (values: Readonly<Record<string, unknown>>) =>
      insertOnce(opened.database, opened.database, {
        table: "grants",
        values: { ...grant, ...values },
        key: ["order_id", "reason"],
        keyName: "grants_key",
      });

    test("II-01, II-07 the second of two is the duplicate, whatever the driver counts", async () => {
      expect(await grantOnce({})).toBe("inserted");
      expect(await grantOnce({ reference: 11 })).toBe("duplicate");
      expect(await grantOnce({ reference: 12, reason: "refunded" })).toBe("inserted");
    });

    test.each([
      ["II-02 a conflict of another unique key", { order_id: 2 }],
      ["II-03 a foreign key", { order_id: 3, reference: 11 }],
      ["II-04 a null", { points: null, order_id: 2, reference: 11 }],
      ["II-05 a check", { points: 0, order_id: 2, reference: 11 }],
    ])("%s is an error, never a duplicate", async (_, values) => {
      await grantOnce({});
      await expect(grantOnce(values)).rejects.toThrow();
      const { rows } = await opened.database.query("select points from grants");
      expect(rows).toEqual([{ points: 5 }]);
    });

    test.skipIf(subject.name === "better-sqlite3")("II-06 a text that is too long is an error, not cut", async () => {
      await expect(grantOnce({ reason: "x".repeat(21) })).rejects.toThrow();
    });

    test.skipIf(subject.name === "better-sqlite3")(
      "II-09 two keys that are alike up to the column's width are errors, neither cut nor duplicates",
      async () => {
        await expect(grantOnce({ reason: `${"x".repeat(20)}a` })).rejects.toThrow();
        await expect(grantOnce({ reason: `${"x".repeat(20)}b`, reference: 11 })).rejects.toThrow();
        expect((await opened.database.query("select reason from grants")).rows).toEqual([]);
        expect(await grantOnce({ reason: "x".repeat(20) })).toBe("inserted");
      },
    );

    test.skipIf(subject.name === "better-sqlite3" || subject.name === "pglite")(
      "II-08 a second transaction waits for the first, and takes its place when that rolls back",
      async () => {
        const { database } = opened;
        const row = { table: "grants", values: grant, key: ["order_id", "reason"], keyName: "grants_key" };
        for (const end of ["commit", "rollback"] as const) {
          const [first, second] = [await database.begin(), await database.begin()];
          expect(await insertOnce(first, database, row)).toBe("inserted");
          const waiting = insertOnce(second, database, row);
          await first[end]();
          expect(await waiting).toBe(end === "commit" ? "duplicate" : "inserted");
          await second.rollback();
          for (const connection of [first, second]) connection.release(false);
          await database.query("delete from grants");
        }
      },
    );

    test.skipIf(subject.name !== "pg")("II-11 a conflict under repeatable read can be tried again", async () => {
      const { database } = opened;
      const connection = await database.begin({ isolation: "repeatable read" });
      await connection.query("select 1 from grants");
      await grantOnce({});
      const row = { table: "grants", values: grant, key: ["order_id", "reason"], keyName: "grants_key" };
      const error: unknown = await insertOnce(connection, database, row).catch((reason: unknown) => reason);
      expect(database.failure(error)).toEqual({ kind: "retryable" });
      await connection.rollback();
      connection.release(false);
    });
  });
});
