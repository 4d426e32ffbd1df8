import type { Library } from "./vocabulary.js";

/** The broker deduplicates nothing. */
export const amqplib: Library = {
  name: "amqplib",
  packages: ["amqplib", "@types/amqplib"],
  values: {
    ChannelModel: "connect()",
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
};
