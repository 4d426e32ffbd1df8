/** What names say of times: what is filed under a day, and what only tells when something was done. */
import { wordsOf } from "./words.js";

const calendarWords = new Set(
  "day days date dates month months week weeks quarter year years period periods cycle night bucket window ymd ym yearmonth yyyymmdd yyyymm".split(
    " ",
  ),
);
const ofCalendars = new Set(
  "report reporting stat stats statistic statistics metric metrics usage billing business snapshot target calendar fiscal statement accounting batch aggregate aggregation partition daily weekly monthly yearly key id utc local of summary rollup sales tax payroll settlement closing counter count start end from to".split(
    " ",
  ),
);
const bounds = /^(?:start|end|from|to)$/;

/** What work is filed under: `day`, `reportDate`, `billing_period`; not when something was or will be done (`dueDate`). */
export function isCalendarName(name: string): boolean {
  const words = wordsOf(name);
  const own = words.filter((word) => calendarWords.has(word));
  if (own.length === 0 || !words.every((word) => calendarWords.has(word) || ofCalendars.has(word))) return false;
  return !words.some((word) => bounds.test(word)) || own.some((word) => !word.startsWith("date"));
}

/** The moment of which an event tells, in the event's own head. */
export const isEventTimeName = (name: string): boolean =>
  /^(?:timestamp|time|date|occurred_?(?:at|on)|event_?(?:time|timestamp|date)|created_?at|created)$/i.test(name);

/** Copies that are kept for the moment at which they were made. */
export const isSnapshotName = (name: string): boolean =>
  /backup|snapshot|dump|archive|checkpoint|heartbeat|\blogs?\b|debug|cache|trace|tmp|temp|screenshot/i.test(name);
