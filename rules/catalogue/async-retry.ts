import type { Library } from "./vocabulary.js";

export const asyncRetry: Library = {
  name: "async-retry",
  packages: ["async-retry", "@types/async-retry"],
  runners: [{ member: ["AsyncRetry", "default"], callback: 0, reruns: true }],
};
