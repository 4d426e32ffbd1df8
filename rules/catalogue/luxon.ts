import type { Library } from "./vocabulary.js";

export const luxon: Library = {
  name: "Luxon",
  packages: ["luxon", "@types/luxon"],
  values: { Duration: ["Duration.fromObject()", "Duration.fromISO()", "Duration.fromMillis()"] },
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
