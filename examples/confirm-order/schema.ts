import { integer, pgTable, serial, text, timestamp, uuid } from "drizzle-orm/pg-core";

export const orders = pgTable("orders", {
  id: uuid().primaryKey(),
  status: text({ enum: ["placed", "confirmed"] }).notNull(),
  paymentIntentId: text().notNull(),
  total: integer().notNull(),
  confirmedAt: timestamp(),
});

/** Where the relay looks for shipments that were asked for: one row an order, in the transaction of the order itself. */
export const shipmentRequests = pgTable("shipment_requests", {
  id: serial().primaryKey(),
  orderId: uuid().notNull().unique(),
  dispatchedAt: timestamp(),
});

/** Parcels that the carrier accepted. */
export const shipments = pgTable("shipments", {
  id: text().primaryKey(),
  orderId: uuid().notNull(),
  trackingCode: text().notNull(),
});
