import type { Library } from "./vocabulary.js";

export const moment: Library = {
  name: "Moment.js",
  packages: ["moment", "moment-timezone"],
  clocks: [{ member: ["moment", "default", "moment.utc", "utc"], withoutArguments: true }],
  calendar: [
    {
      member: [
        "Moment.date",
        "Moment.day",
        "Moment.week",
        "Moment.isoWeek",
        "Moment.month",
        "Moment.quarter",
        "Moment.year",
      ],
    },
    { member: ["Moment.startOf", "Moment.endOf"], unit: 0 },
    { member: "Moment.format", pattern: 0 },
  ],
};
