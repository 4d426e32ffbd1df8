import type { DurationSetting, Library } from "./vocabulary.js";

const recordExists = "while the job record exists";
const untilFinished = "until the job finishes, or for its ttl";

const lockDuration: DurationSetting = {
  slot: { argument: 2, path: "lockDuration" },
  unit: "ms",
  default: 30_000,
  atLeast: { ms: 1000, because: "it counts milliseconds" },
};

/** The PostgreSQL backend of BullMQ 6 has a pool of its own: no call joins a transaction. */
export const bullmq: Library = {
  name: "BullMQ",
  packages: ["bullmq"],
  values: { Job: ["Queue.add()", "Queue.getJob()", "Worker.getNextJob()", "Job.fromId()", "Job.create()"] },
  dispatches: [
    { member: "Queue.add", to: "queue", payload: { argument: 1 } },
    { member: "Queue.addBulk", to: "queue", payload: { argument: 0, path: "[].data" } },
    { member: "Queue.upsertJobScheduler", to: "queue", payload: { argument: 2, path: "data" } },
    { member: "FlowProducer.add", to: "queue", payload: { argument: 0, path: "data" } },
    { member: "FlowProducer.addBulk", to: "queue", payload: { argument: 0, path: "[].data" } },
    { member: "Job.create", to: "queue", payload: { argument: 2 } },
    { member: "Job.createBulk", to: "queue", payload: { argument: 1, path: "[].data" } },
    { member: ["Job.retry", "Job.promote", "Queue.retryJobs", "Queue.promoteJobs"], to: "queue" },
    { member: "Repeat.addNextRepeatableJob", to: "queue", payload: { argument: 1 } },
    { member: "QueueEventsProducer.publishEvent", to: "pub/sub", payload: { argument: 0 } },
    { member: "Relay.publish", to: "pub/sub", payload: { argument: 1 } },
  ],
  retriesOnThrow: true,
  terminalError: "UnrecoverableError",
  handlers: [
    { registeredBy: "new Worker", handler: { argument: 1 } },
    { functionType: "Processor", parameterType: ["Job", "SandboxedJob"] },
  ],
  identities: [
    {
      // Automatic ids are a counter of the queue: not even unique over two queues.
      property: ["Job.id", "JobJson.id", "SandboxedJob.id"],
      stableOver: "retries",
      chosenBy: [
        { member: "Queue.add", slot: { argument: 2, path: "jobId" } },
        { member: "Queue.addBulk", slot: { argument: 0, path: "[].opts.jobId" } },
        { member: "FlowProducer.add", slot: { argument: 0, path: "opts.jobId" } },
        { member: "FlowProducer.addBulk", slot: { argument: 0, path: "[].opts.jobId" } },
      ],
    },
    {
      property: ["Job.token", "Job.processedOn", "Job.attemptsMade", "Job.attemptsStarted"],
      stableOver: "nothing",
    },
  ],
  keys: [
    { member: "Queue.add", slot: { argument: 2, path: "jobId" }, role: "dedup", holds: recordExists },
    { member: "Queue.addBulk", slot: { argument: 0, path: "[].opts.jobId" }, role: "dedup", holds: recordExists },
    { member: "FlowProducer.add", slot: { argument: 0, path: "opts.jobId" }, role: "dedup", holds: recordExists },
    {
      member: "FlowProducer.addBulk",
      slot: { argument: 0, path: "[].opts.jobId" },
      role: "dedup",
      holds: recordExists,
    },
    { member: "Queue.upsertJobScheduler", slot: { argument: 0 }, role: "dedup", holds: "while the scheduler exists" },
    { member: "Queue.add", slot: { argument: 2, path: "deduplication.id" }, role: "dedup", holds: untilFinished },
    { member: "Queue.add", slot: { argument: 2, path: "debounce.id" }, role: "dedup", holds: untilFinished },
    {
      member: "Queue.addBulk",
      slot: { argument: 0, path: "[].opts.deduplication.id" },
      role: "dedup",
      holds: untilFinished,
    },
  ],
  leases: [
    {
      id: "P1",
      at: { call: "new Worker" },
      as: "renewal",
      unless: { slot: { argument: 2, path: "skipLockRenewal" }, is: true },
      timeout: { slot: { argument: 2, path: "lockRenewTime" }, unit: "ms" },
      lease: lockDuration,
    },
    {
      id: "P2",
      at: { call: "new Worker" },
      as: "limit",
      when: { slot: { argument: 2, path: "skipLockRenewal" }, is: true },
      // a stalled job fails at once, and nobody runs it again
      unless: { slot: { argument: 2, path: "maxStalledCount" }, is: 0 },
      timeout: { handler: { argument: 1 } },
      lease: lockDuration,
      renewedBy: "extendLock",
    },
    {
      id: "P3",
      at: { call: "Worker.getNextJob" },
      as: "limit",
      unless: { at: { made: "receiver", by: "new Worker" }, slot: { argument: 2, path: "maxStalledCount" }, is: 0 },
      timeout: { handler: "what follows" },
      lease: { ...lockDuration, at: { made: "receiver", by: "new Worker" } },
      renewedBy: "extendLock",
      endedBy: ["moveToCompleted", "moveToFailed", "moveToDelayed"],
      advice:
        "Lower the limit, raise `lockDuration`, or call `job.extendLock()` while the job runs: nothing renews the lock of a job that `getNextJob` took",
    },
  ],
};
