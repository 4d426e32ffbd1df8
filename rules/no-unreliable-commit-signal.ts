import { lineOf, type Node } from "./analysis/code/node.js";
import { commitSignalsIn, everyLevelMethodsIn, type CommitSignal } from "./analysis/commit-signals.js";
import { calleeText } from "./analysis/describe.js";
import { describePath } from "./analysis/path.js";
import { labelOf } from "./analysis/semantics.js";
import { swallowedErrorsIn } from "./analysis/swallowed-query-errors.js";
import { isTestFile } from "./analysis/test-file.js";
import { createRule } from "./create-rule.js";

type MessageIds = "commit" | "rolledBack" | "failedCommit" | "attempts" | "everyLevel" | "swallowed";

/** Reports what is taken for a commit although the library says so without one. */
export const noUnreliableCommitSignal = createRule<MessageIds, []>({
  name: "no-unreliable-commit-signal",
  description: "disallow taking something for a commit that also happens without one",
  recommended: "recommended",
  schema: [],
  defaultOptions: [],
  messages: {
    commit:
      "`{{dispatch}}` sends although the COMMIT may have failed: `{{signal}}` (line {{line}}) resolves even when the server refused it (a deferred constraint, a serialization failure, a lost connection), and then the rows are gone.{{path}} Put `await {{provenBy}}` behind it, which rejects in that case.",
    rolledBack:
      "`{{dispatch}}` sends after a rollback as well: `{{rollback}}` (line {{rollbackLine}}) is given no error, so the promise of `{{signal}}` (line {{line}}) resolves as if it had committed.{{path}} Throw in the callback instead, or return from it how the transaction ended and ask that before you send.",
    failedCommit:
      "`{{signal}}` runs what it is given even where COMMIT failed, and in a nested transaction already at its savepoint: `{{dispatch}}` may send about rows that do not exist.{{path}} Do without it: {{instead}}.",
    attempts:
      "`{{signal}}` keeps what each attempt gave it: when the transaction is retried, the commit runs all of them, and `{{dispatch}}` sends once for each attempt.{{path}} Do without it: {{instead}}.",
    everyLevel:
      "`{{method}}` is called at the end of nested transactions too, when only a savepoint was released: `{{dispatch}}` may send about rows that the outer transaction then rolls back.{{path}} Send only where `{{outermost}}`.",
    swallowed:
      "`{{statement}}` (line {{statementLine}}) fails here without anybody hearing of it, but PostgreSQL has given up {{transaction}}: it answers COMMIT with ROLLBACK, and the promise resolves although nothing is stored. Let the error through, skip duplicates in the statement (`ON CONFLICT DO NOTHING`), or run it in a nested transaction of `{{handle}}`, which is a savepoint, and catch the error around that.",
  },
  check(analysis, report) {
    if (isTestFile(analysis.file.path)) return;
    for (const found of commitSignalsIn(analysis)) {
      const { node, reached, signal } = found;
      report({
        node,
        messageId: messageFor(found),
        data: {
          dispatch: labelOf(reached.ref),
          signal: calleeText(signal),
          line: line(signal),
          path: describePath(node, reached.path),
          provenBy: found.kind === "commit" ? found.provenBy : "",
          rollback: found.kind === "resolved" ? `${calleeText(found.rollback)}()` : "",
          rollbackLine: found.kind === "resolved" ? line(found.rollback) : "",
          instead: found.kind === "slot" ? found.slot.instead : "",
        },
      });
    }
    for (const { node, reached, method, outermost } of everyLevelMethodsIn(analysis))
      report({
        node,
        messageId: "everyLevel",
        data: { dispatch: labelOf(reached.ref), method, outermost, path: describePath(node, reached.path) },
      });
    for (const { node, statement, handle } of swallowedErrorsIn(analysis))
      report({
        node,
        messageId: "swallowed",
        data: {
          statement: calleeText(statement),
          statementLine: line(statement),
          transaction: handle.transaction,
          handle: calleeText(handle.node),
        },
      });
  },
});

function messageFor(found: CommitSignal): MessageIds {
  if (found.kind === "commit") return "commit";
  if (found.kind === "resolved") return "rolledBack";
  return found.slot.runs === "for each attempt" ? "attempts" : "failedCommit";
}

function line(node: Node): string {
  return String(lineOf(node.file, node.start));
}
