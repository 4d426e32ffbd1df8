import { AsyncLocalStorage } from "node:async_hooks";
import type { TransactionScope } from "./transaction-scope.js";

/**
 * The innermost scope that the running code was started in, of whichever manager; it may have ended meanwhile. In a file
 * of its own, so that the declarations of the public face need no types of Node.
 */
export const ambient = new AsyncLocalStorage<TransactionScope>();

/** Runs a function as if the transactions around it were not there, so that what it opens is one of its own. */
export function outsideOfTransactions<R>(work: () => R): R {
  return ambient.exit(work);
}

/** Whether the running code was started in a transaction that is open, of whichever manager. */
export function inTransaction(): boolean {
  for (let scope = ambient.getStore(); scope !== undefined; scope = scope.parent ?? scope.enclosing) {
    if (scope.state === "open") return true;
  }
  return false;
}
