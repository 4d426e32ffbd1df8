/** Programs let their library rename columns. That is for their statements; those of this package read their own names. */
import knex, { type Knex } from "knex";
import { CamelCasePlugin, Kysely, PostgresDialect, type Transaction as KyselyTransaction } from "kysely";
import { expect, test } from "vitest";
import { knexDatabase } from "../../src/databases/knex.js";
import { kyselyDatabase } from "../../src/databases/kysely.js";
import { createTransactionManager } from "../../src/transaction-manager.js";
import { execute } from "../../src/transaction-statements.js";
import { listenedPgPool, onPostgres, pgInUse, type Subject } from "./subjects/subject.js";

interface Renamed {
  readonly mappedOrders: { readonly orderId: number };
}

const notUsed = () => Promise.reject(new Error("not used"));

/** As `knexSnakeCaseMappers` of Objection does it. */
const renamed = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => [
      name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );

const cases: readonly { readonly subject: Subject; readonly own: (handle: unknown) => PromiseLike<unknown> }[] = [
  {
    subject: onPostgres("knex", ({ schema, max, ...connection }) => {
      const db = knex({
        client: "pg",
        connection,
        searchPath: [schema],
        pool: { min: 0, max },
        postProcessResponse: (result: unknown) => (Array.isArray(result) ? result.map(renamed) : result),
      });
      return { database: knexDatabase(db), on: notUsed, inUse: () => 0, close: () => db.destroy() };
    }),
    own: (handle) => (handle as Knex.Transaction)("mapped_orders").select("order_id"),
  },
  {
    subject: onPostgres("kysely", (place) => {
      const pool = listenedPgPool(place);
      const db = new Kysely<Renamed>({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] });
      return { database: kyselyDatabase(db), on: notUsed, inUse: () => pgInUse(pool), close: () => db.destroy() };
    }),
    own: (handle) => (handle as KyselyTransaction<Renamed>).selectFrom("mappedOrders").select("orderId").execute(),
  },
];

test.each(cases.filter(({ subject }) => subject.available))("$subject.name", async ({ subject, own }) => {
  const opened = await subject.open();
  const { database } = opened;
  try {
    await database.query("create table mapped_orders (order_id integer)");
    await createTransactionManager(database).run(async (tx) => {
      await execute(tx, "insert into mapped_orders values ($1)", [7]);
      expect(await own(tx.handle)).toEqual([{ orderId: 7 }]);
      const { rows } = await execute(tx, "select order_id from mapped_orders");
      expect(rows).toEqual([{ order_id: 7 }]);
    });
    expect((await database.query("select order_id from mapped_orders")).rows).toEqual([{ order_id: 7 }]);
  } finally {
    await opened.close();
  }
});
