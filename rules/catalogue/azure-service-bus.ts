import type { Library } from "./vocabulary.js";

const detection = "10 minutes by default, only where the queue detects duplicates";

export const azureServiceBus: Library = {
  name: "Azure Service Bus",
  packages: ["@azure/service-bus"],
  values: {
    ServiceBusSender: "ServiceBusClient.createSender()",
    ServiceBusReceiver: "ServiceBusClient.createReceiver()",
    ServiceBusSessionReceiver: ["ServiceBusClient.acceptSession()", "ServiceBusClient.acceptNextSession()"],
  },
  dispatches: [
    {
      member: ["ServiceBusSender.sendMessages", "ServiceBusSender.scheduleMessages"],
      to: "queue",
      payload: [
        { argument: 0, path: "body" },
        { argument: 0, path: "[].body" },
      ],
    },
  ],
  handlers: [
    {
      registeredBy: ["ServiceBusReceiver.subscribe", "ServiceBusSessionReceiver.subscribe"],
      handler: { argument: 0, path: "processMessage" },
    },
    { parameterType: "ServiceBusReceivedMessage" },
  ],
  identities: [
    { property: "ServiceBusReceivedMessage.sequenceNumber", stableOver: "retries" },
    {
      property: ["ServiceBusReceivedMessage.lockToken", "ServiceBusReceivedMessage.deliveryCount"],
      stableOver: "nothing",
    },
  ],
  keys: [
    {
      member: ["ServiceBusSender.sendMessages", "ServiceBusSender.scheduleMessages"],
      slot: { argument: 0, path: "messageId" },
      role: "dedup",
      holds: detection,
    },
    {
      member: ["ServiceBusSender.sendMessages", "ServiceBusSender.scheduleMessages"],
      slot: { argument: 0, path: "[].messageId" },
      role: "dedup",
      holds: detection,
    },
    {
      member: "ServiceBusMessageBatch.tryAddMessage",
      slot: { argument: 0, path: "messageId" },
      role: "dedup",
      holds: detection,
    },
  ],
};
