import type { Library } from "./vocabulary.js";

/** The route runs again at every step; the result of a step is kept. */
export const upstashWorkflow: Library = {
  name: "Upstash Workflow",
  packages: ["@upstash/workflow"],
  dispatches: [
    {
      member: "Client.trigger",
      to: "workflow",
      payload: [
        { argument: 0, path: "body" },
        { argument: 0, path: "[].body" },
      ],
    },
    { member: "Client.notify", to: "workflow", payload: { argument: 0, path: "eventData" } },
    { member: ["WorkflowContext.invoke", "WorkflowContext.notify"], to: "workflow" },
  ],
  handlers: [
    { registeredBy: ["serve", "createWorkflow"], handler: { argument: 0 }, jobAt: "requestPayload" },
    { parameterType: "WorkflowContext", jobAt: "requestPayload" },
  ],
  identities: [
    {
      property: "WorkflowContext.workflowRunId",
      stableOver: "retries",
      chosenBy: { member: "Client.trigger", slot: { argument: 0, path: "workflowRunId" } },
    },
  ],
  keys: [
    {
      member: "Client.trigger",
      slot: { argument: 0, path: "workflowRunId" },
      role: "dedup",
      holds: "while the run is kept",
    },
  ],
  memoised: [{ member: "WorkflowContext.run", callback: 1 }],
};
