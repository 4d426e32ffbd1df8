import type { Database, Executor, QueryResult } from "../databases/database.js";
import { placed, words, type Sql, type Words } from "./outbox-sql.js";

/** How often a statement is tried that the database itself says may succeed when it is run again. */
const attempts = 5;

/** Runs statements on an outbox's table, each as a short transaction of its own. */
export class OutboxStatements {
  readonly database: Database;
  readonly table: string;
  readonly words: Words;

  constructor(database: Database, table: string) {
    this.database = database;
    this.table = table;
    this.words = words[database.dialect];
  }

  /** Runs a statement that ends with conditions; answers how many rows it changed. */
  async change(start: Sql | string, ...conditions: readonly (Sql | string)[]): Promise<number> {
    const parts = [start, ...conditions].map((part) => (typeof part === "string" ? { text: part, values: [] } : part));
    const [head, ...rest] = parts.map(({ text }) => text);
    const { affectedRows } = await this.query({
      text: `${head ?? ""} WHERE ${rest.join(" AND ")}`,
      values: parts.flatMap(({ values }) => values),
    });
    return affectedRows;
  }

  query<Row>({ text, values }: Sql): Promise<QueryResult<Row>> {
    const executor: Executor = this.database;
    // Planning takes longer than running where rows are few, and they are when somebody waits for them.
    return this.again(() => executor.query<Row>(placed(this.database.dialect, text), values, { repeated: true }));
  }

  async again<T>(statement: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await statement();
      } catch (error) {
        if (attempt >= attempts || this.database.failure(error).kind !== "retryable") throw error;
      }
    }
  }
}
