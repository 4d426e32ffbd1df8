import type { Library } from "./vocabulary.js";

export const pRetry: Library = {
  name: "p-retry",
  packages: ["p-retry"],
  runners: [{ member: ["pRetry", "default"], callback: 0, reruns: true }],
};
