import { concurrentIn } from "./analysis/concurrent-queries.js";
import { oneByOne } from "./analysis/one-by-one.js";
import { createRule } from "./create-rule.js";

type MessageIds = "together" | "ambient" | "forEach" | "oneByOne";

/** Reports queries of one transaction that are started side by side. */
export const noParallelQueriesInTransaction = createRule<MessageIds, []>({
  name: "no-parallel-queries-in-transaction",
  description: "disallow `Promise.all` and the like over queries of one transaction",
  recommended: "recommended",
  hasSuggestions: true,
  schema: [],
  defaultOptions: [],
  messages: {
    together:
      "`{{by}}` starts queries over `{{handle}}` side by side, but {{transaction}} has one connection, which takes one query after the other. When one fails, `{{by}}` rejects and the rollback is sent while the others are still to come: they fail for another reason, or run outside the transaction and stay. Await them one after the other.",
    ambient:
      "`{{by}}` starts writes side by side, but {{transaction}} has one connection, which takes one query after the other. When one fails, `{{by}}` rejects and the rollback is sent while the others are still to come: they fail for another reason, or run outside the transaction and stay. Await them one after the other.",
    forEach:
      "Nobody waits for the functions that `forEach` starts: {{transaction}} commits while their queries over `{{handle}}` are still to come, and an error in one rolls nothing back. Use `for … of` and `await`.",
    oneByOne: "Await them one after the other.",
  },
  check(analysis, report) {
    for (const concurrent of concurrentIn(analysis)) {
      const { call, by, transaction, handle } = concurrent;
      const edit = oneByOne(concurrent);
      report({
        node: call,
        messageId: by === "forEach" ? "forEach" : handle === undefined ? "ambient" : "together",
        data: { by, transaction, handle: handle ?? "" },
        ...(edit ? { suggest: [{ messageId: "oneByOne", edits: [edit] }] } : {}),
      });
    }
  },
});
