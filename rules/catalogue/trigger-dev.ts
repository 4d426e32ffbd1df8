import type { Library } from "./vocabulary.js";

const thirtyDays = "30 days by default, and not after a failed run";

/** A plain string key inside a task counts for the parent run only (since 4.3.1). */
export const triggerDev: Library = {
  name: "Trigger.dev",
  packages: ["@trigger.dev/sdk", "@trigger.dev/core"],
  values: { Task: ["task()", "schemaTask()", "toolTask()", "schedules.task()"] },
  dispatches: [
    {
      member: ["Task.trigger", "Task.triggerAndWait", "Task.triggerAndSubscribe"],
      to: "queue",
      payload: { argument: 0 },
    },
    {
      member: ["Task.batchTrigger", "Task.batchTriggerAndWait"],
      to: "queue",
      payload: { argument: 0, path: "[].payload" },
    },
    {
      member: ["tasks.trigger", "tasks.triggerAndWait", "tasks.triggerAndSubscribe"],
      to: "queue",
      payload: { argument: 1 },
    },
    {
      member: ["tasks.batchTrigger", "tasks.batchTriggerAndWait"],
      to: "queue",
      payload: { argument: 1, path: "[].payload" },
    },
    {
      member: ["batch.trigger", "batch.triggerAndWait", "batch.triggerByTask", "batch.triggerByTaskAndWait"],
      to: "queue",
      payload: { argument: 0, path: "[].payload" },
    },
    // a whole module is exported as `schedules`: in its declarations `create` stands alone
    { member: ["schedules.create", "create"], to: "queue" },
    { member: "runs.replay", to: "queue" },
  ],
  retriesOnThrow: true,
  terminalError: "AbortTaskRunError",
  handlers: [
    { registeredBy: ["task", "schemaTask", "toolTask", "schedules.task"], handler: { argument: 0, path: "run" } },
  ],
  identities: [
    { property: ["TaskRunContext.run.id", "V3TaskRunContext.run.id"], stableOver: "retries" },
    { property: ["TaskRunContext.attempt.number", "V3TaskRunContext.attempt.number"], stableOver: "nothing" },
  ],
  keys: [
    {
      member: ["Task.trigger", "Task.triggerAndWait", "Task.triggerAndSubscribe"],
      slot: { argument: 1, path: "idempotencyKey" },
      role: "dedup",
      holds: thirtyDays,
    },
    {
      member: ["Task.batchTrigger", "Task.batchTriggerAndWait"],
      slot: { argument: 0, path: "[].options.idempotencyKey" },
      role: "dedup",
      holds: thirtyDays,
    },
    {
      member: ["tasks.trigger", "tasks.triggerAndWait", "tasks.triggerAndSubscribe"],
      slot: { argument: 2, path: "idempotencyKey" },
      role: "dedup",
      holds: thirtyDays,
    },
    {
      member: ["tasks.batchTrigger", "tasks.batchTriggerAndWait"],
      slot: { argument: 1, path: "[].options.idempotencyKey" },
      role: "dedup",
      holds: thirtyDays,
    },
    {
      member: ["batch.trigger", "batch.triggerAndWait", "batch.triggerByTask", "batch.triggerByTaskAndWait"],
      slot: { argument: 0, path: "[].options.idempotencyKey" },
      role: "dedup",
      holds: thirtyDays,
    },
    {
      member: ["schedules.create", "create"],
      slot: { argument: 0, path: "deduplicationKey" },
      role: "dedup",
      holds: "while the schedule exists",
    },
  ],
  replaySafe: "idempotencyKeys.create",
  leases: [
    {
      id: "P32",
      settings: "`maxDuration` and the stall after 5 minutes",
      because: "`maxDuration` counts CPU time, and the run sends heartbeats every 30 s",
    },
  ],
};
