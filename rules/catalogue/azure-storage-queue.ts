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
};
