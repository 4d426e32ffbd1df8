import type { Library } from "./vocabulary.js";

const touch = "Lower the limit, raise `lockLifetime`, or call `job.touch()` while the job runs";

/** `create` only builds: `Job.save` sends. */
export const agenda: Library = {
  name: "Agenda",
  packages: ["agenda", "@hokify/agenda"],
  values: {
    Job: [
      "Agenda.create()",
      "Agenda.now()",
      "Agenda.schedule()",
      "Agenda.every()",
      "Job.unique()",
      "Job.schedule()",
      "Job.repeatEvery()",
      "Job.repeatAt()",
      "Job.priority()",
      "Job.debounce()",
      "Job.save()",
    ],
  },
  dispatches: [
    { member: "Agenda.now", to: "queue", payload: { argument: 1 } },
    { member: ["Agenda.schedule", "Agenda.every"], to: "queue", payload: { argument: 2 } },
    { member: "Agenda.nowDebounced", to: "queue", payload: { argument: 1 } },
    { member: "Job.save", to: "queue" },
  ],
  retriesOnThrow: true,
  handlers: [
    { registeredBy: "Agenda.define", handler: { argument: 1 } },
    { registeredBy: "Agenda.define", handler: { argument: 2 } },
    { methodDecorator: ["@Define", "@Every"] },
    { parameterType: "Job" },
  ],
  identities: [
    {
      // Recurring and single jobs keep one document for all their occurrences.
      property: ["Job.attrs._id", "JobParameters._id", "JobAttributes._id", "IJobParameters._id"],
      stableOver: "retries",
    },
  ],
  keys: [
    {
      member: "Job.unique",
      slot: { argument: 0 },
      role: "dedup",
      holds: "while a job that matches is stored, if the index is unique",
    },
    { member: "Agenda.nowDebounced", slot: { argument: 2 }, role: "dedup", holds: "for the debounce time" },
  ],
  leases: [
    {
      id: "P14",
      at: { call: "Agenda.define" },
      as: "limit",
      // 5 and before take the options second
      timeout: { handler: [{ argument: 1 }, { argument: 2 }] },
      lease: [
        {
          slot: [
            { argument: 2, path: "lockLifetime" },
            { argument: 1, path: "lockLifetime" },
          ],
          unit: "ms",
          zero: "next",
          atLeast: { ms: 1000, because: "it counts milliseconds" },
        },
        {
          at: { made: "receiver", by: ["new Agenda", "new default"] },
          slot: { argument: 0, path: "defaultLockLifetime" },
          unit: "ms",
          zero: "default",
          default: 600_000,
          atLeast: { ms: 1000, because: "it counts milliseconds" },
        },
      ],
      renewedBy: "touch",
      advice: touch,
    },
    {
      id: "P14",
      at: { call: "@Define" },
      as: "limit",
      timeout: { handler: "decorated method" },
      lease: { slot: { argument: 0, path: "lockLifetime" }, unit: "ms", zero: "default", default: 600_000 },
      renewedBy: "touch",
      advice: touch,
    },
    {
      id: "P14",
      at: { call: "@Every" },
      as: "limit",
      timeout: { handler: "decorated method" },
      lease: { slot: { argument: 1, path: "lockLifetime" }, unit: "ms", zero: "default", default: 600_000 },
      renewedBy: "touch",
      advice: touch,
    },
  ],
};
