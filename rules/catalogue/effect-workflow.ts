import type { Library } from "./vocabulary.js";

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
};
