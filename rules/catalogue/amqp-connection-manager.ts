import type { Library } from "./vocabulary.js";

const channelClosed = {
  consequence:
    "RabbitMQ closes the channel and hands every unacknowledged message of it to another consumer while this one still runs",
  advice: "Lower the limit, acknowledge earlier, or raise `x-consumer-timeout` of the queue",
};

/** Buffers messages while it is disconnected: they may leave long after the call. */
export const amqpConnectionManager: Library = {
  name: "amqp-connection-manager",
  packages: ["amqp-connection-manager"],
  values: {
    AmqpConnectionManager: ["connect()", "*.connect()"],
    ChannelWrapper: [
      "AmqpConnectionManager.createChannel()",
      "IAmqpConnectionManager.createChannel()",
      "AmqpConnectionManagerClass.createChannel()",
    ],
  },
  dispatches: [
    { member: "ChannelWrapper.publish", to: "topic", payload: { argument: 2 } },
    { member: "ChannelWrapper.sendToQueue", to: "queue", payload: { argument: 1 } },
  ],
  handlers: [{ registeredBy: "ChannelWrapper.consume", handler: { argument: 1 } }],
  leases: [
    {
      id: "P16",
      at: { call: "ChannelWrapper.consume" },
      as: "limit",
      unless: { slot: { argument: 2, path: "noAck" }, is: true },
      timeout: { handler: { argument: 1 } },
      lease: {
        at: { namedIn: "ChannelWrapper.assertQueue", name: { argument: 0 }, as: { argument: 0 } },
        slot: { argument: 1, path: "arguments.x-consumer-timeout" },
        unit: "ms",
        default: 1_800_000,
        defaultIs: "the default of RabbitMQ",
      },
      endedBy: ["ack", "ackAll", "nack", "nackAll", "reject"],
      ...channelClosed,
    },
  ],
};
