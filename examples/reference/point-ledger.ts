import { execute, insertOnce, type Committed, type Transaction, type TransactionManager } from "aftercommit";

/** What is granted, decided when the order was confirmed: a retry must not compute it again. */
export interface PointGrant {
  readonly orderId: string;
  readonly reason: "order confirmed" | "order returned";
  readonly customerId: number;
  readonly points: number;
}

/** What the use case knows. An order is rewarded once for one reason, whoever asks: a job, a person, a command. */
export interface PointLedger {
  /** @returns true when this call granted the points, false when they were granted before */
  grantOnce(tx: Transaction, grant: PointGrant): Promise<boolean>;
}

export class GrantOrderPoints {
  readonly #transactions: TransactionManager;
  readonly #ledger: PointLedger;

  constructor(transactions: TransactionManager, ledger: PointLedger) {
    this.#transactions = transactions;
    this.#ledger = ledger;
  }

  execute(grant: PointGrant): Promise<Committed<boolean>> {
    // A deadlock or a serialization failure costs an attempt of the transaction, not one of the job.
    return this.#transactions.run((tx) => this.#ledger.grantOnce(tx, grant), { attempts: 5 });
  }
}

export class DatabasePointLedger implements PointLedger {
  readonly #parameter: (index: number) => string;

  /** @param dialect of the database; keep the placeholders of yours when you copy this */
  constructor(dialect: "postgres" | "mysql" | "sqlite") {
    this.#parameter = dialect === "postgres" ? (index) => `$${index.toString()}` : () => "?";
  }

  async grantOnce(tx: Transaction, grant: PointGrant): Promise<boolean> {
    const { orderId, reason, customerId, points } = grant;

    // First the record: the unique key stops the second one here, also while the first is not committed yet.
    const record = await insertOnce(tx, {
      table: "point_grants",
      values: { order_id: orderId, reason, customer_id: customerId, points },
      key: ["order_id", "reason"],
      keyName: "point_grants_once",
    });
    if (record === "duplicate") {
      await this.#assertSame(tx, grant);
      return false;
    }

    // Then the effect, in the same transaction: neither is ever stored without the other.
    const p = this.#parameter;
    const { affectedRows } = await execute(
      tx,
      `UPDATE point_balances SET balance = balance + ${p(1)} WHERE customer_id = ${p(2)}`,
      [points, customerId],
    );
    // An UPDATE that finds no row is no error for a database; the points would be gone.
    if (affectedRows !== 1) throw new Error(`customer ${customerId.toString()} has no balance`);
    return true;
  }

  /** The same operation with another amount is a mistake that must not pass for "done before". */
  async #assertSame(tx: Transaction, { orderId, reason, customerId, points }: PointGrant): Promise<void> {
    const p = this.#parameter;
    const { rows } = await execute<{ customer_id: number; points: number }>(
      tx,
      `SELECT customer_id, points FROM point_grants WHERE order_id = ${p(1)} AND reason = ${p(2)}`,
      [orderId, reason],
    );
    const [stored] = rows;
    // None: committed after the snapshot of this transaction (MySQL), so there is nothing to compare with.
    if (stored === undefined || (stored.customer_id === customerId && stored.points === points)) return;
    throw new Error(
      `order ${orderId} was granted ${stored.points.toString()} points for "${reason}" before, not ${points.toString()}`,
    );
  }
}
