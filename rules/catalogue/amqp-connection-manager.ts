import type { Library } from "./vocabulary.js";

/** Buffers messages while it is disconnected: they may leave long after the call. */
export const amqpConnectionManager: Library = {
  name: "amqp-connection-manager",
  packages: ["amqp-connection-manager"],
  values: {
    AmqpConnectionManager: "connect()",
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
};
