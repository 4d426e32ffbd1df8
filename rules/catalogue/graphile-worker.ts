import type { DurationSetting, Library } from "./vocabulary.js";

const untilRuns = "until the job is locked to run";

const fourHours: DurationSetting = { unit: "ms", default: 14_400_000, defaultIs: "fixed in Graphile Worker" };
const splitTask = "Split the task into smaller ones: no option changes this lease";

const addJob = 'client.query("select graphile_worker.add_job(…)")';

/**
 * `addJob` uses the pool, although the queue lives in PostgreSQL: only SQL `graphile_worker.add_job(…)` on the
 * transaction's own client joins it, and that is a query, not a dispatch of this library.
 */
export const graphileWorker: Library = {
  name: "Graphile Worker",
  packages: ["graphile-worker"],
  values: {
    WorkerUtils: "makeWorkerUtils()",
    Runner: "run()",
    Job: "JobHelpers.job",
  },
  dispatches: [
    {
      member: ["Helpers.addJob", "JobHelpers.addJob", "WorkerUtils.addJob", "Runner.addJob", "AddJobFunction.()"],
      to: "queue",
      payload: { argument: 1 },
      joinsAs: addJob,
    },
    {
      member: ["Helpers.addJobs", "JobHelpers.addJobs", "WorkerUtils.addJobs", "AddJobsFunction.()"],
      to: "queue",
      payload: { argument: 0, path: "[].payload" },
      joinsAs: addJob,
    },
    { member: ["addJobAdhoc", "quickAddJob"], to: "queue", payload: { argument: 2 }, joinsAs: addJob },
    { member: "WorkerUtils.rescheduleJobs", to: "queue" },
  ],
  retriesOnThrow: true,
  handlers: [
    { registeredBy: ["run", "runOnce"], handler: { argument: 0, path: "taskList.*" } },
    { registeredBy: ["run", "runOnce", "runTaskList", "runTaskListOnce"], handler: { argument: 1, path: "*" } },
    { functionType: "Task" },
    { parameterType: "JobHelpers", job: 1, jobAt: "job" },
  ],
  identities: [
    { property: ["Job.id", "DbJob.id"], stableOver: "retries" },
    { property: ["Job.attempts", "DbJob.attempts", "DbJob.locked_at"], stableOver: "nothing" },
  ],
  keys: [
    {
      member: ["Helpers.addJob", "JobHelpers.addJob", "WorkerUtils.addJob", "Runner.addJob", "AddJobFunction.()"],
      slot: { argument: 2, path: "jobKey" },
      role: "dedup",
      holds: untilRuns,
    },
    {
      member: ["Helpers.addJobs", "JobHelpers.addJobs", "WorkerUtils.addJobs", "AddJobsFunction.()"],
      slot: { argument: 0, path: "[].jobKey" },
      role: "dedup",
      holds: untilRuns,
    },
    {
      member: ["addJobAdhoc", "quickAddJob"],
      slot: { argument: 3, path: "jobKey" },
      role: "dedup",
      holds: untilRuns,
    },
  ],
  leases: [
    {
      id: "P9",
      at: { call: ["run", "runOnce"] },
      as: "limit",
      timeout: { handler: { argument: 0, path: "taskList.*" } },
      lease: fourHours,
      advice: splitTask,
    },
    {
      id: "P9",
      at: { call: ["runTaskList", "runTaskListOnce"] },
      as: "limit",
      timeout: { handler: { argument: 1, path: "*" } },
      lease: fourHours,
      advice: splitTask,
    },
    {
      id: "P9",
      at: { annotated: "TaskList" },
      as: "limit",
      timeout: { handler: { argument: 0, path: "*" } },
      lease: fourHours,
      advice: splitTask,
    },
    {
      id: "P9",
      at: { annotated: "Task" },
      as: "limit",
      timeout: { handler: { argument: 0 } },
      lease: fourHours,
      advice: splitTask,
    },
  ],
};
