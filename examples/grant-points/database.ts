import { drizzle } from "drizzle-orm/node-postgres";

export const db = drizzle(process.env["DATABASE_URL"] ?? "");

export type Transaction = Parameters<Parameters<typeof db.transaction>[0]>[0];

/** The project's own way to open a transaction, as most projects have one. */
export function withTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction(work);
}
