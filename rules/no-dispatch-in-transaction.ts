import type { FileAnalysis } from "./analysis/analysis.js";
import type { Node } from "./analysis/code/node.js";
import { describeDispatch } from "./analysis/describe-dispatch.js";
import { joinEdits } from "./analysis/join-edits.js";
import { couldJoin } from "./analysis/joining.js";
import { isTestFile } from "./analysis/test-file.js";
import { workInside, type DispatchInside } from "./analysis/work-inside.js";
import { createRule, type Finding } from "./create-rule.js";

type MessageIds = "dispatch" | "noHandle" | "outerClient" | "hook" | "ambient" | "finally" | "afterCommit" | "join";

/** Reports jobs, messages and events that are sent while a transaction is still open. */
export const noDispatchInTransaction = createRule<MessageIds, []>({
  name: "no-dispatch-in-transaction",
  description: "disallow sending jobs, messages and events while a database transaction is open",
  recommended: "recommended",
  hasSuggestions: true,
  schema: [],
  defaultOptions: [],
  messages: {
    dispatch:
      "`{{dispatch}}` sends before the transaction of `{{opener}}` ({{openedAt}}) commits: the {{receiver}} can run before the rows are there, and a rollback does not take it back.{{path}} Send after the commit, or write an outbox row in the transaction.",
    noHandle:
      "`{{dispatch}}` writes over its own connection while the transaction of `{{opener}}` ({{openedAt}}) is open: a rollback leaves the job in the queue.{{path}} Pass the transaction's handle ({{join}}), or send after the commit.",
    outerClient:
      "`{{dispatch}}` is given a client from outside the transaction of `{{opener}}` ({{openedAt}}): it looks transactional, but a rollback leaves the job in the queue.{{path}} Build {{join}} from the transaction's own handle.",
    hook: "`{{opener}}` runs inside the transaction that saves the row, before its commit, and `{{dispatch}}` sends from it: the {{receiver}} can run before the row is there, and a rollback does not take it back.{{path}} Send from an after-commit hook, or from the code that awaits the commit.",
    ambient:
      "`{{dispatch}}` sends before the commit: `{{opener}}` ({{openedAt}}) says that this file runs in a transaction which other code opens. The {{receiver}} can run before the rows are there, and a rollback does not take it back.{{path}} Send after the commit, or write an outbox row in the transaction.",
    finally:
      "`{{dispatch}}` stands in a `finally` around the transaction of `{{opener}}` ({{openedAt}}): it sends after a rollback as well, about rows that do not exist. Send behind the transaction, where only a commit leads, or write an outbox row in it.",
    afterCommit: "Send after the commit, through `{{slot}}`.",
    join: "Send within the transaction: pass `{{option}}`.",
  },
  check(analysis, report, _options, active) {
    if (isTestFile(analysis.file.path)) return;
    for (const inside of workInside(analysis).dispatches) {
      // that rule says more of a queue that could have taken part in the transaction
      if (couldJoin(inside) && active.has("prefer-transactional-enqueue")) continue;
      report({
        node: inside.node,
        messageId: messageFor(inside),
        data: describeDispatch(inside),
        suggest: [...joinSuggestion(analysis, inside), ...afterCommitSuggestion(analysis, inside)],
      });
    }
  },
});

function messageFor({ scope, reached }: DispatchInside): MessageIds {
  if (scope.kind === "hook" || scope.kind === "finally") return scope.kind;
  if (reached.notJoined === "no handle") return "noHandle";
  if (reached.notJoined === "outer client") return "outerClient";
  return scope.kind === "ambient" ? "ambient" : "dispatch";
}

type Suggestions = NonNullable<Finding<MessageIds>["suggest"]>;

/** Passes the transaction's handle to a queue that lives in the same database. */
function joinSuggestion(analysis: FileAnalysis, inside: DispatchInside): Suggestions {
  const join = joinEdits(analysis, inside);
  return join ? [{ messageId: "join", data: { option: join.option }, edits: join.edits }] : [];
}

/** Wraps a call that is a statement of its own into the after-commit slot that the transaction's handle or the file offers. */
function afterCommitSuggestion(analysis: FileAnalysis, inside: DispatchInside): Suggestions {
  const statement = statementOf(inside.node);
  const slot = statement && analysis.slots.at(inside.scope, statement);
  if (!statement || !slot) return [];
  const text = analysis.file.text.slice(inside.node.start, inside.node.end);
  return [
    {
      messageId: "afterCommit",
      data: { slot: slot.label },
      edits: [{ start: statement.start, end: inside.node.end, text: `${slot.before}() => ${text})` }],
    },
  ];
}

/** The node, or the `await` or `void` before it, where it is all that a statement holds. */
function statementOf(node: Node): Node | undefined {
  const whole =
    node.parent && (node.parent.kind === "await" || (node.parent.kind === "unary" && node.parent.operator === "void"))
      ? node.parent
      : node;
  return whole.parent?.kind === "block" ? whole : undefined;
}
