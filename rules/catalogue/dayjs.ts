import type { Library } from "./vocabulary.js";

export const dayjs: Library = {
  name: "Day.js",
  packages: ["dayjs"],
  clocks: [{ member: ["dayjs", "default"], withoutArguments: true }],
  calendar: [
    { member: ["Dayjs.date", "Dayjs.day", "Dayjs.month", "Dayjs.year"] },
    { member: ["Dayjs.startOf", "Dayjs.endOf"], unit: 0 },
    { member: "Dayjs.format", pattern: 0 },
  ],
};
