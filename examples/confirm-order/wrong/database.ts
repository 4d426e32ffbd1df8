import SQLite from "better-sqlite3";
import { Kysely, SqliteDialect } from "kysely";

interface Tables {
  readonly orders: { readonly id: string; readonly product: string; readonly status: "placed" | "confirmed" };
  readonly stock: { readonly product: string; readonly pieces: number };
  readonly shipments: { readonly id: string; readonly order_id: string; readonly tracking_code: string };
}

const database = new SQLite(process.env["DATABASE_FILE"]);

export const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
