import type { Library } from "./vocabulary.js";

const duplicateWindow = "the stream's duplicate window, 2 minutes by default";

/** Up to 2.x one package, `nats`; since 3.x several under `@nats-io`. Core NATS delivers at most once. */
export const nats: Library = {
  name: "NATS and JetStream",
  packages: ["nats", "@nats-io/jetstream", "@nats-io/nats-core"],
  importedFrom: ["@nats-io/transport-node", "@nats-io/transport-deno", "nats.ws"],
  values: {
    NatsConnection: ["connect()", "wsconnect()"],
    JetStreamClient: ["NatsConnection.jetstream()", "jetstream()"],
    Consumer: "Consumers.get()",
    Consumers: "JetStreamClient.consumers",
    Batch: "JetStreamClient.startBatch()",
    JsMsg: ["ExportedConsumer.next()", "Consumer.next()"],
  },
  dispatches: [
    { member: ["JetStreamClient.publish", "JetStreamClient.startBatch"], to: "topic", payload: { argument: 1 } },
    { member: ["Batch.add", "Batch.commit"], to: "topic", payload: { argument: 1 } },
    { member: "NatsConnection.publish", to: "pub/sub", payload: { argument: 1 } },
    { member: ["NatsConnection.request", "NatsConnection.requestMany"], to: "pub/sub", payload: { argument: 1 } },
  ],
  handlers: [
    {
      registeredBy: ["Consumer.consume", "ExportedConsumer.consume", "PushConsumer.consume"],
      handler: { argument: 0, path: "callback" },
    },
    { parameterType: "JsMsg" },
  ],
  identities: [
    {
      property: ["JsMsg.seq", "JsMsgImpl.seq", "DeliveryInfo.streamSequence"],
      stableOver: "retries",
    },
    {
      property: ["DeliveryInfo.deliverySequence", "DeliveryInfo.deliveryCount", "DeliveryInfo.redeliveryCount"],
      stableOver: "nothing",
    },
  ],
  keys: [
    {
      member: ["JetStreamClient.publish", "JetStreamClient.startBatch"],
      slot: { argument: 2, path: "msgID" },
      role: "dedup",
      holds: duplicateWindow,
    },
  ],
};
