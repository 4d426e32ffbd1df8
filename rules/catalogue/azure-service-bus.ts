import type { DurationSetting, Library, Reach } from "./vocabulary.js";

const detection = "10 minutes by default, only where the queue detects duplicates";

const receiver: Reach = {
  made: "receiver",
  by: ["ServiceBusClient.createReceiver", "ServiceBusClient.acceptSession", "ServiceBusClient.acceptNextSession"],
};
/** The client renews the lock for so long; with 0 it does not, and the queue's own lock is all there is. */
const lockRenewal: readonly DurationSetting[] = [
  {
    at: receiver,
    slot: [
      { argument: 1, path: "maxAutoLockRenewalDurationInMs" },
      { argument: 2, path: "maxAutoLockRenewalDurationInMs" },
    ],
    unit: "ms",
    zero: "next",
    default: 300_000,
    atLeast: { ms: 1000, because: "it counts milliseconds" },
  },
  {
    at: {
      namedIn: ["ServiceBusAdministrationClient.createQueue"],
      name: { argument: 0 },
      as: { argument: 0 },
      from: receiver,
    },
    slot: { argument: 1, path: "lockDuration" },
    unit: "written",
    default: 60_000,
    defaultIs: "PT1M, the default of a queue of Service Bus",
  },
];
const lockLost = {
  consequence: "the lock ends, and Service Bus delivers the message again while this receiver still works on it",
  advice: "Lower the limit, or raise `maxAutoLockRenewalDurationInMs`",
};

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
  leases: [
    {
      id: "P23",
      at: { call: ["ServiceBusReceiver.subscribe", "ServiceBusSessionReceiver.subscribe"] },
      as: "limit",
      unless: { at: receiver, slot: { argument: 1, path: "receiveMode" }, is: "receiveAndDelete" },
      timeout: { handler: { argument: 0, path: "processMessage" } },
      lease: lockRenewal,
      renewedBy: "renewMessageLock",
      endedBy: ["completeMessage", "abandonMessage", "deadLetterMessage", "deferMessage"],
      ...lockLost,
    },
    {
      id: "P23",
      at: { call: ["ServiceBusReceiver.receiveMessages", "ServiceBusSessionReceiver.receiveMessages"] },
      as: "limit",
      unless: { at: receiver, slot: { argument: 1, path: "receiveMode" }, is: "receiveAndDelete" },
      timeout: { handler: "what follows", batch: { size: { argument: 0 }, default: 1 } },
      lease: lockRenewal,
      renewedBy: "renewMessageLock",
      endedBy: ["completeMessage", "abandonMessage", "deadLetterMessage", "deferMessage"],
      ...lockLost,
    },
  ],
};
