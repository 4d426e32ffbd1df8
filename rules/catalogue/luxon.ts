import type { Library } from "./vocabulary.js";

export const luxon: Library = {
  name: "Luxon",
  packages: ["luxon", "@types/luxon"],
  values: { Duration: ["Duration.fromObject()", "Duration.fromISO()", "Duration.fromMillis()"] },
  clocks: [{ member: ["DateTime.now", "DateTime.local", "DateTime.utc"], withoutArguments: true }],
  calendar: [
    { member: ["DateTime.toISODate", "DateTime.toISOWeekDate", "DateTime.toSQLDate"] },
    { member: ["DateTime.startOf", "DateTime.endOf"], unit: 0 },
    { member: "DateTime.toFormat", pattern: 0 },
    { member: "DateTime.toISO", cut: true },
  ],
  durations: [
    {
      member: ["Duration.fromObject", "Duration.fromISO", "Duration.fromDurationLike"],
      reads: "written",
      makes: "written",
    },
    { member: "Duration.fromMillis", reads: "ms", makes: "written" },
    { member: ["Duration.toMillis", "Duration.valueOf"], of: "receiver", reads: "written", makes: "ms" },
  ],
};
