import { lineOf } from "./analysis/code/node.js";
import { textOf } from "./analysis/describe.js";
import { lateFailuresIn } from "./analysis/rollback-after-commit.js";
import { createRule } from "./create-rule.js";

type MessageIds = "behindCommit" | "floating";

/** Reports work that stands behind a commit in a `try` whose `catch` rolls back. */
export const noRollbackAfterCommit = createRule<MessageIds, []>({
  name: "no-rollback-after-commit",
  description: "disallow work behind a commit in a `try` whose `catch` rolls the transaction back",
  recommended: "strict",
  schema: [],
  defaultOptions: [],
  messages: {
    behindCommit:
      "When this fails, the transaction is committed (line {{commitLine}}), and still the `catch` runs `{{rollback}}` (line {{rollbackLine}}): that fails with “{{error}}” in place of the real error, and the caller, told that all was rolled back, does the same work again.{{others}} Put what follows the commit behind the `try`, or into a `try` of its own.",
    floating:
      "When this fails, the transaction is committed (line {{commitLine}}), and still the `catch` starts `{{rollback}}` (line {{rollbackLine}}): that fails with “{{error}}”, and nobody waits for it, so that the rejection ends the process.{{others}} Put what follows the commit behind the `try`, or into a `try` of its own.",
  },
  check(analysis, report) {
    for (const { call, commit, rollback, others, error, isFloating } of lateFailuresIn(analysis))
      report({
        node: call,
        messageId: isFloating ? "floating" : "behindCommit",
        data: {
          commitLine: String(lineOf(commit.file, commit.start)),
          rollback: textOf(rollback),
          rollbackLine: String(lineOf(rollback.file, rollback.start)),
          error,
          others:
            others === 0 ? "" : ` So do ${others === 1 ? "one more call" : `${String(others)} more calls`} behind it.`,
        },
      });
  },
});
