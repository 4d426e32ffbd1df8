import type { FileAnalysis } from "./analysis/analysis.js";
import { labelOfCall } from "./analysis/arrivals.js";
import { lineOf } from "./analysis/code/node.js";
import { deduplicatedWorkIn } from "./analysis/deduplicated-work.js";
import { locksIn } from "./analysis/locks.js";
import { describePath } from "./analysis/path.js";
import { isTestFile } from "./analysis/test-file.js";
import { unguardedWorkIn } from "./analysis/unguarded-work.js";
import { createRule, type Report } from "./create-rule.js";

type MessageIds = "charge" | "send" | "insert" | "keyed";

/** Reports charges, mail and inserts that only a lock keeps from happening twice. */
export const noLockAsGuarantee = createRule<MessageIds, []>({
  name: "no-lock-as-guarantee",
  description: "disallow locks and deduplication as all that keeps a charge, a mail or an insert from happening twice",
  recommended: "strict",
  schema: [],
  defaultOptions: [],
  messages: {
    charge:
      "Only the lock of `{{lock}}` ({{line}}) keeps `{{call}}` from happening twice, and {{because}}; who takes the lock after a crash charges again, too.{{path}} Give the provider a key made of the operation (`idempotencyKey`), or insert a row with a unique key first. Then the lock only saves work.",
    send: "Only the lock of `{{lock}}` ({{line}}) keeps `{{call}}` from happening twice, and {{because}}; who takes the lock after a crash sends again, too.{{path}} Insert a row with a unique key in the transaction that decides to send, and send for that row. Then the lock only saves work.",
    insert:
      "Only the lock of `{{lock}}` ({{line}}) keeps two callers from both finding nothing in `{{look}}` ({{lookedAt}}) and both inserting here, and {{because}}. Put a unique constraint on what the row is known by, insert, and catch the duplicate. Then the lock only saves work.",
    keyed:
      "All that keeps `{{call}}` from happening twice is `{{column}}` of `{{dispatch}}` ({{place}}): it drops a second job {{holds}}, but not one that comes later, and not the second run of this job, after a retry or a lost lease.{{path}} Give the provider a key made of the operation, or insert a row with a unique key first. Then `{{column}}` only saves work.",
  },
  check(analysis, report) {
    if (isTestFile(analysis.file.path)) return;
    checkLocks(analysis, report);
    for (const { work, column, dispatch, place, holds } of deduplicatedWorkIn(analysis))
      report({
        node: work.node,
        messageId: "keyed",
        data: { call: work.label, column, dispatch, place, holds, path: describePath(work.node, work.path) },
      });
  },
});

function checkLocks(analysis: FileAnalysis, report: Report<MessageIds>): void {
  const known = new Set<object>();
  for (const { call, label, entry, body, from, frame } of locksIn(analysis)) {
    const work = unguardedWorkIn(body, from, frame, analysis);
    if (!work || known.has(work.node)) continue;
    known.add(work.node);
    const lineAt = (node: typeof call) => `line ${String(lineOf(node.file, node.start))}`;
    report({
      node: work.node,
      messageId: work.kind,
      data: {
        lock: label,
        line: lineAt(call),
        because: entry.because,
        call: work.label,
        path: describePath(work.node, work.path),
        look: work.look ? labelOfCall(work.look) : "",
        lookedAt: work.look ? lineAt(work.look) : "",
      },
    });
  }
}
