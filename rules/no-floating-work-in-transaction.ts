import { calleeText } from "./analysis/describe.js";
import { floatingIn } from "./analysis/floating-work.js";
import { createRule } from "./create-rule.js";

type MessageIds = "notAwaited" | "ambient" | "timer" | "await";

/** Reports work on a transaction that the transaction does not wait for. */
export const noFloatingWorkInTransaction = createRule<MessageIds, []>({
  name: "no-floating-work-in-transaction",
  description: "disallow work in a transaction that nobody waits for before the commit",
  recommended: "recommended",
  hasSuggestions: true,
  schema: [],
  defaultOptions: [],
  messages: {
    notAwaited:
      "Nobody waits for `{{call}}`, which uses `{{handle}}`: {{transaction}} may commit before its queries are sent, which then fail, or run outside the transaction; a query that is only sent when it is awaited is never sent. An error in it rolls nothing back. Await it.",
    ambient:
      "Nobody waits for `{{call}}`, which writes: {{transaction}} may commit before its queries are sent, which then fail, or run outside the transaction. An error in it rolls nothing back. Await it.",
    timer:
      "`{{call}}` waits for no commit, and {{transaction}} does not wait for it: when its function runs, `{{handle}}` is over, and its queries fail or run outside the transaction. Do the work here and await it, or do it after the commit without `{{handle}}`.",
    await: "Await it.",
  },
  check(analysis, report) {
    for (const { call, kind, transaction, handle, statement } of floatingIn(analysis)) {
      report({
        node: call,
        messageId: kind === "timer" ? "timer" : handle === undefined ? "ambient" : "notAwaited",
        data: { call: calleeText(call), transaction, handle: handle ?? "" },
        ...(kind === "not awaited"
          ? { suggest: [{ messageId: "await", edits: [{ start: statement.start, end: call.start, text: "await " }] }] }
          : {}),
      });
    }
  },
});
