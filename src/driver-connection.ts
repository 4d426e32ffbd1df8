/** The driver's own connection beneath an ORM or a query builder, so that no mapping of theirs changes what comes back. */
import type { QueryResult } from "./databases/database.js";
import { mysqlResult, pgResult, type PgAnswer } from "./driver-results.js";

/** A client of `pg`. */
interface PgConnection {
  query(text: string, values: readonly unknown[]): Promise<PgAnswer>;
  end(): unknown;
}

/** A connection of `mysql2` or `mysql` with callbacks. */
interface MysqlConnection {
  query(
    text: string,
    values: readonly unknown[],
    done: (error: Error | null | undefined, answer: unknown) => void,
  ): unknown;
  destroy(): void;
}

export interface DriverConnection {
  query<Row>(text: string, values?: readonly unknown[]): Promise<QueryResult<Row>>;
  /** Closes it, so that the server rolls back and the pool makes another. */
  destroy(): void;
}

/** @param connection of `pg` on PostgreSQL, of `mysql2` or `mysql` on MySQL */
export function driverConnection(server: "postgres" | "mysql", connection: unknown): DriverConnection {
  if (server === "postgres") {
    const client = connection as PgConnection;
    return {
      query: async <Row>(text: string, values: readonly unknown[] = []) =>
        pgResult<Row>(await client.query(text, values)),
      destroy: () => void client.end(),
    };
  }
  const client = connection as MysqlConnection;
  return {
    query: <Row>(text: string, values: readonly unknown[] = []) =>
      new Promise<QueryResult<Row>>((resolve, reject) => {
        client.query(text, values, (error, answer) => {
          if (error) reject(error);
          else resolve(mysqlResult<Row>(answer));
        });
      }),
    destroy: () => {
      client.destroy();
    },
  };
}
