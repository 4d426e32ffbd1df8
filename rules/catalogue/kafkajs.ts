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
};
