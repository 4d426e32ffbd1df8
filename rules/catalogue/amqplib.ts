import type { Library } from "./vocabulary.js";

const channelClosed = {
  consequence:
    "RabbitMQ closes the channel and hands every unacknowledged message of it to another consumer while this one still runs",
  advice: "Lower the limit, acknowledge earlier, or raise `x-consumer-timeout` of the queue",
};

/** The broker deduplicates nothing. */
export const amqplib: Library = {
  name: "amqplib",
  packages: ["amqplib", "@types/amqplib"],
  values: {
    ChannelModel: ["connect()", "*.connect()"],
    Channel: ["ChannelModel.createChannel()", "Connection.createChannel()"],
    ConfirmChannel: ["ChannelModel.createConfirmChannel()", "Connection.createConfirmChannel()"],
    GetMessage: "Channel.get()",
  },
  dispatches: [
    { member: ["Channel.publish", "ConfirmChannel.publish"], to: "topic", payload: { argument: 2 } },
    { member: ["Channel.sendToQueue", "ConfirmChannel.sendToQueue"], to: "queue", payload: { argument: 1 } },
  ],
  handlers: [
    { registeredBy: ["Channel.consume", "ConfirmChannel.consume"], handler: { argument: 1 } },
    { parameterType: "ConsumeMessage" },
  ],
  identities: [
    {
      property: [
        "Message.fields.deliveryTag",
        "ConsumeMessage.fields.deliveryTag",
        "GetMessage.fields.deliveryTag",
        "CommonMessageFields.deliveryTag",
        "MessageFields.deliveryTag",
        "ConsumeMessageFields.deliveryTag",
        "GetMessageFields.deliveryTag",
      ],
      stableOver: "nothing",
    },
  ],
  leases: [
    {
      id: "P16",
      at: { call: ["Channel.consume", "ConfirmChannel.consume"] },
      as: "limit",
      unless: { slot: { argument: 2, path: "noAck" }, is: true },
      timeout: { handler: { argument: 1 } },
      lease: {
        at: {
          namedIn: ["Channel.assertQueue", "ConfirmChannel.assertQueue"],
          name: { argument: 0 },
          as: { argument: 0 },
        },
        slot: { argument: 1, path: "arguments.x-consumer-timeout" },
        unit: "ms",
        default: 1_800_000,
        defaultIs: "the default of RabbitMQ",
        atLeast: { ms: 60_000, because: "RabbitMQ checks once a minute", isAdvice: true },
      },
      endedBy: ["ack", "ackAll", "nack", "nackAll", "reject"],
      ...channelClosed,
    },
  ],
};
