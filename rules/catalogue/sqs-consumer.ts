import type { Library } from "./vocabulary.js";

/** Messages are those of `@aws-sdk/client-sqs`: their identities stand there. */
export const sqsConsumer: Library = {
  name: "sqs-consumer",
  packages: ["sqs-consumer"],
  handlers: [
    { registeredBy: ["Consumer.create", "new Consumer"], handler: { argument: 0, path: "handleMessage" } },
    {
      registeredBy: ["Consumer.create", "new Consumer"],
      handler: { argument: 0, path: "handleMessageBatch" },
      batch: true,
    },
  ],
};
