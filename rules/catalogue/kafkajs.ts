import type { Library } from "./vocabulary.js";

/** A Kafka transaction is not the database's, and an idempotent producer knows only its own retries. */
export const kafkajs: Library = {
  name: "KafkaJS",
  packages: ["kafkajs"],
  values: {
    Producer: "Kafka.producer()",
    Transaction: "Producer.transaction()",
    Consumer: "Kafka.consumer()",
  },
  dispatches: [
    {
      member: ["Sender.send", "Producer.send", "Transaction.send"],
      to: "topic",
      payload: { argument: 0, path: "messages[].value" },
    },
    {
      member: ["Sender.sendBatch", "Producer.sendBatch", "Transaction.sendBatch"],
      to: "topic",
      payload: { argument: 0, path: "topicMessages[].messages[].value" },
    },
  ],
  retriesOnThrow: true,
  handlers: [
    { registeredBy: "Consumer.run", handler: { argument: 0, path: "eachMessage" }, jobAt: "message" },
    { registeredBy: "Consumer.run", handler: { argument: 0, path: "eachBatch" }, jobAt: "batch.messages", batch: true },
    { functionType: "EachMessageHandler", parameterType: "EachMessagePayload", jobAt: "message" },
    { functionType: "EachBatchHandler", parameterType: "EachBatchPayload", jobAt: "batch.messages", batch: true },
    { parameterType: "KafkaMessage" },
  ],
  identities: [
    {
      property: ["KafkaMessage.offset", "MessageSetEntry.offset", "RecordBatchEntry.offset"],
      stableOver: "retries",
    },
  ],
  leases: [
    {
      id: "P17",
      at: { call: "Consumer.run" },
      as: "limit",
      timeout: {
        handler: [
          { argument: 0, path: "eachMessage" },
          { argument: 0, path: "eachBatch" },
        ],
      },
      lease: {
        at: { made: "receiver", by: "Kafka.consumer" },
        slot: { argument: 0, path: "sessionTimeout" },
        unit: "ms",
        default: 30_000,
        atLeast: { ms: 1000, because: "it counts milliseconds" },
      },
      renewedBy: "heartbeat",
      consequence:
        "Kafka gives the partition to another consumer, which gets the message again while this one still runs",
      advice: "Lower the limit, raise `sessionTimeout`, or call `heartbeat()` between the steps",
    },
    {
      id: "P18",
      at: { call: "Kafka.consumer" },
      as: "renewal",
      timeout: { slot: { argument: 0, path: "heartbeatInterval" }, unit: "ms", default: 3000 },
      lease: { slot: { argument: 0, path: "sessionTimeout" }, unit: "ms", default: 30_000 },
      consequence: "KafkaJS refuses to start: the session is over before the first heartbeat",
    },
  ],
};
