import type { Library } from "./vocabulary.js";

/** What the language itself brings. */
export const javascript: Library = {
  name: "Math.random and Date",
  packages: ["typescript"],
  globals: ["Math", "Date"],
  randoms: [{ member: "Math.random", makes: "random number" }],
  clocks: [{ member: ["DateConstructor.now", "Date.now"] }, { member: "new Date", withoutArguments: true }],
  calendar: [
    {
      member: [
        "Date.getFullYear",
        "Date.getMonth",
        "Date.getDate",
        "Date.getDay",
        "Date.getUTCFullYear",
        "Date.getUTCMonth",
        "Date.getUTCDate",
        "Date.getUTCDay",
        "Date.toDateString",
        "Date.toLocaleDateString",
      ],
    },
    { member: ["Date.toISOString", "Date.toJSON"], cut: true },
    { member: ["Date.setHours", "Date.setUTCHours"], sets: [0, 23] },
    { member: ["Date.setDate", "Date.setUTCDate"], sets: [0, 1] },
  ],
};
