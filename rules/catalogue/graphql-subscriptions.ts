import type { Library } from "./vocabulary.js";

export const graphqlSubscriptions: Library = {
  name: "graphql-subscriptions and graphql-redis-subscriptions",
  packages: ["graphql-subscriptions", "graphql-redis-subscriptions"],
  dispatches: [
    {
      member: ["PubSubEngine.publish", "PubSub.publish", "RedisPubSub.publish"],
      to: "pub/sub",
      payload: { argument: 1 },
    },
  ],
};
