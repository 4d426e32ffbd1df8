import type { Library } from "./vocabulary.js";

const fiveMinutes = "5 minutes, on FIFO queues";

export const sqsProducer: Library = {
  name: "sqs-producer",
  packages: ["sqs-producer"],
  values: { Producer: "Producer.create()" },
  dispatches: [
    {
      member: "Producer.send",
      to: "queue",
      payload: [{ argument: 0 }, { argument: 0, path: "body" }, { argument: 0, path: "[].body" }],
    },
  ],
  keys: [
    { member: "Producer.send", slot: { argument: 0, path: "deduplicationId" }, role: "dedup", holds: fiveMinutes },
    { member: "Producer.send", slot: { argument: 0, path: "[].deduplicationId" }, role: "dedup", holds: fiveMinutes },
  ],
};
