import { randomUUID } from "node:crypto";
import { execute, insertOnce, type Committed, type Transaction, type TransactionManager } from "aftercommit";
import { z } from "zod";

/** The payload of the job. Both values are made by the server when the view is accepted, and travel in the job. */
export const pageView = z.object({ eventId: z.uuid(), day: z.iso.date() });
export type PageView = z.output<typeof pageView>;

/**
 * Accepts a view: the only place where its identity and its day are made. A handler that made them would count each
 * retry as another view, and one after midnight for another day.
 *
 * @param at the instant of the view
 * @param timeZone whose days are counted, such as "Asia/Seoul"; not that of the server
 */
export function acceptPageView(at: Date, timeZone: string): PageView {
  return { eventId: randomUUID(), day: dayIn(timeZone, at) };
}

function dayIn(timeZone: string, at: Date): string {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  const part = (type: string) => format.formatToParts(at).find((one) => one.type === type)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}`;
}

export class RecordPageView {
  readonly #transactions: TransactionManager;

  constructor(transactions: TransactionManager) {
    this.#transactions = transactions;
  }

  /** @returns whether this call counted the view; however often it is delivered, one does */
  execute(view: PageView): Promise<Committed<boolean>> {
    return this.#transactions.run((tx) => this.#record(tx, view), { attempts: 5 });
  }

  async #record(tx: Transaction, { eventId, day }: PageView): Promise<boolean> {
    const event = await insertOnce(tx, {
      table: "processed_view_events",
      values: { event_id: eventId },
      key: ["event_id"],
      keyName: "PRIMARY",
    });
    if (event === "duplicate") return false;
    await execute(tx, countView[this.#transactions.database.dialect], [day]);
    return true;
  }
}

/**
 * One statement that inserts the day or adds to it. "Insert the day if it is missing, then add one" takes two locks on
 * MySQL, and two views of one day then wait for each other: a deadlock in ordinary traffic.
 */
const countView = {
  postgres:
    "INSERT INTO daily_metrics (day, views) VALUES ($1, 1) ON CONFLICT (day) DO UPDATE SET views = daily_metrics.views + 1",
  mysql: "INSERT INTO daily_metrics (day, views) VALUES (?, 1) ON DUPLICATE KEY UPDATE views = views + 1",
  sqlite: "INSERT INTO daily_metrics (day, views) VALUES (?, 1) ON CONFLICT (day) DO UPDATE SET views = views + 1",
};
