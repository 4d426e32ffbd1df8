import type { Library } from "./vocabulary.js";

const channelClosed = {
  consequence:
    "RabbitMQ closes the channel and hands every unacknowledged message of it to another consumer while this one still runs",
  advice: "Lower the limit, acknowledge earlier, or raise `x-consumer-timeout` of the queue",
};

/** Puts a random UUID as message id on every publish. */
export const rascal: Library = {
  name: "Rascal",
  packages: ["rascal", "@types/rascal"],
  values: {
    BrokerAsPromised: "BrokerAsPromised.create()",
    SubscriberSessionAsPromised: "BrokerAsPromised.subscribe()",
  },
  dispatches: [
    {
      member: ["BrokerAsPromised.publish", "BrokerAsPromised.forward", "Broker.publish", "Broker.forward"],
      to: "topic",
      payload: { argument: 1 },
    },
  ],
  handlers: [
    {
      registeredBy: ["SubscriberSessionAsPromised.on", "SubscriptionSession.on"],
      handler: { argument: 1 },
      event: { argument: 0, oneOf: ["message"] },
    },
  ],
  leases: [
    {
      id: "P16",
      at: {
        call: ["SubscriberSessionAsPromised.on", "SubscriptionSession.on"],
        event: { argument: 0, oneOf: ["message"] },
      },
      as: "limit",
      timeout: { handler: { argument: 1 } },
      lease: { unit: "ms", default: 1_800_000, defaultIs: "the default of RabbitMQ" },
      endedBy: "ackOrNack",
      ...channelClosed,
    },
  ],
};
