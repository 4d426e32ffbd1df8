import type { Library } from "./vocabulary.js";

const oneDay = "24 hours";

/** Code outside `step.run` runs again at every step; the result of a step is kept. */
export const inngest: Library = {
  name: "Inngest",
  packages: ["inngest"],
  dispatches: [
    {
      member: "Inngest.send",
      to: "queue",
      payload: [
        { argument: 0, path: "data" },
        { argument: 0, path: "[].data" },
      ],
    },
    { member: "Inngest.sendSignal", to: "workflow", payload: { argument: 0, path: "data" } },
    {
      member: "createStepTools.sendEvent",
      to: "queue",
      payload: [
        { argument: 1, path: "data" },
        { argument: 1, path: "[].data" },
      ],
    },
    {
      member: ["createStepTools.invoke", "createStepTools.sendSignal"],
      to: "workflow",
      payload: { argument: 1, path: "data" },
    },
  ],
  retriesOnThrow: true,
  terminalError: "NonRetriableError",
  handlers: [
    { registeredBy: ["Inngest.createFunction", "CreateFunction.()"], handler: { argument: "last" }, jobAt: "event" },
  ],
  identities: [
    {
      property: ["MinimalEventPayload.id", "EventPayload.id"],
      stableOver: "retries",
      chosenBy: [
        { member: "Inngest.send", slot: { argument: 0, path: "id" } },
        { member: "Inngest.send", slot: { argument: 0, path: "[].id" } },
      ],
    },
    {
      property: ["BaseContext.runId", "BaseContextWithTriggers.runId", "ContextWithTriggers.runId"],
      stableOver: "retries",
    },
    {
      property: ["BaseContext.attempt", "BaseContextWithTriggers.attempt", "ContextWithTriggers.attempt"],
      stableOver: "nothing",
    },
  ],
  keys: [
    { member: "Inngest.send", slot: { argument: 0, path: "id" }, role: "dedup", holds: oneDay },
    { member: "Inngest.send", slot: { argument: 0, path: "[].id" }, role: "dedup", holds: oneDay },
    { member: "createStepTools.sendEvent", slot: { argument: 1, path: "id" }, role: "dedup", holds: oneDay },
    { member: "createStepTools.sendEvent", slot: { argument: 1, path: "[].id" }, role: "dedup", holds: oneDay },
  ],
  memoised: [{ member: ["createStepTools.run", "createStepTools.wrap"], callback: 1 }],
  leases: [
    {
      id: "P34",
      settings: "`timeouts.finish`",
      because: "the lease is not in the code: Inngest keeps it",
    },
  ],
};
