import { checkedInsertsIn, hasRandomId, type CheckedInsert } from "./analysis/check-then-insert.js";
import { lineOf } from "./analysis/code/node.js";
import { describeHandler } from "./analysis/describe.js";
import { isTestFile } from "./analysis/test-file.js";
import { createRule } from "./create-rule.js";

type MessageIds = "ledger" | "inHandler" | "row";

/** Reports an insert that a read decides about: two at the same time both find nothing. */
export const noCheckThenInsert = createRule<MessageIds, []>({
  name: "no-check-then-insert",
  description: "disallow inserting a row because a read did not find it",
  recommended: "strict",
  schema: [],
  defaultOptions: [],
  messages: {
    ledger:
      "Whether the work was done already is read on line {{readLine}}, and recorded in `{{table}}` here: of two deliveries at the same time both find nothing, and both do the work. Insert first, in the transaction of the work, and let the unique key decide: {{instead}}.",
    inHandler:
      "`{{table}}` is read on line {{readLine}}, and the row is inserted here because it was not there: when the queue delivers the job to a second worker, both find nothing, and both insert. {{handler}} Give the row a unique key, and insert without asking first: {{instead}}.",
    row: "`{{table}}` is read on line {{readLine}}, and the row is inserted here because it was not there: of two calls at the same time both find nothing, and the second fails on the unique key or, without one, stores the row twice. Insert without asking first: {{instead}}.",
  },
  check(analysis, report, _options, active) {
    if (isTestFile(analysis.file.path)) return;
    for (const checked of checkedInsertsIn(analysis)) {
      const { insert, read, table, instead, path } = checked;
      // what is wrong with the id is wrong with the check, too
      if (active.has("no-random-id-in-handler") && hasRandomId(checked, analysis)) continue;
      report({
        node: insert,
        messageId: messageFor(checked),
        data: {
          table,
          readLine: String(lineOf(read.file, read.start)),
          instead: instead ?? "an upsert, or a `catch` for the unique violation",
          handler: path ? describeHandler(path, insert) : "",
        },
      });
    }
  },
});

function messageFor({ isLedger, path }: CheckedInsert): MessageIds {
  if (isLedger) return "ledger";
  return path ? "inHandler" : "row";
}
