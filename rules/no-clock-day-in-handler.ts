import { firstInHandler } from "./analysis/arrival-in-handler.js";
import type { Arrival } from "./analysis/arrivals.js";
import { isCalendarName, isSnapshotName } from "./analysis/calendar-words.js";
import { clockArrivals } from "./analysis/clock-arrivals.js";
import { clockValuesIn, type ClockValue } from "./analysis/clock-values.js";
import { describeArrival, describeHandler, textOf } from "./analysis/describe.js";
import { isTestFile } from "./analysis/test-file.js";
import { isIdentityName, isObservationName, isTemporaryName } from "./analysis/words.js";
import { createRule } from "./create-rule.js";

type MessageIds = "stored" | "sent" | "key" | "named" | "event";

/** Reports days, periods, file names and keys that a job handler makes from the clock at the moment it happens to run. */
export const noClockDayInHandler = createRule<MessageIds, []>({
  name: "no-clock-day-in-handler",
  description: "disallow the worker's clock as the day, period, file name or key that a job's work is known by",
  recommended: "strict",
  schema: [],
  defaultOptions: [],
  messages: {
    stored:
      "`{{made}}` is read from the clock of the worker, whenever it happens to run the job, and {{arrival}} keeps it as `{{column}}`: a job that waits, or that the queue delivers again after midnight, is counted for another day than the one it is about. {{handler}} Decide it once, where the job is dispatched or scheduled, and pass it in the payload.",
    sent: "`{{made}}` is read from the clock of the worker, whenever it happens to run the job, and {{arrival}} sends it on as `{{column}}`: a job that waits, or that the queue delivers again after midnight, asks for another day than the one it is about. {{handler}} Decide it once, where the job is dispatched or scheduled, and pass it in the payload.",
    key: "`{{made}}` is read from the clock of the worker, whenever it happens to run the job, and is part of the key `{{column}}` of {{arrival}}: when the queue delivers the job again after midnight, the key is another one and the repeat is not recognised. {{handler}} Build the key from what the job's payload says: which day it is about was decided when it was dispatched.",
    named:
      "`{{made}}` is read from the clock at each run of the job, and {{arrival}} stores under that name: when the queue delivers the job again, a second object is stored beside the first, and only one of them is found. {{handler}} Make the name from the job's payload, so that a repeat writes the same object again.",
    event:
      "Each run of the job sends another `{{column}}` with the same id through {{arrival}}: when the queue delivers the job again, the receiver gets one event with two times, and what it signs, compares or orders by differs. {{handler}} Take the time at which it happened from the job's payload.",
  },
  check(analysis, report) {
    if (isTestFile(analysis.file.path) || !analysis.knowledge.hasHandlers) return;
    for (const [clock, values] of clockValuesIn(analysis)) {
      const arrivals = values.flatMap((value) =>
        clockArrivals(value, analysis)
          .filter((arrival) => isIdentity(value, arrival))
          .map((arrival) => ({ ...arrival, value })),
      );
      const found = firstInHandler(analysis, arrivals);
      if (!found) continue;
      const { arrival, path } = found;
      report({
        node: clock,
        messageId: messageFor(arrival),
        data: {
          made: textOf(arrival.value.made),
          arrival: describeArrival(clock, arrival),
          column: arrival.column ?? arrival.names.at(-1) ?? "day",
          handler: describeHandler(path, clock),
        },
      });
    }
  },
});

function messageFor({ kind, value }: Arrival & { value: ClockValue }): MessageIds {
  if (value.isTimeOfEvent) return "event";
  switch (kind) {
    case "stored":
    case "changed":
      return "stored";
    case "dispatched":
    case "sent":
      return "sent";
    case "key":
    case "looked up":
      return "key";
    case "named":
      return "named";
  }
}

/** Whether a time that arrives somewhere is what the work is known by, not when it was done. */
function isIdentity({ gives, isTimeOfEvent, made }: ClockValue, arrival: Arrival): boolean {
  const { kind, column, names, trail, isByName, isLocal } = arrival;
  const own = column ?? names.at(-1) ?? "";
  if (isTimeOfEvent) return kind === "sent" && trail[0] !== "headers" && column === arrival.property?.key;
  if (names.some(isObservationName)) return false;
  const isDay = gives === "day";
  switch (kind) {
    case "stored":
      return (isDay && isCalendarName(own)) || ((isDay || isText(made)) && isIdentityName(own) && !arrival.isGuarded);
    case "changed":
      return isDay && isCalendarName(own);
    case "dispatched":
    case "sent":
      return trail[0] !== "headers" && ((isDay && isCalendarName(own)) || (isDay && !isByName && isIdentityName(own)));
    case "key":
      // a moment in a key is the business of no-unstable-dedup-key
      return isDay;
    case "looked up":
      return isDay;
    case "named":
      return isLocal
        ? isDay && !isTemporaryName(own) && !isKeptForItsMoment(arrival, made)
        : !isKeptForItsMoment(arrival, made);
  }
}

/** A backup, a log: a name on the way, or in the path itself, says so. */
function isKeptForItsMoment({ at, names }: Arrival, made: ClockValue["made"]): boolean {
  let path = made;
  while (path.parent?.kind === "template" || path.parent?.kind === "binary") path = path.parent;
  const codeOf = ({ file, start, end }: ClockValue["made"]) => file.text.slice(start, Math.min(end, start + 300));
  return [...names, codeOf(path), codeOf(at)].some(isSnapshotName);
}

function isText(node: ClockValue["made"]): boolean {
  return node.kind !== "call" || node.parent?.kind === "property";
}
