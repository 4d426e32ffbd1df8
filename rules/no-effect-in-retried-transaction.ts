import { describeInside } from "./analysis/describe-inside.js";
import { retriedWritesIn } from "./analysis/retried-writes.js";
import { isTestFile } from "./analysis/test-file.js";
import { workInside } from "./analysis/work-inside.js";
import { createRule } from "./create-rule.js";

type MessageIds = "collects" | "counts" | "effect";

/** Reports what happens once an attempt where a transaction is run again after a conflict. */
export const noEffectInRetriedTransaction = createRule<MessageIds, []>({
  name: "no-effect-in-retried-transaction",
  description: "disallow effects in transactions that are run again after a conflict",
  recommended: "strict",
  schema: [],
  defaultOptions: [],
  messages: {
    collects:
      "{{by}} runs this code again after a conflict, and `{{target}}` was there before: what each attempt adds to it stays, also that of attempts which were rolled back. Collect in a variable of the transaction's own and return it.",
    counts:
      "{{by}} runs this code again after a conflict, and `{{target}}` was there before: each attempt changes it once more, also those which were rolled back. Compute the value from what the transaction itself reads, or return it.",
    effect:
      "{{by}} runs this code again after a conflict, and `{{call}}` happens once an attempt: a rollback takes none of them back.{{path}} Return what it needs, and do it after the commit.",
  },
  check(analysis, report, _options, active) {
    if (isTestFile(analysis.file.path)) return;
    for (const { node, rerun, target, kind } of retriedWritesIn(analysis))
      report({ node, messageId: kind, data: { by: sentenceStart(rerun.by), target } });
    const { dispatches, effects } = workInside(analysis);
    // what these rules report is gone when it was heeded
    const known = new Set(
      [
        ...(active.has("no-dispatch-in-transaction") ? dispatches : []),
        ...(active.has("no-external-effect-in-transaction") ? effects : []),
      ].map(({ node }) => node),
    );
    for (const inside of [...dispatches, ...effects]) {
      const { rerun } = inside.scope;
      if (!rerun || known.has(inside.node)) continue;
      known.add(inside.node);
      report({
        node: inside.node,
        messageId: "effect",
        data: { ...describeInside(inside), by: sentenceStart(rerun.by) },
      });
    }
  },
});

function sentenceStart(by: string): string {
  return by.charAt(0).toUpperCase() + by.slice(1);
}
