import type { DurationSetting, Library } from "./vocabulary.js";

const lockRefresh: DurationSetting = {
  slot: { argument: 0, path: "lockRefreshInterval" },
  unit: "ms",
  default: 30_000,
};
const lockExpiration: DurationSetting = { slot: { argument: 0, path: "lockExpiration" }, unit: "ms" };

/**
 * `PersistedQueue.offer` is no dispatch here: with the SQL store it uses the ambient client, and so takes part in the
 * transaction around it.
 */
export const effectWorkflow: Library = {
  name: "Effect workflows and persisted queues",
  packages: ["effect", "@effect/workflow", "@effect/experimental"],
  values: { Workflow: "Workflow.make()", PersistedQueue: "PersistedQueue.make()" },
  dispatches: [{ member: "Workflow.execute", to: "workflow", payload: { argument: 0 } }],
  handlers: [
    { registeredBy: "Workflow.toLayer", handler: { argument: 0 } },
    { registeredBy: "PersistedQueue.take", handler: { argument: 0 } },
  ],
  keys: [
    {
      member: "PersistedQueue.offer",
      slot: { argument: 1, path: "id" },
      role: "dedup",
      holds: "until the id is cleaned up",
    },
  ],
  replaySafe: ["Activity.idempotencyKey", "idempotencyKey"],
  durations: [
    { member: ["nanos", "Duration.nanos"], reads: "ns", makes: "written" },
    { member: ["millis", "Duration.millis"], reads: "ms", makes: "written" },
    { member: ["seconds", "Duration.seconds"], reads: "s", makes: "written" },
    { member: ["minutes", "Duration.minutes"], reads: "min", makes: "written" },
    { member: ["hours", "Duration.hours"], reads: "h", makes: "written" },
    { member: ["days", "Duration.days"], reads: "d", makes: "written" },
    { member: ["toMillis", "Duration.toMillis"], reads: "ms", makes: "ms" },
    { member: ["toSeconds", "Duration.toSeconds"], reads: "ms", makes: "s" },
  ],
  deadlines: [
    {
      member: [
        "timeout",
        "timeoutOption",
        "timeoutOrElse",
        "Effect.timeout",
        "Effect.timeoutOption",
        "Effect.timeoutFail",
      ],
      slot: { argument: "last" },
      unit: "ms",
      around: 0,
    },
  ],
  leases: [
    {
      id: "P33",
      at: { call: ["layerStoreSql", "PersistedQueue.layerStoreSql"] },
      as: "renewal",
      timeout: lockRefresh,
      lease: { ...lockExpiration, default: 120_000 },
    },
    {
      id: "P33",
      at: { call: ["layerStoreRedis", "PersistedQueue.layerStoreRedis"] },
      as: "renewal",
      timeout: lockRefresh,
      lease: { ...lockExpiration, default: 90_000 },
    },
  ],
};
