import type { QueryResult } from "./databases/database.js";

/** The members of what Kysely runs statements on that this needs. */
export interface KyselyExecutor {
  readonly adapter: { readonly supportsTransactionalDdl: boolean; readonly supportsReturning: boolean };
  executeQuery(query: never): Promise<{ readonly rows: unknown[]; readonly numAffectedRows?: bigint }>;
}

/** The members of a `Kysely` or a `Transaction` that this needs. */
export interface KyselyRunner {
  getExecutor(): KyselyExecutor;
  withoutPlugins(): KyselyRunner;
}

/** Kysely tells statements apart by it in what plugins remember; these meet none. */
const queryId = { queryId: "aftercommit" };

/** Runs one statement without plugins: they may rename the columns of what comes back. */
export async function kyselyQuery<Row>(
  on: KyselyRunner,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<QueryResult<Row>> {
  const query = { sql: text, parameters, query: { kind: "RawNode", sqlFragments: [text], parameters: [] }, queryId };
  const { rows, numAffectedRows } = await on
    .withoutPlugins()
    .getExecutor()
    .executeQuery(query as never);
  return { rows: rows as Row[], affectedRows: Number(numAffectedRows ?? 0n) };
}

/** Which server Kysely speaks to, if it is one of these. The class of its adapter may be of any package. */
export function kyselyServer(on: KyselyRunner): "postgres" | "mysql" | undefined {
  const { supportsTransactionalDdl, supportsReturning } = on.getExecutor().adapter;
  if (supportsTransactionalDdl && supportsReturning) return "postgres";
  return supportsTransactionalDdl || supportsReturning ? undefined : "mysql";
}
