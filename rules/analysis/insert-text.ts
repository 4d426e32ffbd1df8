/** The table and the columns of SQL text that inserts; guarded where a second row with the same key is taken. */
export function insertIn(text: string): { table: string; columns: readonly string[]; isGuarded: boolean } | undefined {
  const match =
    /^\s*(?:with\b[\s\S]*?\b)?(?:insert|replace)\s+(ignore\s+)?into\s+["'`]?([\w.?"]+)["'`]?\s*(?:\(([^)]*)\))?/i.exec(
      text,
    );
  if (!match) return undefined;
  return {
    table: (match[2] ?? "").replaceAll(/["'`]/g, ""),
    columns: (match[3] ?? "").split(",").map((column) => column.replaceAll(/["'`\s]/g, "")),
    isGuarded: match[1] !== undefined || /\bon\s+(?:conflict|duplicate\s+key)\b|\bwhere\s+not\s+exists\b/i.test(text),
  };
}
