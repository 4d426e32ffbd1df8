import { describeHandler } from "./analysis/describe.js";
import { swallowedErrorsIn, type SwallowedError } from "./analysis/swallowed-job-errors.js";
import { isTestFile } from "./analysis/test-file.js";
import { createRule } from "./create-rule.js";

type MessageIds = "swallowed" | "returned" | "item" | "rethrow";

/** Reports a `catch` at the end of a job handler that only tells of the error, so that the queue takes the job for done. */
export const noSwallowedJobError = createRule<MessageIds, []>({
  name: "no-swallowed-job-error",
  description: "disallow a `catch` in a job handler that keeps the error from the queue",
  recommended: "strict",
  hasSuggestions: true,
  schema: [],
  defaultOptions: [],
  messages: {
    swallowed:
      "This `catch` keeps the error to itself: the handler returns, the queue takes the job for done, and nobody tries it again or finds it among the failed. {{handler}} Throw the error again behind the log{{terminal}}.",
    returned:
      "This `catch` returns `{{returned}}` instead of throwing: for the queue a job that returns is done, whatever it returns, and nobody tries it again or finds it among the failed. {{handler}} Throw the error again{{terminal}}.",
    item: "This `catch` keeps the error of one job of the batch to itself: the handler returns, the queue takes the whole batch for done, and this job is lost. {{handler}} Remember what failed and throw behind the loop, or tell the queue which ones failed, if it asks for that.",
    rethrow: "Throw the error again.",
  },
  check(analysis, report) {
    if (isTestFile(analysis.file.path)) return;
    for (const swallowed of swallowedErrorsIn(analysis)) {
      const { handler, path, returns, rethrow, isOfOne } = swallowed;
      const { terminalError } = path.handler.library;
      report({
        node: headOf(swallowed),
        messageId: isOfOne ? "item" : returns === undefined ? "swallowed" : "returned",
        data: {
          handler: describeHandler(path, handler),
          returned: returns ?? "",
          terminal: terminalError === undefined ? "" : `; if no retry can help, throw \`${terminalError}\``,
        },
        ...(rethrow && !isOfOne ? { suggest: [{ messageId: "rethrow", edits: [rethrow] }] } : {}),
      });
    }
  },
});

/** The word `catch` and what stands before its block. */
function headOf({ handler }: SwallowedError): { start: number; end: number } {
  const { file, start } = handler;
  return { start: file.text.lastIndexOf("catch", start), end: start };
}
