import type { Library } from "./vocabulary.js";

/** What the language itself brings. */
export const javascript: Library = {
  name: "Math.random and Date",
  packages: ["typescript"],
  globals: ["Math", "Date"],
  randoms: [
    { member: "Math.random", makes: "random number" },
    { member: ["DateConstructor.now", "Date.now"], makes: "current time", isClock: true },
    { member: "new Date", makes: "current time", withoutArguments: true, isClock: true },
  ],
};
