import type { Library } from "./vocabulary.js";

export const platformaticKafka: Library = {
  name: "@platformatic/kafka",
  packages: ["@platformatic/kafka"],
  values: { MessagesStream: "Consumer.consume()" },
  dispatches: [{ member: "Producer.send", to: "topic", payload: { argument: 0, path: "messages[].value" } }],
  handlers: [{ registeredBy: "MessagesStream.on", handler: { argument: 1 }, event: { argument: 0, oneOf: ["data"] } }],
  identities: [{ property: "Message.offset", stableOver: "retries" }],
};
