import type { Library } from "./vocabulary.js";

/** `Sidequest.build` only builds: `enqueue` and `schedule` send. */
export const sidequest: Library = {
  name: "Sidequest",
  packages: ["sidequest", "@sidequest/engine", "@sidequest/core"],
  values: {
    JobBuilder: [
      "Sidequest.build()",
      "JobBuilder.with()",
      "JobBuilder.queue()",
      "JobBuilder.timeout()",
      "JobBuilder.unique()",
      "JobBuilder.maxAttempts()",
      "JobBuilder.availableAt()",
      "JobBuilder.retryDelay()",
      "JobBuilder.backoffStrategy()",
    ],
  },
  dispatches: [
    { member: "JobBuilder.enqueue", to: "queue", payload: { argument: 0 } },
    { member: "JobBuilder.schedule", to: "queue", payload: { argument: 1 } },
  ],
  retriesOnThrow: true,
  handlers: [{ methods: "run", extends: "Job" }],
  identities: [
    { property: ["Job.id", "JobData.id"], stableOver: "retries" },
    { property: ["Job.attempt", "JobData.attempt"], stableOver: "nothing" },
  ],
  leases: [
    {
      id: "P30",
      at: { call: "Sidequest.build" },
      as: "limit",
      unless: { at: { chained: "JobBuilder.maxAttempts" }, slot: { argument: 0 }, is: 1 },
      timeout: { handler: { argument: 0 }, method: "run" },
      lease: [
        { at: { chained: "JobBuilder.timeout" }, slot: { argument: 0 }, unit: "ms" },
        {
          at: { anywhere: ["Sidequest.start", "Sidequest.configure"] },
          slot: { argument: 0, path: "releaseStaleJobsMaxStaleMs" },
          unit: "ms",
          default: 600_000,
        },
      ],
      advice: "Lower the limit, or give the job a longer `.timeout(ms)`: that is its lease too",
    },
  ],
};
