/** Statements that come again and again are prepared, and only those. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pgDatabase } from "../../src/databases/pg.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import { scopeOf } from "../../src/transaction-scope.js";
import { subjects } from "./subjects.js";

const available = subjects.find(({ name }) => name === "pg")?.available === true;

describe.skipIf(!available)("pg", () => {
  // One client, so that each test sees what the one before has prepared.
  const server = { host: "127.0.0.1", user: "postgres", database: "test", max: 1 };
  let pool: pg.Pool;

  beforeAll(() => {
    pool = new pg.Pool(server);
  });
  afterAll(() => pool.end());

  const prepared = async () => {
    const { rows } = await pool.query<{ statement: string }>("select statement from pg_prepared_statements ");
    return rows.map(({ statement }) => statement);
  };

  test("a pooler that knows no prepared statements can be served", async () => {
    const database = pgDatabase(pool, { prepare: false });
    await database.query("select $1::int as n", [1], { repeated: true });
    expect(await prepared()).toEqual([]);
  });

  test("a repeated statement is prepared once, inside and outside of transactions, and a rollback does not matter", async () => {
    const database = pgDatabase(pool);
    const transactions = createTransactionManager(database);
    const text = "select $1::int as n";
    const ask = async (n: number) => (await database.query(text, [n], { repeated: true })).rows;
    expect(await ask(1)).toEqual([{ n: 1 }]);
    await database.query("select $1::int as other", [1]);
    const failing = transactions.run(async (tx) => {
      await scopeOf(tx).query(text, [2], { repeated: true });
      await scopeOf(tx).query("select $1::int as inside", [2], { repeated: true });
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await ask(3)).toEqual([{ n: 3 }]);
    expect((await prepared()).sort()).toEqual(["select $1::int as inside", text]);
  });

  test("two databases on one pool do not disturb each other", async () => {
    const [one, other] = [pgDatabase(pool), pgDatabase(pool)];
    await one.query("select 1 as one", [], { repeated: true });
    await other.query("select 2 as other", [], { repeated: true });
    const { rows } = await other.query("select 1 as one", [], { repeated: true });
    expect(rows).toEqual([{ one: 1 }]);
  });

  test("texts with values in them do not fill the server's memory", async () => {
    await pool.end();
    pool = new pg.Pool(server);
    const database = pgDatabase(pool);
    for (let n = 0; n < 150; n += 1) await database.query(`select ${n} as n`, [], { repeated: true });
    expect((await prepared()).length).toBe(100);
  });
});
