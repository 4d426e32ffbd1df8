import type { Library } from "./vocabulary.js";

export const pTimeout: Library = {
  name: "p-timeout",
  packages: ["p-timeout"],
  deadlines: [
    { member: ["default", "pTimeout"], slot: { argument: 1, path: "milliseconds" }, unit: "ms", around: 0 },
    // 4 and before
    { member: ["default", "pTimeout"], slot: { argument: 1 }, unit: "ms", around: 0 },
  ],
};
