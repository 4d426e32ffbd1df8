import type { Library } from "./vocabulary.js";

const recordExists = "while the job record exists";
const untilFinished = "until the job finishes, or for its ttl";

export const bull: Library = {
  name: "Bull",
  packages: ["bull", "@types/bull"],
  values: { Queue: "default()", Job: ["Queue.add()", "Queue.getJob()", "Queue.getNextJob()"] },
  dispatches: [
    { member: "Queue.add", to: "queue", payload: [{ argument: 0 }, { argument: 1 }] },
    { member: "Queue.addBulk", to: "queue", payload: { argument: 0, path: "[].data" } },
    { member: ["Job.retry", "Job.promote"], to: "queue" },
  ],
  retriesOnThrow: true,
  handlers: [
    { registeredBy: "Queue.process", handler: { argument: "last" } },
    { functionType: ["ProcessCallbackFunction", "ProcessPromiseFunction"], parameterType: "Job" },
  ],
  identities: [
    {
      property: "Job.id",
      stableOver: "retries",
      chosenBy: [
        { member: "Queue.add", slot: { argument: 1, path: "jobId" } },
        { member: "Queue.add", slot: { argument: 2, path: "jobId" } },
        { member: "Queue.addBulk", slot: { argument: 0, path: "[].opts.jobId" } },
      ],
    },
    { property: ["Job.attemptsMade", "Job.processedOn"], stableOver: "nothing" },
  ],
  keys: [
    { member: "Queue.add", slot: { argument: 1, path: "jobId" }, role: "dedup", holds: recordExists },
    { member: "Queue.add", slot: { argument: 2, path: "jobId" }, role: "dedup", holds: recordExists },
    { member: "Queue.addBulk", slot: { argument: 0, path: "[].opts.jobId" }, role: "dedup", holds: recordExists },
    { member: "Queue.add", slot: { argument: 1, path: "debounce.id" }, role: "dedup", holds: untilFinished },
    { member: "Queue.add", slot: { argument: 2, path: "debounce.id" }, role: "dedup", holds: untilFinished },
  ],
  leases: [
    {
      id: "P4",
      at: { call: ["new Bull", "Bull", "new default", "default", "new Queue"] },
      as: "renewal",
      timeout: {
        slot: [
          { argument: 1, path: "settings.lockRenewTime" },
          { argument: 2, path: "settings.lockRenewTime" },
        ],
        unit: "ms",
      },
      lease: {
        slot: [
          { argument: 1, path: "settings.lockDuration" },
          { argument: 2, path: "settings.lockDuration" },
        ],
        unit: "ms",
        default: 30_000,
        atLeast: { ms: 1000, because: "it counts milliseconds" },
      },
    },
    {
      id: "P5",
      settings: "`timeout` of a job and `settings.lockDuration`",
      because: "the lock renews itself while the event loop turns",
    },
  ],
};
