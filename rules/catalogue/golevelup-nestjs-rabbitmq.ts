import type { DurationSetting, Library } from "./vocabulary.js";

const channelClosed = {
  consequence:
    "RabbitMQ closes the channel and hands every unacknowledged message of it to another consumer while this one still runs",
  advice: "Lower the limit, acknowledge earlier, or raise `x-consumer-timeout` of the queue",
};

const consumerTimeout = (argument: number): DurationSetting => ({
  slot: { argument, path: "queueOptions.arguments.x-consumer-timeout" },
  unit: "ms",
  default: 1_800_000,
  defaultIs: "the default of RabbitMQ",
});

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
  leases: [
    {
      id: "P16",
      at: { call: ["@RabbitSubscribe", "@RabbitRPC"] },
      as: "limit",
      timeout: { handler: "decorated method" },
      lease: consumerTimeout(0),
      ...channelClosed,
    },
    {
      id: "P16",
      at: { call: ["AmqpConnection.createSubscriber", "AmqpConnection.createRpc"] },
      as: "limit",
      timeout: { handler: { argument: 0 } },
      lease: consumerTimeout(1),
      ...channelClosed,
    },
  ],
};
