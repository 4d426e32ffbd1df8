import type { Library } from "./vocabulary.js";

const untilRuns = "until the job is locked to run";

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
    },
    {
      member: ["Helpers.addJobs", "JobHelpers.addJobs", "WorkerUtils.addJobs", "AddJobsFunction.()"],
      to: "queue",
      payload: { argument: 0, path: "[].payload" },
    },
    { member: ["addJobAdhoc", "quickAddJob"], to: "queue", payload: { argument: 2 } },
    { member: "WorkerUtils.rescheduleJobs", to: "queue" },
  ],
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
};
