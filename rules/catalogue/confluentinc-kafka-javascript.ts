import type { Library } from "./vocabulary.js";

/** The KafkaJS-like interface, and the older one of node-rdkafka beside it. */
export const confluentincKafkaJavascript: Library = {
  name: "@confluentinc/kafka-javascript",
  packages: ["@confluentinc/kafka-javascript"],
  values: {
    Producer: "Kafka.producer()",
    Transaction: "Producer.transaction()",
    Consumer: "Kafka.consumer()",
  },
  dispatches: [
    { member: ["Producer.send", "Transaction.send"], to: "topic", payload: { argument: 0, path: "messages[].value" } },
    {
      member: ["Producer.sendBatch", "Transaction.sendBatch"],
      to: "topic",
      payload: { argument: 0, path: "topicMessages[].messages[].value" },
    },
    { member: ["Producer.produce", "HighLevelProducer.produce"], to: "topic", payload: { argument: 2 } },
  ],
  handlers: [
    { registeredBy: "Consumer.run", handler: { argument: 0, path: "eachMessage" }, jobAt: "message" },
    { registeredBy: "Consumer.run", handler: { argument: 0, path: "eachBatch" }, jobAt: "batch.messages", batch: true },
    { parameterType: "EachMessagePayload", jobAt: "message" },
    { parameterType: "EachBatchPayload", jobAt: "batch.messages", batch: true },
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
      id: "P19",
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
        slot: [
          { argument: 0, path: "kafkaJS.rebalanceTimeout" },
          { argument: 0, path: "rebalanceTimeout" },
          { argument: 0, path: "'max.poll.interval.ms'" },
        ],
        unit: "ms",
        default: 300_000,
      },
      consequence:
        "Kafka gives the partition to another consumer, which gets the message again while this one still runs",
    },
  ],
};
