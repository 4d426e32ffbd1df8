import type { Library } from "./vocabulary.js";

export const dateFns: Library = {
  name: "date-fns",
  packages: ["date-fns"],
  durations: [
    { member: "milliseconds", reads: "written", makes: "ms" },
    { member: "secondsToMilliseconds", reads: "s", makes: "ms" },
    { member: "minutesToMilliseconds", reads: "min", makes: "ms" },
    { member: "hoursToMilliseconds", reads: "h", makes: "ms" },
    { member: "minutesToSeconds", reads: "min", makes: "s" },
    { member: "hoursToSeconds", reads: "h", makes: "s" },
    { member: "hoursToMinutes", reads: "h", makes: "min" },
    { member: "millisecondsToSeconds", reads: "ms", makes: "s" },
  ],
};
