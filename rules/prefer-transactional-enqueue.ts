import { describeDispatch } from "./analysis/describe-dispatch.js";
import { joinEdits } from "./analysis/join-edits.js";
import { couldJoin } from "./analysis/joining.js";
import { isTestFile } from "./analysis/test-file.js";
import { workInside, type DispatchInside } from "./analysis/work-inside.js";
import { createRule } from "./create-rule.js";

type MessageIds = "noHandle" | "outerClient" | "otherMember" | "join";

/** Reports jobs that are written beside the open transaction, into a queue that could have written them in it. */
export const preferTransactionalEnqueue = createRule<MessageIds, []>({
  name: "prefer-transactional-enqueue",
  description: "require queues that live in the database to write their jobs in the open transaction",
  recommended: "recommended",
  hasSuggestions: true,
  schema: [],
  defaultOptions: [],
  messages: {
    noHandle:
      "`{{dispatch}}` writes the job over a connection of its own while the transaction of `{{opener}}` ({{openedAt}}) is open: the {{receiver}} can run before the rows are there, and a rollback leaves the job in the queue.{{path}} This queue can write it in the transaction: pass the handle ({{join}}), and the job is there if and only if the rows are.",
    outerClient:
      "`{{dispatch}}` is given a client from outside the transaction of `{{opener}}` ({{openedAt}}): it looks transactional, but the job is written over another connection, and a rollback leaves it in the queue.{{path}} Build {{join}} from the transaction's own handle, and the job is there if and only if the rows are.",
    otherMember:
      "`{{dispatch}}` writes the job over a connection of its own while the transaction of `{{opener}}` ({{openedAt}}) is open: the {{receiver}} can run before the rows are there, and a rollback leaves the job in the queue.{{path}} Where both are in one database, write it in the transaction, and the job is there if and only if the rows are: `{{joinsAs}}`.",
    join: "Write the job in the transaction: pass `{{option}}`.",
  },
  check(analysis, report) {
    if (isTestFile(analysis.file.path)) return;
    for (const inside of workInside(analysis).dispatches.filter(couldJoin)) {
      const join = joinEdits(analysis, inside);
      report({
        node: inside.node,
        messageId: messageFor(inside),
        data: describeDispatch(inside),
        ...(join ? { suggest: [{ messageId: "join", data: { option: join.option }, edits: join.edits }] } : {}),
      });
    }
  },
});

function messageFor({ reached }: DispatchInside): MessageIds {
  if (reached.notJoined === "outer client") return "outerClient";
  return reached.notJoined === "no handle" ? "noHandle" : "otherMember";
}
