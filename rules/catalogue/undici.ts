import type { Library } from "./vocabulary.js";

export const undici: Library = {
  name: "undici",
  packages: ["undici"],
  effects: [
    {
      member: [
        "fetch",
        "request",
        "stream",
        "pipeline",
        "Dispatcher.request",
        "Dispatcher.stream",
        "Dispatcher.pipeline",
      ],
      kind: "http",
    },
  ],
  keys: [
    {
      member: ["fetch", "request", "stream", "pipeline"],
      slot: { argument: 1, path: "headers.Idempotency-Key" },
      role: "idempotency",
    },
  ],
};
