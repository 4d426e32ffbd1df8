import type { Library } from "./vocabulary.js";

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
};
