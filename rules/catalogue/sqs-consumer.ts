import type { DurationSetting, LeaseAnchor, Library } from "./vocabulary.js";

const consumer: LeaseAnchor = { call: ["Consumer.create", "new Consumer"] };
const visibilityTimeout: DurationSetting = { slot: { argument: 0, path: "visibilityTimeout" }, unit: "s" };
const visible = {
  consequence: "the message becomes visible again, and a second consumer takes it while the first still runs",
  advice: "Raise `visibilityTimeout` (seconds), lower the limit, or set a `heartbeatInterval`",
};

/** Messages are those of `@aws-sdk/client-sqs`: their identities stand there. */
export const sqsConsumer: Library = {
  name: "sqs-consumer",
  packages: ["sqs-consumer"],
  retriesOnThrow: true,
  handlers: [
    { registeredBy: ["Consumer.create", "new Consumer"], handler: { argument: 0, path: "handleMessage" } },
    {
      registeredBy: ["Consumer.create", "new Consumer"],
      handler: { argument: 0, path: "handleMessageBatch" },
      batch: true,
    },
  ],
  leases: [
    {
      id: "P11",
      at: consumer,
      as: "limit",
      unless: [
        { slot: { argument: 0, path: "heartbeatInterval" } },
        { slot: { argument: 0, path: "handleMessageBatch" } },
      ],
      timeout: {
        slot: { argument: 0, path: "handleMessageTimeout" },
        unit: "ms",
        atLeast: {
          ms: 1000,
          because: "`handleMessageTimeout` is in milliseconds, while `visibilityTimeout` is in seconds",
        },
      },
      lease: {
        ...visibilityTimeout,
        default: 30_000,
        defaultIs: "the default of Amazon SQS where the queue sets none",
      },
      ...visible,
    },
    {
      id: "P11",
      at: consumer,
      as: "limit",
      unless: [
        { slot: { argument: 0, path: "heartbeatInterval" } },
        { slot: { argument: 0, path: "handleMessageTimeout" } },
      ],
      timeout: { handler: { argument: 0, path: "handleMessage" } },
      lease: visibilityTimeout,
      ...visible,
    },
    {
      id: "P11",
      at: consumer,
      as: "limit",
      unless: { slot: { argument: 0, path: "heartbeatInterval" } },
      timeout: {
        handler: { argument: 0, path: "handleMessageBatch" },
        batch: { size: { argument: 0, path: "batchSize" }, default: 1 },
      },
      lease: visibilityTimeout,
      ...visible,
    },
    {
      id: "P12",
      at: consumer,
      as: "renewal",
      timeout: { slot: { argument: 0, path: "heartbeatInterval" }, unit: "s" },
      lease: visibilityTimeout,
      consequence: "the message is visible again before the first heartbeat, so sqs-consumer refuses to start",
    },
  ],
};
