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

/** The table that SQL text updates, and the columns that its parameters are compared with behind `WHERE`. */
export function updateIn(text: string): { table: string; columns: readonly (string | undefined)[] } | undefined {
  const [, table = "", set = ""] = /^\s*update\s+["'`]?([\w.]+)["'`]?\s+set\b([^]*?)\bwhere\b/i.exec(text) ?? [];
  if (table === "") return undefined;
  const columns: (string | undefined)[] = [];
  let count = 0;
  for (const match of text.matchAll(/\?|\$(\d+)/g)) {
    const at = match[1] === undefined ? count++ : Number(match[1]) - 1;
    const [, column] = /(\w+)["'`]?\s*=\s*$/.exec(text.slice(0, match.index)) ?? [];
    if (match.index > text.indexOf(set) + set.length) columns[at] = column;
  }
  return { table, columns };
}
