/** What drivers answer, as the port says it. For the libraries that hand their driver's own answer on. */
import type { QueryResult } from "./databases/database.js";

/** Of `pg`. */
export interface PgAnswer {
  readonly rows: unknown[];
  readonly rowCount: number | null;
}

export function pgResult<Row>({ rows, rowCount }: PgAnswer): QueryResult<Row> {
  return { rows: rows as Row[], affectedRows: rowCount ?? 0 };
}

/** @param answer rows, or the header of a statement that has none: of `mysql2` (the first of its pair) and `mariadb` */
export function mysqlResult<Row>(answer: unknown): QueryResult<Row> {
  return Array.isArray(answer)
    ? { rows: answer as Row[], affectedRows: 0 }
    : { rows: [], affectedRows: (answer as { readonly affectedRows: number }).affectedRows };
}
