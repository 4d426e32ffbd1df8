import { ignoringInsertsIn, type IgnoringInsert } from "./analysis/insert-ignore.js";
import { isTestFile } from "./analysis/test-file.js";
import { createRule } from "./create-rule.js";

type MessageIds = "mysql" | "sqlite" | "becomesMysql" | "becomesSqlite";
type Options = readonly [{ readonly tables?: readonly string[] }?];

/** Reports inserts that skip more than duplicates. */
export const noInsertIgnore = createRule<MessageIds, Options>({
  name: "no-insert-ignore",
  description: "disallow `INSERT IGNORE` and `INSERT OR IGNORE`, which hide more than duplicates",
  recommended: "recommended",
  schema: [
    {
      type: "object",
      additionalProperties: false,
      properties: {
        tables: {
          type: "array",
          items: { type: "string" },
          description:
            "Tables that SQL may fill so, `*` stands for anything: staging tables whose rows are checked later.",
        },
      },
    },
  ],
  defaultOptions: [{ tables: [] }],
  messages: {
    mysql:
      "`INSERT IGNORE` is meant to skip a duplicate, but it also skips a row whose foreign key leads nowhere, and stores something else for a NULL, a text that is too long or a bad value, all without an error: the row is taken for done. Write a plain `INSERT` and catch the duplicate alone (`ER_DUP_ENTRY`, 1062), or `… ON DUPLICATE KEY UPDATE id = id`.",
    sqlite:
      "`INSERT OR IGNORE` is meant to skip a duplicate, but it also skips a row that breaks a `NOT NULL` or `CHECK`, without an error: the row is taken for done. Write `INSERT … ON CONFLICT (key) DO NOTHING`, which skips a duplicate of that key and nothing else.",
    becomesMysql:
      "`{{member}}` becomes `INSERT IGNORE` here, which skips a duplicate, but also a row whose foreign key leads nowhere, and stores something else for a NULL, a text that is too long or a bad value, all without an error: the row is taken for done. Insert plainly and catch the duplicate alone (`ER_DUP_ENTRY`, 1062).",
    becomesSqlite:
      "`{{member}}` becomes `INSERT OR IGNORE` here, which skips a duplicate, but also a row that breaks a `NOT NULL` or `CHECK`, without an error: the row is taken for done. Say on which key: `ON CONFLICT (key) DO NOTHING`.",
  },
  check(analysis, report, [options]) {
    if (isTestFile(analysis.file.path)) return;
    const allowed = (options?.tables ?? []).map(patternOf);
    for (const insert of ignoringInsertsIn(analysis)) {
      const { node, member = "", table } = insert;
      if (table !== undefined && allowed.some((pattern) => pattern.test(table))) continue;
      report({ node, messageId: messageFor(insert), data: { member } });
    }
  },
});

function messageFor({ statement, member }: IgnoringInsert): MessageIds {
  if (member === undefined) return statement === "INSERT IGNORE" ? "mysql" : "sqlite";
  return statement === "INSERT IGNORE" ? "becomesMysql" : "becomesSqlite";
}

function patternOf(table: string): RegExp {
  return new RegExp(`^${table.replaceAll(/[^\w*]/g, "\\$&").replaceAll("*", ".*")}$`, "i");
}
