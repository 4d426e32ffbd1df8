import type { FileAnalysis } from "./analysis/analysis.js";
import { describeArrival } from "./analysis/describe.js";
import { randomDeduplicationIn } from "./analysis/random-deduplication.js";
import { isTestFile } from "./analysis/test-file.js";
import { isInHandler, unstableKeysIn } from "./analysis/unstable-keys.js";
import { createRule, type Report } from "./create-rule.js";

type MessageIds = "randomDeduplication" | "random" | "clock" | "counter" | "header" | "nullish";

/** Reports keys that are to recognise a repeat, and are another one at each attempt, or the same for different operations. */
export const noUnstableDedupKey = createRule<MessageIds, []>({
  name: "no-unstable-dedup-key",
  description: "disallow random values, the clock, counters and absent parts in keys that recognise a repeat",
  recommended: "recommended",
  schema: [],
  defaultOptions: [],
  messages: {
    randomDeduplication:
      "A new {{makes}} is made at each dispatch and becomes `{{column}}` of {{arrival}}: the queue drops a second message only when that is the same{{holds}}, and this never is. Build it from the operation (what is done, and for which business object), or leave deduplication off.",
    random:
      "A new {{what}} is made at each call of `{{call}}` and becomes its key `{{column}}`: when the same operation is asked for again (a retry, a double click), the key is another one, and it is done twice. Build it from the operation (what is done, and for which business object), or make it once, where the operation begins, keep it, and pass it in.",
    clock:
      "The key `{{column}}` of `{{call}}` holds the current time: when the same operation is asked for again, the key is another one, and the repeat is not recognised. Build it from the operation (what is done, and for which business object).",
    counter:
      "The key `{{column}}` of `{{call}}` holds a counter of this process (`{{what}}`): a repeat gets another number, and after a restart, or in the next process, another operation gets the same one. Build it from the operation (what is done, and for which business object).",
    header:
      "The key `{{column}}` of `{{call}}` holds `{{what}}`, which is made anew for each request: when the same operation is sent again, the key is another one, and the repeat is not recognised. Build it from what the operation is about: the event's own id, or the fields of its payload.",
    nullish:
      '`{{what}}` may be undefined or null, and then the key `{{column}}` of `{{call}}` only says "undefined" or "null" there: all operations without it share one key, and all but the first are dropped as repeats. Check it first, and throw where it is missing.',
  },
  check(analysis, report, _options, active) {
    if (isTestFile(analysis.file.path)) return;
    checkRandomDeduplication(analysis, report);
    for (const key of unstableKeysIn(analysis)) {
      // what a job handler makes is reported there
      if (key.kind === "random" && active.has("no-random-id-in-handler") && isInHandler(key, analysis)) continue;
      const { node, kind, what, column, call } = key;
      report({ node, messageId: kind, data: { what, column, call } });
    }
  },
});

function checkRandomDeduplication(analysis: FileAnalysis, report: Report<MessageIds>): void {
  for (const { call, makes, arrival } of randomDeduplicationIn(analysis)) {
    const holds = arrival.key?.entry.holds;
    report({
      node: call,
      messageId: "randomDeduplication",
      data: {
        makes,
        column: arrival.column ?? arrival.names.at(-1) ?? "id",
        arrival: describeArrival(call, arrival),
        holds: holds === undefined ? "" : ` (${holds})`,
      },
    });
  }
}
