import type { Library } from "./vocabulary.js";

/** How code limits its own waiting, whatever it waits for. */
export const timers: Library = {
  name: "Timers and AbortSignal",
  packages: [
    "typescript",
    "@types/node",
    "node:timers",
    "node:timers/promises",
    "bun-types",
    "@cloudflare/workers-types",
  ],
  globals: ["AbortSignal", "setTimeout"],
  deadlines: [
    { member: "AbortSignal.timeout", slot: { argument: 0 }, unit: "ms", isSignal: true },
    { member: "AbortSignal.any", slot: { argument: 0, path: "[]" }, unit: "written", isSignal: true, combines: true },
    { member: "setTimeout", slot: { argument: 1 }, unit: "ms", timer: 0 },
    // node:timers/promises
    { member: ["setTimeout", "scheduler.wait"], slot: { argument: 0 }, unit: "ms", isWait: true },
  ],
};
