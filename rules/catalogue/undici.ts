import type { Library } from "./vocabulary.js";

export const undici: Library = {
  name: "undici",
  packages: ["undici"],
  effects: [
    {
      member: ["fetch", "request", "stream", "pipeline"],
      kind: "http",
      method: { argument: 1, path: "method" },
    },
    {
      member: ["Dispatcher.request", "Dispatcher.stream", "Dispatcher.pipeline"],
      kind: "http",
      method: { argument: 0, path: "method" },
    },
  ],
  keys: [
    {
      member: ["fetch", "request", "stream", "pipeline"],
      slot: { argument: 1, path: "headers.Idempotency-Key" },
      role: "idempotency",
    },
  ],
  deadlines: [
    {
      member: ["request", "fetch", "stream", "pipeline"],
      slot: [
        { argument: 1, path: "headersTimeout" },
        { argument: 1, path: "bodyTimeout" },
      ],
      unit: "ms",
    },
    {
      member: [
        "Dispatcher.request",
        "Dispatcher.stream",
        "Dispatcher.pipeline",
        "Client.request",
        "Pool.request",
        "Agent.request",
      ],
      slot: [
        { argument: 0, path: "headersTimeout" },
        { argument: 0, path: "bodyTimeout" },
      ],
      unit: "ms",
    },
  ],
};
