import type { Library } from "./vocabulary.js";

const oneDay = "24 hours, or as long as the message is retained if that is less";

export const vercelQueue: Library = {
  name: "@vercel/queue",
  packages: ["@vercel/queue"],
  dispatches: [
    { member: ["send", "QueueClient.send", "PollingQueueClient.send"], to: "queue", payload: { argument: 1 } },
    {
      member: [
        "experimental_sendBatch",
        "QueueClient.experimental_sendBatch",
        "PollingQueueClient.experimental_sendBatch",
      ],
      to: "queue",
      payload: { argument: 1, path: "[].payload" },
    },
  ],
  retriesOnThrow: true,
  handlers: [
    {
      registeredBy: ["handleCallback", "QueueClient.handleCallback", "QueueClient.handleNodeCallback"],
      handler: { argument: 0 },
    },
    { registeredBy: "PollingQueueClient.receive", handler: { argument: 2 } },
    { functionType: "MessageHandler" },
  ],
  identities: [
    { property: "MessageMetadata.messageId", stableOver: "retries" },
    { property: "MessageMetadata.deliveryCount", stableOver: "nothing" },
  ],
  keys: [
    {
      member: ["send", "QueueClient.send", "PollingQueueClient.send"],
      slot: { argument: 2, path: "idempotencyKey" },
      role: "dedup",
      holds: oneDay,
    },
  ],
  leases: [
    {
      id: "P31",
      settings: "`visibilityTimeoutSeconds`",
      because: "the library renews it while the handler runs",
    },
  ],
};
