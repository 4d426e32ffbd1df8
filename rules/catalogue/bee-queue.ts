import type { Library } from "./vocabulary.js";

/** `createJob` only builds: `Job.save` and `saveAll` send. */
export const beeQueue: Library = {
  name: "Bee-Queue",
  packages: ["bee-queue"],
  values: {
    BeeQueue: "default()",
    Job: ["BeeQueue.createJob()", "Job.setId()", "Job.retries()", "Job.backoff()", "Job.delayUntil()", "Job.timeout()"],
  },
  dispatches: [
    { member: "Job.save", to: "queue" },
    { member: "BeeQueue.saveAll", to: "queue", payload: { argument: 0 } },
  ],
  retriesOnThrow: true,
  handlers: [{ registeredBy: "BeeQueue.process", handler: { argument: "last" } }, { parameterType: "Job" }],
  identities: [
    {
      property: "Job.id",
      stableOver: "retries",
      chosenBy: { member: "Job.setId", slot: { argument: 0 } },
    },
  ],
  keys: [{ member: "Job.setId", slot: { argument: 0 }, role: "dedup", holds: "while the job record exists" }],
  leases: [
    {
      id: "P15",
      settings: "`.timeout(ms)` of a job and `stallInterval`",
      because: "the worker renews the lease every half `stallInterval`",
    },
  ],
};
