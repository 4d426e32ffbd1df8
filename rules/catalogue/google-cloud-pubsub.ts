import type { Library } from "./vocabulary.js";

/** "Exactly once" subscriptions know one message id: a second publish has another. */
export const googleCloudPubsub: Library = {
  name: "Google Cloud Pub/Sub",
  packages: ["@google-cloud/pubsub"],
  values: {
    Topic: "PubSub.topic()",
    Subscription: ["PubSub.subscription()", "Topic.subscription()"],
  },
  dispatches: [
    {
      member: ["Topic.publishMessage", "Publisher.publishMessage"],
      to: "topic",
      payload: [
        { argument: 0, path: "json" },
        { argument: 0, path: "data" },
      ],
    },
    { member: ["Topic.publish", "Topic.publishJSON", "Publisher.publish"], to: "topic", payload: { argument: 0 } },
  ],
  handlers: [
    { registeredBy: "Subscription.on", handler: { argument: 1 }, event: { argument: 0, oneOf: ["message"] } },
    { parameterType: "Message" },
  ],
  identities: [
    { property: "Message.id", stableOver: "retries" },
    { property: ["Message.ackId", "Message.deliveryAttempt"], stableOver: "nothing" },
  ],
  durations: [{ member: "Duration.from", reads: "written", makes: "written" }],
  leases: [
    {
      id: "P21",
      at: { call: "Subscription.on", event: { argument: 0, oneOf: ["message"] } },
      as: "limit",
      timeout: { handler: { argument: 1 } },
      lease: {
        at: { made: "receiver", by: ["PubSub.subscription", "Topic.subscription"] },
        slot: { argument: 1, path: "maxExtensionTime" },
        unit: "written",
        default: 3_600_000,
      },
      renewedBy: "modAck",
      endedBy: ["ack", "nack", "ackWithResponse", "nackWithResponse"],
      consequence:
        "Pub/Sub stops extending the lease and delivers the message again while this subscriber still works on it",
    },
  ],
};
