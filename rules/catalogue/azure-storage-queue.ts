import type { Library } from "./vocabulary.js";

export const azureStorageQueue: Library = {
  name: "Azure Storage Queue",
  packages: ["@azure/storage-queue"],
  values: { QueueClient: "QueueServiceClient.getQueueClient()" },
  dispatches: [{ member: "QueueClient.sendMessage", to: "queue", payload: { argument: 0 } }],
  handlers: [{ parameterType: ["DequeuedMessageItem", "ReceivedMessageItem"] }],
  identities: [
    { property: ["DequeuedMessageItem.messageId", "ReceivedMessageItem.messageId"], stableOver: "retries" },
    { property: ["DequeuedMessageItem.popReceipt", "ReceivedMessageItem.popReceipt"], stableOver: "nothing" },
  ],
  leases: [
    {
      id: "P24",
      at: { call: "QueueClient.receiveMessages" },
      as: "limit",
      timeout: {
        handler: "what follows",
        batch: { size: { argument: 0, path: "numberOfMessages" }, default: 1 },
      },
      lease: { slot: { argument: 0, path: "visibilityTimeout" }, unit: "s", default: 30_000 },
      renewedBy: "updateMessage",
      endedBy: "deleteMessage",
      consequence: "the message becomes visible again, and a second worker takes it while the first still runs",
      advice:
        "Lower the limit, raise `visibilityTimeout` (seconds), or call `updateMessage` while the message is worked on",
    },
  ],
};
