import { randomUUID } from "node:crypto";
import type { Database } from "better-sqlite3";
import { tables as confirmTables } from "../../examples/confirm-order/tables.ts";
import { tables as pointTables } from "../../examples/grant-points/tables.ts";
import { tables as viewTables } from "../../examples/record-page-view/tables.ts";
import type { World } from "./broker.ts";

/** One business operation, which is to have one effect if its transaction commits, and none if not. */
export interface Operation {
  /** Stands in every message and request about it. */
  readonly id: string;
  readonly argument: unknown;
}

/** What the demo must know of a program to run it and to count what it did. */
export interface Program {
  readonly name: string;
  readonly title: string;
  readonly tables: string;
  readonly asks: { readonly file: string; readonly function: string };
  readonly worker: string;
  /** Puts into the database what the operation needs. `possible`: its transaction can commit. */
  readonly prepare: (db: Database, number: number, possible: boolean) => Operation;
  readonly isCommitted: (db: Database, operation: Operation) => boolean;
  /** How often the effect of an operation has happened. */
  readonly effects: (
    seen: { readonly db: Database; readonly world: World; readonly queue: string },
    operation: Operation,
  ) => number;
  /** Whether its job does something else when it comes before the commit. */
  readonly readsTheRow: boolean;
}

const count = (db: Database, sql: string, ...values: unknown[]) =>
  Number(
    db
      .prepare(sql)
      .pluck()
      .get(...values) ?? 0,
  );

export const programs: readonly Program[] = [
  {
    name: "confirm-order",
    title: "confirm an order: a parcel is booked",
    tables: confirmTables,
    asks: { file: "confirm-order", function: "confirmOrder" },
    worker: "request-shipment",
    readsTheRow: true,
    prepare(db, number, possible) {
      const id = randomUUID();
      const product = `product ${number.toString()}`;
      db.prepare("INSERT INTO stock (product, pieces) VALUES (?, ?)").run(product, possible ? 10 : 0);
      db.prepare("INSERT INTO orders (id, product) VALUES (?, ?)").run(id, product);
      return { id, argument: id };
    },
    isCommitted: (db, { id }) =>
      count(db, "SELECT count(*) FROM orders WHERE id = ? AND status = 'confirmed'", id) === 1,
    // Parcels are at the carrier, not in the database.
    effects: ({ world, queue }, { id }) => world.accepted(queue, id),
  },
  {
    name: "grant-points",
    title: "grant points: a balance rises",
    tables: pointTables,
    asks: { file: "confirm-order", function: "confirmOrder" },
    worker: "grant-points",
    readsTheRow: false,
    prepare(db, number, possible) {
      const id = randomUUID();
      const campaign = `campaign ${number.toString()}`;
      db.prepare("INSERT INTO campaign (name, points_left) VALUES (?, ?)").run(campaign, possible ? 1000 : 0);
      db.prepare("INSERT INTO point_balances (customer_id) VALUES (?)").run(number);
      db.prepare("INSERT INTO orders (id, customer_id, campaign, total) VALUES (?, ?, ?, 1000)").run(
        id,
        number,
        campaign,
      );
      return { id, argument: id };
    },
    isCommitted: (db, { id }) =>
      count(db, "SELECT count(*) FROM orders WHERE id = ? AND status = 'confirmed'", id) === 1,
    // A customer an order, and ten points each.
    effects: ({ db }, { id }) =>
      count(db, "SELECT balance FROM point_balances JOIN orders USING (customer_id) WHERE id = ?", id) / 10,
  },
  {
    name: "record-page-view",
    title: "record a page view: a count rises",
    tables: viewTables,
    asks: { file: "accept-page-view", function: "acceptPageView" },
    worker: "count-page-view",
    readsTheRow: false,
    prepare(db, _, possible) {
      const id = randomUUID();
      const page = `/pages/${id}`;
      if (possible) db.prepare("INSERT INTO pages (page) VALUES (?)").run(page);
      return { id, argument: { eventId: randomUUID(), page, day: "2026-10-09" } };
    },
    isCommitted: (db, { id }) => count(db, "SELECT count(*) FROM page_views WHERE page = ?", `/pages/${id}`) === 1,
    // A page a view.
    effects: ({ db }, { id }) => count(db, "SELECT views FROM daily_views WHERE page = ?", `/pages/${id}`),
  },
];
