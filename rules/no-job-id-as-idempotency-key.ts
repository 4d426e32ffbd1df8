import type { FileAnalysis } from "./analysis/analysis.js";
import { isDeduplication, namesOf, type Arrival } from "./analysis/arrivals.js";
import { isChosenByDispatcher } from "./analysis/chosen-ids.js";
import type { Node } from "./analysis/code/node.js";
import { describeArrival } from "./analysis/describe.js";
import { identityAtPath, keyPathsIn } from "./analysis/key-path.js";
import { originsOf } from "./analysis/origin.js";
import { isTestFile } from "./analysis/test-file.js";
import { isIdempotencyName, isLedgerName } from "./analysis/words.js";
import { createRule, type Report } from "./create-rule.js";

type MessageIds = "newPerDispatch" | "newPerDelivery" | "wholeMessage";

/** Reports keys that are to recognise a repeat, but are made from what is new with each dispatch or delivery. */
export const noJobIdAsIdempotencyKey = createRule<MessageIds, []>({
  name: "no-job-id-as-idempotency-key",
  description: "disallow the ids of jobs, messages and deliveries as the key that recognises a repeated operation",
  recommended: "recommended",
  schema: [],
  defaultOptions: [],
  messages: {
    newPerDispatch:
      "`{{identity}}` stays the same when the queue delivers this {{what}} again, but is new when the same operation is dispatched again: as the key `{{column}}` of {{arrival}} it lets the second dispatch through as new work. Use what the operation itself is known by (what is done, and for which business object), passed in the payload.",
    newPerDelivery:
      "`{{identity}}` is new each time the queue delivers this {{what}}: as the key `{{column}}` of {{arrival}} it does not even recognise a retry. Use what the operation itself is known by (what is done, and for which business object), passed in the payload.",
    wholeMessage:
      "No path to a key is given, so the whole {{what}} is the key, with what is new at each delivery or dispatch in it: a repeat is not recognised. Name the part of the body that the operation is known by.",
  },
  check(analysis, report) {
    if (isTestFile(analysis.file.path)) return;
    checkIdentities(analysis, report);
    checkKeyPaths(analysis, report);
  },
});

/** `idempotencyKey: job.id`, a ledger's row under `message.id`. */
function checkIdentities(analysis: FileAnalysis, report: Report<MessageIds>): void {
  const origins = originsOf(analysis);
  for (const read of origins.identitiesReadIn(analysis)) {
    const arrival = origins.arrivalsOf(read.node).find(recognisesRepeats);
    if (!arrival || isChosenByDispatcher(read, analysis)) continue;
    const { entry } = read.identity;
    report({
      node: read.node,
      messageId: entry.stableOver === "nothing" ? "newPerDelivery" : "newPerDispatch",
      data: {
        identity: read.property,
        what: whatHas(read.property),
        column: columnOf(arrival),
        arrival: describeArrival(read.node, arrival),
      },
    });
  }
}

/** A path to the key in the message (`Records[0].messageId`), or none at all. */
function checkKeyPaths(analysis: FileAnalysis, report: Report<MessageIds>): void {
  for (const keyPath of keyPathsIn(analysis)) {
    const { node, path, key } = keyPath;
    const identity = identityAtPath(keyPath);
    const at = node.file === analysis.file ? node : keyPath.handler.fn;
    if (path === undefined) report({ node: at, messageId: "wholeMessage", data: { what: "message" } });
    else if (identity) {
      const messageId = identity.entry.stableOver === "nothing" ? "newPerDelivery" : "newPerDispatch";
      const option = key.entry.slot.path ?? "";
      report({
        node: at,
        messageId,
        data: {
          identity: path,
          what: "message",
          column: option.slice(option.lastIndexOf(".") + 1),
          arrival: `\`${key.library.name}\``,
        },
      });
    }
  }
}

/** Whether a place remembers what was done, and is asked before it is done again. */
function recognisesRepeats(arrival: Arrival): boolean {
  switch (arrival.kind) {
    case "key":
      return (
        arrival.key?.entry.role === "idempotency" || isIdempotencyName(arrival.column ?? "") || isDeduplication(arrival)
      );
    case "looked up":
      return true;
    case "stored":
      return [arrival.label, ...tableNames(arrival.at)].some(isLedgerName);
    default:
      return false;
  }
}

/** `processedMessages` of `db.insert(processedMessages).values(…)`. */
function tableNames(at: Node): readonly string[] {
  const names: string[] = [];
  for (
    let link: Node = at;
    link.kind === "call" || link.kind === "member";
    link = link.kind === "call" ? link.callee : link.object
  ) {
    if (link.kind === "call")
      for (const argument of link.args)
        names.push(
          ...(argument.kind === "name" || argument.kind === "member"
            ? namesOf(argument)
            : argument.kind === "literal" && typeof argument.value === "string"
              ? [argument.value]
              : []),
        );
  }
  return names;
}

function columnOf({ column, names }: Arrival): string {
  return column ?? names.at(-1) ?? "id";
}

function whatHas(property: string): string {
  return /^\w*(?:Job|Task|Run|Workflow|Step|Info|DBOS)/i.test(property) ? "job" : "message";
}
