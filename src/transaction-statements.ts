import type { QueryResult } from "./databases/database.js";
import { insertOnce as insertOnceBy, type RowOnce } from "./insert-once.js";
import { scopeOf } from "./transaction-scope.js";
import type { Transaction } from "./transaction.js";

/**
 * Inserts a row of your own table unless its key is there, and says which it was: for tables that are a ledger and a
 * record of the business at once. Waits for a transaction that has inserted the same key and is still open. Any other
 * error of the row throws, and is never taken for "duplicate" (F13).
 *
 * @throws ConfigurationError outside a transaction, TransactionClosedError, and the driver's errors
 */
export async function insertOnce(tx: Transaction, row: RowOnce): Promise<"inserted" | "duplicate"> {
  const scope = scopeOf(tx);
  return insertOnceBy(scope, scope.database, row);
}

/**
 * Runs one statement in the transaction, the same way on every database, with the number of rows that it changed. For
 * code that is to run on several; elsewhere `tx.handle` is your own library.
 *
 * @param text SQL of the database, with its own placeholders: `$1` on PostgreSQL, `?` elsewhere
 * @throws ConfigurationError outside a transaction, TransactionClosedError, and the driver's errors
 */
export async function execute<Row = Record<string, unknown>>(
  tx: Transaction,
  text: string,
  values?: readonly unknown[],
): Promise<QueryResult<Row>> {
  return scopeOf(tx).query<Row>(text, values);
}
