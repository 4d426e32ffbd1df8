import type { Library } from "./vocabulary.js";

export const rlanzBullQueue: Library = {
  name: "@rlanz/bull-queue",
  packages: ["@rlanz/bull-queue"],
  values: { QueueManager: "default" },
  dispatches: [{ member: "QueueManager.dispatch", to: "queue", payload: { argument: 1 } }],
  retriesOnThrow: true,
  handlers: [{ methods: ["handle", "rescue"], extends: "Job" }],
  keys: [
    {
      member: "QueueManager.dispatch",
      slot: { argument: 2, path: "jobId" },
      role: "dedup",
      holds: "while the job record exists",
    },
  ],
};
