/** The statements of a DDL text, one by one: `mysql2` and `pg` with values take no more than one at a time. */
export function statementsOf(ddl: string): string[] {
  return ddl
    .split(/;\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}
