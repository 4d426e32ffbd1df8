import type { DurationSetting, Library, Reach } from "./vocabulary.js";

const duplicateWindow = "the stream's duplicate window, 2 minutes by default";

/** `consumers.get(stream, durable)` and `consumers.add(stream, { durable_name })` are about one consumer. */
const sameConsumer: Reach = {
  namedIn: ["ConsumerAPI.add", "ConsumerAPI.update"],
  name: [
    { argument: 1, path: "durable_name" },
    { argument: 1, path: "name" },
  ],
  as: { argument: 1 },
  from: { made: "receiver", by: "Consumers.get" },
};
const firstBackoff = (at?: Reach): DurationSetting => ({
  ...(at ? { at } : {}),
  slot: { argument: 1, path: "backoff.0" },
  unit: "ns",
});

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
    JetStreamManager: ["jetstreamManager()", "NatsConnection.jetstreamManager()", "JetStreamClient.jetstreamManager()"],
    ConsumerAPI: "JetStreamManager.consumers",
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
  durations: [
    { member: "nanos", reads: "ms", makes: "ns" },
    { member: "millis", reads: "ns", makes: "ms" },
  ],
  leases: [
    {
      id: "P20",
      at: { call: "ConsumerAPI.add" },
      as: "order",
      timeout: {
        slot: { argument: 1, path: "ack_wait" },
        unit: "ns",
        atLeast: { ms: 10, because: "`ack_wait` is in nanoseconds: write `nanos(30_000)` for 30 s" },
      },
      lease: firstBackoff(),
      equalIsFine: true,
      consequence:
        "the first value of `backoff` replaces `ack_wait`, so a message that is worked on for longer is delivered again",
      advice: "Make the first value of `backoff` as long as a handler may take",
    },
    {
      id: "P20",
      at: {
        call: [
          "Consumer.consume",
          "Consumer.fetch",
          "Consumer.next",
          "ExportedConsumer.consume",
          "ExportedConsumer.fetch",
          "ExportedConsumer.next",
        ],
      },
      as: "limit",
      unless: { at: sameConsumer, slot: { argument: 1, path: "max_deliver" }, is: 1 },
      timeout: [{ handler: { argument: 0, path: "callback" } }, { handler: "what follows" }],
      lease: [
        firstBackoff(sameConsumer),
        { at: sameConsumer, slot: { argument: 1, path: "ack_wait" }, unit: "ns", default: 30_000 },
      ],
      renewedBy: "working",
      endedBy: ["ack", "ackAck", "nak", "term"],
      consequence: "the server delivers the message again while this consumer still works on it",
      advice:
        "Lower the limit, raise `ack_wait` (and the first `backoff`), or call `m.working()` while the message is worked on",
    },
  ],
};
