import SQLite from "better-sqlite3";
import { Kysely, SqliteDialect, type Transaction } from "kysely";

interface Tables {
  readonly campaign: { readonly name: string; readonly points_left: number };
  readonly orders: {
    readonly id: string;
    readonly customer_id: number;
    readonly campaign: string;
    readonly total: number;
    readonly status: "placed" | "confirmed";
  };
  readonly point_balances: { readonly customer_id: number; readonly balance: number };
  readonly point_grants: { readonly id: string; readonly order_id: string; readonly points: number };
}

const database = new SQLite(process.env["DATABASE_FILE"]);
const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });

/** The project's own way to open a transaction, as most projects have one. */
export function withTransaction<T>(work: (trx: Transaction<Tables>) => Promise<T>): Promise<T> {
  return db.transaction().execute(work);
}
