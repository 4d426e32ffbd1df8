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
};
