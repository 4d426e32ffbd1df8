import { integer, pgTable, primaryKey, serial, text, timestamp, uuid } from "drizzle-orm/pg-core";

export const orders = pgTable("orders", {
  id: uuid().primaryKey(),
  customerId: integer().notNull(),
  status: text({ enum: ["placed", "confirmed"] }).notNull(),
  total: integer().notNull(),
});

export const pointBalances = pgTable("point_balances", {
  customerId: integer().primaryKey(),
  balance: integer().notNull(),
});

/** The ledger of the wrong program: nothing in it says that two rows are the same grant. */
export const pointGrantsByRandomId = pgTable("point_grants_by_random_id", {
  id: uuid().primaryKey(),
  orderId: uuid().notNull(),
  points: integer().notNull(),
});

/** The ledger of the right program: an order is rewarded once for one reason, and the database says so. */
export const pointGrants = pgTable(
  "point_grants",
  {
    orderId: uuid().notNull(),
    reason: text({ enum: ["order confirmed"] }).notNull(),
    points: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.orderId, table.reason] })],
);

export const pointRequests = pgTable("point_requests", {
  id: serial().primaryKey(),
  orderId: uuid().notNull().unique(),
  customerId: integer().notNull(),
  points: integer().notNull(),
  dispatchedAt: timestamp(),
});
