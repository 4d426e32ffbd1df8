import type { Library } from "./vocabulary.js";

/** A handler that throws is delivered to again at once, without end, unless an error behaviour is set. */
export const golevelupNestjsRabbitmq: Library = {
  name: "@golevelup/nestjs-rabbitmq",
  packages: ["@golevelup/nestjs-rabbitmq"],
  dispatches: [
    { member: "AmqpConnection.publish", to: "topic", payload: { argument: 2 } },
    { member: "AmqpConnection.request", to: "queue", payload: { argument: 0, path: "payload" } },
  ],
  handlers: [
    { methodDecorator: ["@RabbitSubscribe", "@RabbitRPC", "@RabbitHandler"] },
    { registeredBy: ["AmqpConnection.createSubscriber", "AmqpConnection.createRpc"], handler: { argument: 0 } },
    { registeredBy: "AmqpConnection.createBatchSubscriber", handler: { argument: 0 }, batch: true },
    { functionType: ["SubscriberHandler", "RpcSubscriberHandler"] },
    { functionType: "BatchSubscriberHandler", batch: true },
  ],
};
