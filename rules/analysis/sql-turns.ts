import type { Node } from "./code/node.js";

/** How a call changes whether a transaction is open. */
export type Turn = "begin" | "commit" | "rollback";

const sqlBegin = /^\s*(?:\/\*.*?\*\/\s*)*(?:begin|start\s+transaction)\b/i;
const sqlCommit = /^\s*(?:commit|end)\b/i;
const sqlRollback = /^\s*(?:rollback|abort)\b(?!\s+to\b)/i;

/** What the SQL given as an argument does to the transaction. */
export function turnOfText(argument: Node | undefined): Turn | undefined {
  if (argument?.kind === "literal" && typeof argument.value === "string") return turnOfSql(argument.value);
  if (argument?.kind === "template") return turnOfSql(argument.strings[0] ?? "");
  if (argument?.kind !== "object") return undefined;
  const text = argument.properties.find((property) => property.key === "text" || property.key === "sql")?.value;
  return turnOfText(text);
}

/** What a SQL text does to the transaction. */
export function turnOfSql(text: string): Turn | undefined {
  if (sqlBegin.test(text)) return "begin";
  if (sqlCommit.test(text)) return "commit";
  return sqlRollback.test(text) ? "rollback" : undefined;
}
