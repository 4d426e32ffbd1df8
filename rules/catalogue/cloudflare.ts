import type { Library } from "./vocabulary.js";

/** `wrangler types` writes the runtime's types into the user's own project. Queues deduplicate nothing. */
export const cloudflare: Library = {
  name: "Cloudflare Queues and Workflows",
  packages: ["@cloudflare/workers-types"],
  importedFrom: ["cloudflare:workers"],
  generated: {
    containers: ["Queue", "MessageBatch", "Message", "Workflow", "WorkflowStep", "WorkflowEntrypoint"],
    fileContains: "Runtime types generated with workerd@",
  },
  globals: ["Queue", "MessageBatch"],
  dispatches: [
    { member: "Queue.send", to: "queue", payload: { argument: 0 } },
    { member: "Queue.sendBatch", to: "queue", payload: { argument: 0, path: "[].body" } },
    { member: "Workflow.create", to: "workflow", payload: { argument: 0, path: "params" } },
    { member: "Workflow.createBatch", to: "workflow", payload: { argument: 0, path: "[].params" } },
  ],
  retriesOnThrow: true,
  handlers: [
    { functionType: "ExportedHandlerQueueHandler", parameterType: "MessageBatch", jobAt: "messages", batch: true },
    { methods: "queue", extends: "WorkerEntrypoint", jobAt: "messages", batch: true },
    { methods: "run", extends: "WorkflowEntrypoint" },
  ],
  identities: [
    { property: "Message.id", stableOver: "retries" },
    { property: "Message.attempts", stableOver: "nothing" },
  ],
  keys: [
    {
      member: "Workflow.create",
      slot: { argument: 0, path: "id" },
      role: "dedup",
      holds: "while the instance is kept",
    },
    {
      member: "Workflow.createBatch",
      slot: { argument: 0, path: "[].id" },
      role: "dedup",
      holds: "while the instance is kept",
    },
  ],
  memoised: [{ member: "WorkflowStep.do", callback: "last" }],
  leases: [
    {
      id: "P34",
      settings: "the consumer's 15 minutes",
      because: "the lease is not in the code: it stands in the consumer's configuration",
    },
  ],
};
