import type { Library } from "./vocabulary.js";

export const ms: Library = {
  name: "ms",
  packages: ["ms", "@types/ms", "@lukeed/ms"],
  durations: [{ member: ["ms", "default", "parse"], reads: "written", makes: "ms" }],
};
